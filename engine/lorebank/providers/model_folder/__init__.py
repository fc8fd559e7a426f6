"""A folder with an embedding model of the user's own, run inside this process.

`folder` finds what a folder holds and makes an `Embedder` of it: `static` looks vectors of tokens
up in a table (model2vec, sentence-transformers' StaticEmbedding), `onnx` runs a network by
onnxruntime. `tokens` reads `tokenizer.json`. A package that is
missing is named with what to install.
"""
