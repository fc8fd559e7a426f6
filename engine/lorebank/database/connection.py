"""Opening a database: one place that knows the SQLite driver, its settings and the schemas.

`BEGIN IMMEDIATE` everywhere: deferred transactions that read and then write fail at once, whatever
the busy timeout. The busy timeout is set before WAL, since switching to WAL itself can be busy.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import apsw

from lorebank.errors import IndexUnusable, LorebankError, NotWritable, remedy_on_disk

K = TypeVar("K")
V = TypeVar("V")
SCHEMA_VERSIONS = {"schema.sql": 43, "sessions.sql": 24, "embeddings.sql": 4}
"""Raise with any change to a schema: databases of other versions are rebuilt."""
BUSY_TIMEOUT_MS = 5_000
"""Chosen by hand: a batch of a large workspace is written in a second or two."""
# Without memory-mapped reads: where the file is overwritten by something shorter while it is open,
# they end the process (SIGBUS), and they save no time.
_PRAGMAS = (
    "synchronous = NORMAL",
    "temp_store = MEMORY",
    "cache_size = -16000",
    "wal_autocheckpoint = 8000",  # eight times the default: a bulk write copies fewer pages twice
)
_VACUUM_MIN_BYTES = 8 * 2**20  # chosen by hand: less free space is not worth a VACUUM
_NO_FULL_TEXT_SCHEMA = "embeddings.sql"  # the schema without full-text tables
_FTS5_MODULE = "SELECT 1 FROM pragma_module_list WHERE name = 'fts5'"
_NO_FULL_TEXT_OFFSET = 1_000_000
"""Added to the version of a database created by SQLite without FTS5."""
_FULL_TEXT_TABLE = re.compile(
    r"CREATE VIRTUAL TABLE (\w+) USING fts5 \((.*?)\s+content = .*?\n\);", re.DOTALL
)
_POLL_S = 0.01  # as in `workspace.lock`
DamagedIndex = (apsw.NotADBError, apsw.CorruptError)  # raised for a corrupt page
BusyIndex = (apsw.BusyError, apsw.LockedError)  # raised if another process holds the file
IndexProblem = apsw.Error  # any error of SQLite
UnwritableIndex = (apsw.ReadOnlyError, apsw.FullError, apsw.CantOpenError, apsw.IOError)
"""Raised for a read-only folder, a full or a failing disk."""
Connection = apsw.Connection  # an open index; other rooms only pass it on


class _NeedsOtherSQLite(Exception):
    """The index has FTS5 tables, which this build of SQLite cannot even drop."""


def open_index(
    path: Path,
    schema: str = "schema.sql",
    on_damage: Callable[[Exception], object] = lambda problem: None,
    wait_ms: int = BUSY_TIMEOUT_MS,
) -> apsw.Connection:
    """The index at `path`, created empty if it is missing, outdated or not a database.

    `on_damage` is called before a damaged file is replaced; `wait_ms` is the busy timeout. Raises
    `NotWritable` if the file cannot be written or is not a regular file, `IndexUnusable` if a
    damaged one cannot be replaced.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise NotWritable(
            f"cannot create {path.parent}: {problem.strerror}",
            hint=remedy_on_disk(problem) or "name another workspace with --workspace",
        ) from problem
    if not _is_regular_or_missing(path):
        raise NotWritable(
            f"{path} is a link, a folder or something else that is not a file",
            hint="delete it, or move it away; the index is rebuilt from the Markdown files",
        )
    for is_second in (False, True):
        try:
            return _prepare(apsw.Connection(str(path)), schema, wait_ms)
        except (_NeedsOtherSQLite, *DamagedIndex) as problem:
            if is_second:
                raise _unusable(path, problem) from problem
            if not isinstance(problem, _NeedsOtherSQLite):
                on_damage(problem)
            discard_index(path)
        except apsw.Error as problem:
            raise _unusable(path, problem) from problem
    raise AssertionError("the second attempt returns or raises")


def discard_index(path: Path) -> None:
    """Delete a database file with its write-ahead log."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _is_regular_or_missing(path: Path) -> bool:
    """Opening a pipe would block."""
    return not path.is_symlink() and (path.is_file() or not path.exists())


def is_damage(problem: Exception) -> bool:
    """Whether the database is corrupt: a bad page, a short file, bad text, a table missing."""
    if isinstance(problem, apsw.IOError):
        return getattr(problem, "extendedresult", 0) == apsw.SQLITE_IOERR_SHORT_READ
    damaged = (*DamagedIndex, UnicodeDecodeError)
    return isinstance(problem, damaged) or str(problem).startswith("no such table")


def open_in_memory(path: Path | None, schema: str = "schema.sql") -> apsw.Connection:
    """An in-memory copy of the database at `path`, or an empty one if that cannot be read.

    For files that cannot be written or are locked, so that questions are answered all the same. If
    SQLite cannot create the shared memory of the write-ahead log, the file is read as immutable,
    without the content of the log; the next sync adds it from the files.
    """
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    uri = path.absolute().as_uri() if path is not None and _is_regular_or_missing(path) else ""
    for how in ("", "?immutable=1") if uri else ():
        connection = apsw.Connection(":memory:")
        try:
            with closing(apsw.Connection(f"{uri}{how}", flags=flags)) as source:
                if source.pragma("quick_check") == "ok":
                    with connection.backup("main", source, "main") as backup:
                        backup.step()
            return _prepare(connection, schema)
        except BusyIndex:  # it is being written: the copy would be inconsistent
            connection.close()
            break
        except (apsw.Error, OSError, _NeedsOtherSQLite):
            connection.close()
    return _prepare(apsw.Connection(":memory:"), schema)


def integrity_problems(connection: Connection, *, words: bool = True) -> tuple[str, ...]:
    """Problems found by SQLite's and FTS5's checks. Raises errors of the disk, or if busy."""
    try:
        checked = select(connection, "PRAGMA quick_check(10)")
        problems = [str(line) for (line,) in checked if line != "ok"]
        for name in full_text_tables(connection) if words else ():
            connection.execute(f'INSERT INTO "{name}" ("{name}") VALUES (\'integrity-check\')')
    except (*UnwritableIndex, *BusyIndex):
        raise
    except apsw.Error as problem:
        problems = [str(problem)]
    return tuple(f"damaged: {problem}" for problem in problems)


def full_text_tables(connection: Connection) -> list[str]:
    query = "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%fts5%' ORDER BY name"
    return [name for (name,) in select(connection, query)]


def texts_of(connection: Connection) -> Iterator[str]:
    """All text of each row of the ordinary tables."""
    query = (
        "SELECT t.name, group_concat('\"' || c.name || '\"') FROM sqlite_schema t,"
        " pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type = 'TEXT'"
        " AND t.sql NOT LIKE 'CREATE VIRTUAL%' GROUP BY t.name"
    )
    for table, columns in select(connection, query):
        for row in connection.execute(f'SELECT {columns} FROM "{table}"'):
            yield "\n".join(filter(None, row))


def _switch_to_wal(connection: apsw.Connection, wait_ms: int) -> None:
    """Concurrent switches of a new database fail at once, ignoring the busy timeout."""
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)


def execute(
    connection: Connection, query: str, bound: Sequence[object] | Mapping[str, object] = ()
) -> apsw.Cursor:
    """The rows one by one; a day is bound in ISO 8601, a list or set as JSON for `json_each`."""
    if isinstance(bound, Mapping):
        return connection.execute(query, cast("apsw.Bindings", bound))
    return connection.execute(query, tuple(map(_stored, bound)))


def select(
    connection: Connection, query: str, bound: Sequence[object] | Mapping[str, object] = ()
) -> list[tuple[Any, ...]]:
    """All rows; what is bound as in `execute`."""
    return execute(connection, query, bound).fetchall()


def _stored(value: object) -> apsw.SQLiteValue:
    if value is None or isinstance(value, str | int | float | bytes):
        return value
    return value.isoformat() if isinstance(value, date) else json.dumps(list(cast("Any", value)))


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """One `BEGIN IMMEDIATE` transaction, rolled back if the body raises.

    Begun by a statement: apsw's own `with connection` holds the interpreter lock while it waits,
    which would deadlock with a writing thread of this process.
    """
    if connection.in_transaction:
        with connection:  # a savepoint, which never waits
            yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def vacuum_if_worthwhile(connection: apsw.Connection) -> bool:
    """Shrink the file if most of it is free pages; returns whether it was.

    Call outside a transaction. Does nothing while another process writes.
    """
    pages, free = int(connection.pragma("page_count")), int(connection.pragma("freelist_count"))
    if free * 2 < pages or free * int(connection.pragma("page_size")) < _VACUUM_MIN_BYTES:
        return False
    connection.set_busy_timeout(0)
    try:
        connection.execute("VACUUM")
    except (apsw.BusyError, apsw.LockedError, apsw.FullError):
        return False
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return True


def seen_version(connection: Connection) -> int:
    """Changes when another connection has written."""
    return int(connection.pragma("data_version"))


def generation(connection: Connection) -> tuple[int, int]:
    """Changes when this or another connection has written, as of this one's last read; a thirtieth
    of the cost of `seen_version`, with which every question begins."""
    return connection.data_version(), connection.total_changes()


class Memo(dict[K, V]):
    """A cache of values derived from an index, valid until a connection writes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._generation = generation(connection)

    def current(self) -> Self:
        """Itself, emptied if the index has changed."""
        now = generation(self._connection)
        if now != self._generation:
            self._generation = now
            self.clear()
        return self


def has_full_text(connection: Connection) -> bool:
    """Whether FTS5 is available; without it only vectors and links find anything."""
    return _version(connection) < _NO_FULL_TEXT_OFFSET


def load_vector_extension(connection: apsw.Connection, extension_path: str = "") -> str:
    """Load sqlite-vec; returns "" or why it failed."""
    try:
        target = extension_path or _bundled_extension()
        connection.enable_load_extension(True)
        try:
            connection.load_extension(target)
        finally:
            connection.enable_load_extension(False)
    except (apsw.Error, ImportError, AttributeError) as problem:
        return f"sqlite-vec unavailable: {problem}"
    return ""


def _bundled_extension() -> str:
    from importlib.util import find_spec  # the package's own import costs .25 s

    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("package sqlite-vec is not installed")
    return str(Path(next(iter(spec.submodule_search_locations))) / "vec0")


def _prepare(
    connection: apsw.Connection, schema: str, wait_ms: int = BUSY_TIMEOUT_MS
) -> apsw.Connection:
    """Configure the connection and create this version's tables; closes it on failure."""
    try:
        connection.set_busy_timeout(wait_ms)
        connection.transaction_mode = "IMMEDIATE"
        _switch_to_wal(connection, wait_ms)
        for setting in _PRAGMAS:
            connection.execute(f"PRAGMA {setting}")
        wanted = SCHEMA_VERSIONS[schema]
        if schema != _NO_FULL_TEXT_SCHEMA and not select(connection, _FTS5_MODULE):
            wanted += _NO_FULL_TEXT_OFFSET
        if _version(connection) != wanted:
            with transaction(connection):
                if _version(connection) != wanted:
                    _create_tables(connection, wanted, schema)
            with suppress(apsw.BusyError):  # erase what older versions stored
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def _create_tables(connection: apsw.Connection, version: int, schema: str) -> None:
    """Drop all tables and create new ones; without FTS5, ordinary tables that are not searched.

    The file is not deleted, since another process may have it open.
    """
    tables = connection.execute(
        "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_schema"
        " WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 2 DESC, 1"
    ).fetchall()
    for name, virtual in tables:
        if virtual and version > _NO_FULL_TEXT_OFFSET:
            raise _NeedsOtherSQLite
        connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    layout = Path(__file__).with_name(schema).read_text("utf-8")
    if version > _NO_FULL_TEXT_OFFSET:
        layout = _FULL_TEXT_TABLE.sub(_plain_table, layout)
    connection.execute(layout)
    connection.pragma("user_version", version)


def _plain_table(found: re.Match[str]) -> str:
    columns = ", ".join(re.findall(r"(\w+),", re.sub(r"--.*", "", found[2])))
    return f"CREATE TABLE {found[1]} ({columns});"


def _unusable(path: Path, problem: Exception) -> LorebankError:
    if isinstance(problem, BusyIndex):
        return NotWritable(
            f"{path} is locked by another process", hint="wait for it, or end it; then try again"
        )
    if isinstance(problem, (*UnwritableIndex, apsw.PermissionsError)):
        return NotWritable(
            f"cannot open {path}: {problem}", hint=f"make the folder {path.parent} writable"
        )
    return IndexUnusable(
        f"the index {path} cannot be used: {problem}",
        hint=f"delete {path.name}* in {path.parent}; `lorebank index` rebuilds it from the notes",
    )


def read_meta(connection: Connection, key: str) -> str | None:
    """The value of a key; `None` if it was never written."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else None


def write_meta(connection: Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))
