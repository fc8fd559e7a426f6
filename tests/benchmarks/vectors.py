"""Nearest vectors at scale: how long a warm question takes, and what a sieve loses.

Vectors of real sentences (of a folder of Markdown, the sample workspace unless another is named)
are mixed two by two into as many as asked for; questions are sentences that were kept out.

    python tests/benchmarks/vectors.py [count] [dimension] [folder]
"""

import sys
import time
from pathlib import Path

import numpy as np

from lorebank.index import vectors as sign_bits
from lorebank.index.vectors import SignBits, _Matrix
from lorebank.providers.local import MultilingualEmbedder

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
LIMIT = 20
QUESTIONS = 100


def sentences(folder: Path, most: int) -> list[str]:
    lines = (
        line
        for file in sorted(folder.rglob("*.md"))
        for line in file.read_text("utf-8", "replace").split("\n")
    )
    distinct = list(dict.fromkeys(line.lstrip("-# ") for line in lines if len(line) > 30))
    step = max(1, len(distinct) // most)
    return distinct[::step][:most]


def mixed(real: np.ndarray, count: int, dimension: int, draw: np.random.Generator) -> np.ndarray:
    """Neighbours on the way from one real vector to another, with a little noise."""
    found = np.empty((count, dimension), dtype=np.float32)
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        one, two = real[draw.integers(len(real), size=(2, size))]
        share = draw.uniform(0.5, 1.0, size=(size, 1)).astype(np.float32)
        noise = draw.normal(scale=0.3 / np.sqrt(dimension), size=(size, dimension))
        part = share * one + (1 - share) * two + noise.astype(np.float32)
        found[start : start + size] = part / np.linalg.norm(part, axis=1, keepdims=True)
    return found


def median_ms(matrix: _Matrix, questions: np.ndarray) -> float:
    times = []
    for question in questions:
        started = time.perf_counter()
        matrix.nearest(question, LIMIT)
        times.append(time.perf_counter() - started)
    return float(np.median(times)) * 1000


def main(count: int, dimension: int, folder: Path) -> None:
    draw = np.random.default_rng(7)
    texts = sentences(folder, 3000)
    vectors = MultilingualEmbedder().embed_documents(texts)[:, :dimension]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept_out = len(vectors) // 5
    questions = vectors[:: max(1, len(vectors) // kept_out)][:QUESTIONS]
    real = np.delete(vectors, np.s_[:: max(1, len(vectors) // kept_out)], axis=0)
    stored = mixed(real, count, dimension, draw)
    rows = np.arange(count)
    exact = _Matrix((0, 0), rows, stored)
    truth = [{row for row, _ in exact.nearest(question, LIMIT).ranked} for question in questions]
    print(f"{count:,} × {dimension}, {len(real)} real vectors, {len(questions)} questions")
    print(f"  every vector      {median_ms(exact, questions[:20]):7.1f} ms  recall@20 1.000")
    started = time.perf_counter()
    signs = SignBits.of(stored)
    assert signs is not None
    print(f"  making the bits   {(time.perf_counter() - started) * 1000:7.1f} ms, once")
    shipped = max(sign_bits.CANDIDATES, int(sign_bits.SHARE * count))
    for candidates in sorted({1024, 4096, shipped}):
        sign_bits.CANDIDATES, sign_bits.SHARE = candidates, 0.0
        sieved = _Matrix((0, 0), rows, stored, signs)
        found = [
            {row for row, _ in sieved.nearest(question, LIMIT).ranked} for question in questions
        ]
        own = "  <- shipped" if candidates == shipped else ""
        row = (median_ms(sieved, questions[:20]), recall(truth, found))
        print(f"  {candidates:6} by bits    {row[0]:7.1f} ms  recall@20 {row[1]:.3f}{own}")


def recall(truth: list[set[int]], found: list[set[int]]) -> float:
    return float(np.mean([len(a & b) / LIMIT for a, b in zip(truth, found, strict=True)]))


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 200_000,
        int(sys.argv[2]) if len(sys.argv) > 2 else 512,
        Path(sys.argv[3]) if len(sys.argv) > 3 else FIXTURES,
    )
