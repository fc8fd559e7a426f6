"""A static model of nineteen tokens, written as the programs of the field write theirs."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["PIECES", "VECTORS", "tokenizer_json", "write_model", "write_tables"]

WORDS = "[PAD] [UNK] [CLS] [SEP] boat bees roof har ##bour the on a , . é 記 憶 ##s cafe"
PIECES = WORDS.split(" ")
VECTORS = np.random.default_rng(5).normal(size=(len(PIECES), 6)).astype(np.float32)


def tokenizer_json(**changes: Any) -> dict[str, Any]:
    table: dict[str, Any] = {
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {
                "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
                "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
            },
        },
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {piece: row for row, piece in enumerate(PIECES)},
        },
    }
    return table | changes


def write_tables(file: Path, **tables: np.ndarray) -> None:
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64", "int8": "I8", "uint16": "BF16"}
    header, body = {}, b""
    for name, table in tables.items():
        raw = table.tobytes()
        header[name.replace("__", ".")] = {
            "dtype": kinds[table.dtype.name],
            "shape": list(table.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    head = json.dumps(header | {"__metadata__": {"format": "pt"}}).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(struct.pack("<Q", len(head)) + head + body)


def write_model(folder: Path, vectors: np.ndarray = VECTORS) -> Path:
    """The folder, with a table and a tokenizer in it."""
    write_tables(folder / "model.safetensors", embeddings=vectors)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json()))
    return folder
