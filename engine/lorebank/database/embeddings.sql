-- The embedding cache: vectors by what was embedded, which outlive the index.

CREATE TABLE entries (
    entry       INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,     -- provider, endpoint, model, dimension, preprocessing
    role        TEXT NOT NULL,     -- document, query
    hash        TEXT NOT NULL,     -- of the text
    used        INTEGER NOT NULL,  -- the number of the run that used it last
    UNIQUE (fingerprint, role, hash)
);
CREATE INDEX entries_by_use ON entries (used, entry);
CREATE TABLE vectors (             -- apart, so that noting a use rewrites no vector
    entry    INTEGER PRIMARY KEY,
    vector   BLOB NOT NULL,
    checksum INTEGER NOT NULL      -- of text hash and vector: SQLite checks no blob
);
CREATE TABLE jobs (
    job         TEXT NOT NULL,     -- as the provider calls it
    fingerprint TEXT NOT NULL,
    hashes      TEXT NOT NULL,     -- JSON [text hash, …]
    PRIMARY KEY (fingerprint, job)
) WITHOUT ROWID;
