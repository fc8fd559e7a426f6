-- What conversations said, apart from the index: nothing here is a fact, and no reader of facts,
-- opinions or pages opens this store. It may be deleted at any time, like the index.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- One row a transcript, and how far it was read.
CREATE TABLE sessions (
    session  INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE,   -- as cited: sessions/<file>.jsonl
    place    TEXT NOT NULL,          -- where the file is
    size     INTEGER NOT NULL,       -- when it was last looked at
    mtime_ns INTEGER NOT NULL,       -- 0 while it is being read
    day      TEXT NOT NULL,          -- of that time stamp: the day of turns that have none
    offset   INTEGER NOT NULL,       -- bytes that were read
    lines    INTEGER NOT NULL,       -- line ends among them
    mark     TEXT NOT NULL,          -- hash of the first and last of the bytes that were read
    turns    INTEGER NOT NULL        -- how many were kept
);

-- Some turns in a row, with who said them.
CREATE TABLE session_chunks (
    chunk      INTEGER PRIMARY KEY,
    session    INTEGER NOT NULL,
    start_line INTEGER NOT NULL,     -- of the JSONL file, 1-based
    end_line   INTEGER NOT NULL,
    day        TEXT,                 -- of the turns' own time stamps
    text       TEXT NOT NULL
);
CREATE INDEX session_chunks_by_session ON session_chunks (session, chunk);

CREATE VIRTUAL TABLE session_chunks_fts USING fts5 (
    text,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Which messages of a session are kept, so that none is kept twice.
CREATE TABLE session_messages (
    session INTEGER NOT NULL,
    key     INTEGER NOT NULL,        -- hash of id and text
    PRIMARY KEY (session, key)
) WITHOUT ROWID;

-- Odd lines, of each sort the first and how many there are.
CREATE TABLE session_problems (
    session INTEGER NOT NULL,
    code    TEXT NOT NULL,
    line    INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (session, code)
) WITHOUT ROWID;
