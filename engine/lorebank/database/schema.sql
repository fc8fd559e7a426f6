-- The derived store. Everything here is computed from the Markdown files; a schema change bumps
-- SCHEMA_VERSION in connection.py and the index is rebuilt, never migrated.

-- One row: when and with which settings the rows below were made.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a file. `text` is what may be searched: private parts and managed blocks blanked out,
-- secrets masked, line for line as long as the file, so that offsets and line numbers are those of the file.
CREATE TABLE files (
    file     INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE,   -- relative to the workspace, '/' between parts
    role     TEXT NOT NULL,          -- core, log, note, bank, ledger, directives, extra
    size     INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,       -- 0: changed so lately that the clock cannot vouch for it
    hash     TEXT NOT NULL,          -- of the bytes
    recorded TEXT,                   -- the log's day, ISO; NULL in an undated file
    title    TEXT NOT NULL,          -- first heading, else the file's name
    origin   TEXT NOT NULL,          -- owner, agent, session, imported, untrusted
    dialogue INTEGER NOT NULL,       -- 1 where people take turns in it: a line answers the last one
    text     TEXT NOT NULL
) STRICT;

-- Odd things found while reading; shown by `status` until the file is mended.
CREATE TABLE diagnostics (
    path    TEXT NOT NULL,
    line    INTEGER NOT NULL,
    code    TEXT NOT NULL,
    message TEXT NOT NULL
) STRICT;
CREATE INDEX diagnostics_by_path ON diagnostics (path);

-- What recall returns: facts of retain sections, and passages of prose (kind 'note').
CREATE TABLE items (
    item           INTEGER PRIMARY KEY,
    file           INTEGER NOT NULL,
    ordinal        INTEGER NOT NULL,   -- order within the file
    id             TEXT NOT NULL,      -- 'f-…' from content; 'n-…' for a passage
    kind           TEXT NOT NULL,      -- world, experience, opinion, observation, note
    start_line     INTEGER NOT NULL,   -- 1-based, inclusive
    end_line       INTEGER NOT NULL,
    start          INTEGER NOT NULL,   -- offset in files.text, in characters
    length         INTEGER NOT NULL,
    heading        TEXT NOT NULL,
    recorded       TEXT,
    occurred_start TEXT,
    occurred_end   TEXT,
    content        TEXT NOT NULL,      -- a fact's plain text; a passage's lines
    confidence     REAL,
    marks          TEXT,               -- JSON [[stance, opinion id] or ["ends", fact id], …]
    details        TEXT,               -- JSON [text, …]
    embedding      TEXT NOT NULL,      -- hash of the text to embed
    origin         TEXT NOT NULL,      -- the least trusted of its file's and its own mark
    author         TEXT,               -- `by claude-code, session 3f2a`; NULL where nobody is named
    quarantined    INTEGER NOT NULL    -- 1 where it is neither trusted nor confirmed
) STRICT;
CREATE INDEX items_by_file ON items (file, ordinal);

-- The times that an item names besides its first, `occurred_start` and `occurred_end`.
CREATE TABLE further_times (
    item     INTEGER NOT NULL,
    position INTEGER NOT NULL,         -- from 1, in the order of the text
    start    TEXT,
    end      TEXT,
    PRIMARY KEY (item, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX items_by_id ON items (id);
CREATE INDEX items_by_recorded ON items (recorded);
CREATE INDEX items_by_occurred
    ON items (coalesce(occurred_start, occurred_end), coalesce(occurred_end, occurred_start));
CREATE INDEX items_not_trusted ON items (item) WHERE origin NOT IN ('owner', 'agent');
CREATE INDEX items_in_quarantine ON items (item) WHERE quarantined = 1;
CREATE INDEX items_of_opinions ON items (item, id, confidence, recorded) WHERE kind = 'opinion';

-- The words of items. Contentless: the text stands in `items` and `files`.
CREATE VIRTUAL TABLE items_fts USING fts5 (
    text,        -- the item's own words
    around,      -- heading, and the items before and after it
    entities,    -- names of the entities it mentions
    day,         -- its days, as ISO and in words
    title,       -- path and title of its file, and the context that the file states
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- Codes in an item (`VGO-3391-T`, `7c1fe02`, `max_media_mb`) as letters and digits only, both ways
-- round, so that a code is found by its beginning or end and however its hyphens are typed.
CREATE TABLE codes (
    code     TEXT NOT NULL,
    item     INTEGER NOT NULL,
    backward TEXT NOT NULL,
    PRIMARY KEY (code, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX codes_by_end ON codes (backward, item);
CREATE INDEX codes_by_item ON codes (item);

-- Who and what a fact mentions.
CREATE TABLE mentions (
    item     INTEGER NOT NULL,
    position INTEGER NOT NULL,
    slug     TEXT NOT NULL,            -- the name as folded
    entity   TEXT NOT NULL,            -- the entity that the name stands for
    name     TEXT NOT NULL,            -- as written
    subject  INTEGER NOT NULL,         -- 1 where it stands before the colon
    day      TEXT NOT NULL,            -- when the fact happened, else was written; or ''
    PRIMARY KEY (item, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity, day, item, subject);
CREATE INDEX mentions_by_slug ON mentions (slug);

-- Names found in running text without '@': weaker than mentions, and never of anybody new.
CREATE TABLE plain_mentions (
    item   INTEGER NOT NULL,
    slug   TEXT NOT NULL,              -- the name that was found, as folded
    entity TEXT NOT NULL,              -- the entity that the name stands for
    day    TEXT NOT NULL,              -- when it happened, else was written; or ''
    PRIMARY KEY (item, slug)
) STRICT, WITHOUT ROWID;
CREATE INDEX plain_mentions_by_entity ON plain_mentions (entity, day, item);
CREATE INDEX plain_mentions_by_slug ON plain_mentions (slug);

-- The names that were looked for when `plain_mentions` was last brought up to date.
CREATE TABLE plain_names (
    slug    TEXT PRIMARY KEY,
    text    TEXT NOT NULL,
    written TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which property of whom a fact fixes: what a newer fact about the same replaces.
CREATE TABLE slots (
    item     INTEGER NOT NULL,
    subject  TEXT NOT NULL,            -- slug of the mention it is about, as written; or ''
    about    TEXT NOT NULL,            -- what of the subject, in folded words; or ''
    relation TEXT NOT NULL,
    value    TEXT NOT NULL,            -- folded words
    old      TEXT NOT NULL,            -- the value that it says it replaces; or ''
    since    TEXT NOT NULL,            -- ISO day ahead from which it holds; or ''
    value_slug TEXT NOT NULL,          -- the value as a name is kept, should it be one
    PRIMARY KEY (item, subject, about, relation, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX slots_by_value ON slots (value_slug, relation);
CREATE INDEX slots_by_key ON slots (subject, about, relation);

-- What a line says is over, as `supersede.endings` reads it: only lines that end something.
CREATE TABLE changes (
    item INTEGER PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What somebody says of two lines: in `bank/decisions.md`, or by `(ends f-…)` in the newer one.
CREATE TABLE line_rulings (
    file     INTEGER NOT NULL,
    line     INTEGER NOT NULL,
    newer    TEXT NOT NULL,            -- fact id
    older    TEXT NOT NULL,            -- fact id
    relation TEXT NOT NULL,            -- same, replaces, both
    by       TEXT NOT NULL,            -- who ruled; 'writer' for a mark in the line itself
    day      TEXT                      -- of the ruling; NULL where the line says none
) STRICT;
CREATE INDEX line_rulings_by_file ON line_rulings (file);
CREATE INDEX line_rulings_by_older ON line_rulings (older);
CREATE INDEX line_rulings_by_newer ON line_rulings (newer);
-- Tasks and promises: which items are one, and in what state the line says it is.
CREATE TABLE tasks (
    item      INTEGER NOT NULL,
    kind      TEXT NOT NULL,           -- task, promise
    text      TEXT NOT NULL,           -- without box and metadata
    state     TEXT NOT NULL,           -- open, done, cancelled
    due_start TEXT,
    due_end   TEXT,
    words     TEXT NOT NULL,           -- folded words: a later line with the same decides
    PRIMARY KEY (item, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_by_words ON tasks (words);

-- `#tag` in an item.
CREATE TABLE tags (
    item INTEGER NOT NULL,
    tag  TEXT NOT NULL,                -- folded; 'a/b' is nested under 'a'
    PRIMARY KEY (tag, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_item ON tags (item);

-- What front matter says of all items of a file: `tags:`, and `key:value` of each other key.
CREATE TABLE file_tags (
    file INTEGER NOT NULL,
    tag  TEXT NOT NULL,
    PRIMARY KEY (tag, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_tags_by_file ON file_tags (file);

-- What a folder, a file or the whole workspace is about, as a file's front matter says.
CREATE TABLE contexts (
    scope TEXT NOT NULL,               -- a path, a folder, or '' for the workspace
    file  INTEGER NOT NULL,            -- the file that says so
    text  TEXT NOT NULL,
    PRIMARY KEY (scope, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX contexts_by_file ON contexts (file);
-- What `bank/confirmed.md` vouches for.
CREATE TABLE confirmations (
    file   INTEGER NOT NULL,
    line   INTEGER NOT NULL,
    target TEXT NOT NULL,              -- id, path, origin
    value  TEXT NOT NULL
) STRICT;
CREATE INDEX confirmations_by_value ON confirmations (target, value);

-- What the ledger and the entity pages say about names.
CREATE TABLE names (
    file   INTEGER NOT NULL,
    line   INTEGER NOT NULL,
    action TEXT NOT NULL,              -- page, alias, merge, distinct, …
    slug   TEXT NOT NULL,
    target TEXT NOT NULL,
    name   TEXT NOT NULL,              -- as written
    type   TEXT                        -- an entity page's `type`
) STRICT;
CREATE INDEX names_by_file ON names (file);
CREATE INDEX names_by_slug ON names (slug);
CREATE INDEX names_by_target ON names (target);

CREATE TABLE entities (
    slug       TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    type       TEXT,                   -- as a page's front matter says, else by the rules
    type_reason TEXT NOT NULL,
    page       TEXT,
    first_seen TEXT,
    last_seen  TEXT,
    facts      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every folded name that leads to an entity, its own included.
CREATE TABLE aliases (
    slug   TEXT NOT NULL,
    entity TEXT NOT NULL,
    name   TEXT NOT NULL,
    PRIMARY KEY (slug, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_entity ON aliases (entity);

-- Pairs of entities that may be one: proposed, never merged in silence.
CREATE TABLE proposals (
    slug   TEXT NOT NULL,              -- the alphabetically first
    other  TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (slug, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposals_by_other ON proposals (other);

-- The pairs of names that are the same or may be, as compared last.
CREATE TABLE compared_names (
    slug   TEXT NOT NULL,
    other  TEXT NOT NULL,
    same   INTEGER NOT NULL,           -- 1 the same by their writing, 0 ambiguous
    reason TEXT NOT NULL,
    PRIMARY KEY (slug, other)
) STRICT, WITHOUT ROWID;

-- Beliefs, folded from the evidence below by `reflect.beliefs`.
CREATE TABLE opinions (
    id            TEXT PRIMARY KEY,
    holder        TEXT NOT NULL,       -- the group of facts it was formed from
    statement     TEXT NOT NULL,
    entities      TEXT NOT NULL,       -- JSON [slug, …]
    confidence    REAL NOT NULL,
    status        TEXT NOT NULL,
    superseded_by TEXT,
    superseded_since TEXT,             -- the day
    pinned        REAL,
    history       TEXT NOT NULL,       -- JSON [[day, confidence], …]
    last_updated  TEXT,
    path          TEXT NOT NULL,
    start_line    INTEGER NOT NULL,
    end_line      INTEGER NOT NULL,
    origin        TEXT NOT NULL        -- of the lines for it, the most trusted
) STRICT, WITHOUT ROWID;
CREATE INDEX opinions_by_holder ON opinions (holder);
CREATE INDEX opinions_by_successor ON opinions (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE opinion_evidence (
    opinion    TEXT NOT NULL,
    position   INTEGER NOT NULL,       -- oldest first
    fact       TEXT NOT NULL,
    stance     TEXT NOT NULL,
    day        TEXT NOT NULL,
    delta      REAL NOT NULL,
    content    TEXT NOT NULL,
    reason     TEXT NOT NULL,
    path       TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    confidence REAL NOT NULL,          -- the opinion's: what a fact is worth is read from here alone
    PRIMARY KEY (opinion, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX opinion_evidence_by_fact
    ON opinion_evidence (fact, stance, reason, confidence, opinion);

CREATE TABLE unsure (                  -- pairs that the rules do not sign
    opinion  TEXT NOT NULL,
    fact     TEXT NOT NULL,
    holder   TEXT NOT NULL,
    score    REAL NOT NULL,            -- 0..1: how likely it is worth a look
    reason   TEXT NOT NULL,
    PRIMARY KEY (opinion, fact)
) STRICT, WITHOUT ROWID;
CREATE INDEX unsure_by_holder ON unsure (holder);

-- Stretches of about 400 tokens, for chunk search.
CREATE TABLE chunks (
    chunk      INTEGER PRIMARY KEY,
    file       INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line   INTEGER NOT NULL,
    start      INTEGER NOT NULL,
    length     INTEGER NOT NULL,
    heading    TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_by_file ON chunks (file, ordinal);

CREATE VIRTUAL TABLE chunks_fts USING fts5 (
    text, heading, title,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- The sentences of passages that have several: what else of them is embedded.
CREATE TABLE sentences (
    item      INTEGER NOT NULL,
    part      INTEGER NOT NULL,   -- 1 is the first
    embedding TEXT NOT NULL,      -- hash of the text, as in items
    PRIMARY KEY (item, part)
) STRICT, WITHOUT ROWID;

-- Vectors: 32-bit floats of unit length.
CREATE TABLE vectors (
    item     INTEGER NOT NULL,
    part     INTEGER NOT NULL,   -- 0 is the whole item, the others its sentences
    vector   BLOB NOT NULL,
    checksum INTEGER NOT NULL,   -- the sum of its 32-bit words, of which 32 bits are kept
    PRIMARY KEY (item, part)
) STRICT;
