"""Names compared with each other, kept: what a new name is to the others costs one look-up.

`name_forms` holds every name as it was compared, `name_keys` the texts under which it is found,
`compared_names` the pairs that are the same or may be. A name that comes, goes or is written
otherwise is compared anew; so are the names under a key that becomes or ceases to be crowded.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, read_meta, select, write_meta
from lorebank.version import __version__

if TYPE_CHECKING:
    from lorebank.names.keys import Keys
    from lorebank.names.readings import Reading
    from lorebank.names.resolve import Comparison

_COMPARED = "names_compared"
_FEW = 1_000
"""With more new names than this all are compared: that takes less time than as many look-ups."""


def compared(connection: Connection, slugs: Collection[str] | None = None) -> Comparison:
    """The pairs as compared last; of `slugs` only, where given, those with one of them."""
    from lorebank.names.resolve import Comparison

    query = "SELECT c.slug, c.other, c.reason, c.same FROM compared_names c"
    bound: tuple[str, ...] = ()
    if slugs is not None:
        query = (
            f"{query} JOIN json_each(?1) w ON c.slug = w.value"
            " UNION SELECT c.slug, c.other, c.reason, c.same FROM json_each(?1) w"
            " CROSS JOIN compared_names c ON c.other = w.value"
        )
        bound = (json.dumps(list(slugs)),)
    rows = sorted(select(connection, query, bound))
    return Comparison(
        same=tuple((a, b, reason) for a, b, reason, same in rows if same),
        unsure=tuple((a, b, reason) for a, b, reason, same in rows if not same),
    )


def compared_with_new(connection: Connection, names: Mapping[str, str]) -> Comparison:
    """What all the names, slug → as written, are to each other where a few are not on file yet."""
    from lorebank.names.resolve import Comparison, Verdicts, compare_all

    known = _known_forms(connection, None)
    fresh = {slug: name for slug, name in names.items() if known.get(slug) != name}
    scripts = _scripts_known(connection)
    if scripts is None or len(fresh) > _FEW:
        return compare_all(names)
    brought = " ".join([*scripts.split(), *sorted(_scripts_of(fresh.values()))])
    among = Verdicts()
    for pair in combinations(fresh.items(), 2):
        among.compare(*pair)
    kept = compared(connection)
    added = (_compare_with_all(connection, fresh, brought), among.comparison())
    stays = names.keys() - fresh.keys()

    def gathered(verdict: str) -> tuple[tuple[str, str, str], ...]:
        pairs = {pair for pair in getattr(kept, verdict) if stays.issuperset(pair[:2])}
        for more in added:
            pairs |= {
                pair
                for pair in getattr(more, verdict)
                if names.keys() >= set(pair[:2]) and not stays.issuperset(pair[:2])
            }
        return tuple(sorted(pairs))

    return Comparison(same=gathered("same"), unsure=gathered("unsure"))


def refresh_comparison(
    connection: Connection, names: Mapping[str, str], due: Collection[str] | None = None
) -> None:
    """Bring the tables up to date with slug → name as written, of all names or of those `due`."""
    known = _known_forms(connection, due)
    fresh = {slug: name for slug, name in names.items() if known.get(slug) != name}
    gone = [slug for slug in known if slug not in names or slug in fresh]
    scripts = _scripts_known(connection)
    if scripts is not None and not fresh and not gone:
        return
    few = len(fresh) + len(gone) <= _FEW
    if scripts is not None and few and _scripts_of(fresh.values()) <= set(scripts.split()):
        _compare_few(connection, fresh, gone, scripts)
        return
    if due is not None:
        kept = _known_forms(connection, None)
        names = {**{slug: kept[slug] for slug in kept.keys() - set(gone)}, **names}
    _compare_all(connection, names)


def likely_names(connection: Connection, name: str) -> dict[str, str]:
    """Slug → spelling of the names on file that may be the same as this one, sorted."""
    scripts = _scripts_known(connection)
    if scripts is None:
        return {}
    brought = scripts.split() + sorted(_scripts_of([name]))
    return dict(sorted(_partners(connection, name, " ".join(brought)).items()))


def _known_forms(connection: Connection, due: Collection[str] | None) -> dict[str, str]:
    if due is None:
        return dict(select(connection, "SELECT slug, written FROM name_forms"))
    return dict(
        select(
            connection,
            "SELECT f.slug, f.written FROM json_each(?) w"
            " CROSS JOIN name_forms f ON f.slug = w.value",
            (json.dumps(list(due)),),
        )
    )


def _scripts_known(connection: Connection) -> str | None:
    """For which scripts the names on file bear keys; `None`: they were filed by other rules."""
    version, _, scripts = (read_meta(connection, _COMPARED) or "").partition(" ")
    return scripts if version == __version__ else None


def _scripts_of(names: Iterable[str]) -> set[str]:
    from lorebank.names.keys import scripts_in
    from lorebank.names.readings import read_name

    return {script for name in names for script in scripts_in(read_name(name))}


def _keys_of(reading: Reading, scripts: str) -> Keys:
    from lorebank.names.keys import keys_of

    return keys_of(reading, frozenset(scripts.split()))


def _compare_all(connection: Connection, names: Mapping[str, str]) -> None:
    from lorebank.names.keys import scripts_in
    from lorebank.names.readings import read_name
    from lorebank.names.resolve import compare_readings_of, filed_under

    readings = [read_name(name) for name in names.values()]
    scripts = " ".join(sorted({script for reading in readings for script in scripts_in(reading)}))
    keys = [_keys_of(reading, scripts) for reading in readings]
    filed = [filed_under(*pair) for pair in zip(readings, keys, strict=True)]
    for table in ("name_forms", "name_keys", "compared_names"):
        connection.execute(f"DELETE FROM {table}")
    _file_names(connection, names, filed)
    _keep(connection, compare_readings_of(list(names), readings, keys, filed))
    write_meta(connection, _COMPARED, f"{__version__} {scripts}")


def _compare_few(
    connection: Connection, fresh: Mapping[str, str], gone: Sequence[str], scripts: str
) -> None:
    going = {slug: _texts(name, scripts) for slug, name in _known_forms(connection, gone).items()}
    coming = [_texts(name, scripts) for name in fresh.values()]
    texts = set().union(*coming, *going.values())
    before = _crowded(connection, texts)
    _unfile(connection, going)
    _file_names(connection, fresh, coming)
    turned = before ^ _crowded(connection, texts)
    again = {**_forms_under(connection, turned), **fresh}
    _forget_pairs(connection, [*again, *gone])
    _keep(connection, _compare_with_all(connection, again, scripts))


def _texts(name: str, scripts: str) -> set[str]:
    from lorebank.names.readings import read_name
    from lorebank.names.resolve import filed_under

    reading = read_name(name)
    return filed_under(reading, _keys_of(reading, scripts))


def _compare_with_all(connection: Connection, names: Mapping[str, str], scripts: str) -> Comparison:
    """The pairs that these names make with all on file."""
    from lorebank.names.resolve import Verdicts

    found = Verdicts()
    for slug, name in names.items():
        for other, written in _partners(connection, name, scripts).items():
            if other != slug:
                found.compare((slug, name), (other, written))
    return found.comparison()


def _filed(connection: Connection, texts: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Text → slug and spelling of the names filed under it, where that are not too many."""
    crowded = _crowded(connection, texts)
    found: dict[str, list[tuple[str, str]]] = {}
    for text, slug, written in select(
        connection,
        "SELECT k.text, f.slug, f.written FROM json_each(?) w CROSS JOIN name_keys k"
        " ON k.text = w.value JOIN name_forms f ON f.name = k.name",
        (json.dumps([text for text in texts if text not in crowded]),),
    ):
        found.setdefault(text, []).append((slug, written))
    return found


def _partners(connection: Connection, name: str, scripts: str) -> dict[str, str]:
    """Slug → spelling of the names on file that may be the same as this one."""
    from lorebank.names.readings import read_name
    from lorebank.names.resolve import is_slip_key, looked_up, one_slip_apart

    reading = read_name(name)
    sure: dict[str, str] = {}
    near: dict[str, str] = {}
    for text, rows in _filed(connection, looked_up(reading, _keys_of(reading, scripts))).items():
        (near if is_slip_key(text) else sure).update(rows)
    slips = {
        slug: written
        for slug, written in near.items()
        if slug not in sure and one_slip_apart(reading, read_name(written))
    }
    return sure | slips


def _crowded(connection: Connection, texts: Iterable[str]) -> set[str]:
    """Those of the texts under which, or opposite which, too many names are filed."""
    from lorebank.names.resolve import crowding

    limits = {text: crowding(text) for text in texts}
    counted = {one for many, _ in limits.values() for one in many}
    counts: dict[str, int] = dict(
        select(
            connection,
            "SELECT w.value, count(*) FROM json_each(?) w CROSS JOIN name_keys k"
            " ON k.text = w.value GROUP BY w.value",
            (json.dumps(list(counted)),),
        )
    )
    return {
        text
        for text, (many, most) in limits.items()
        if any(counts.get(one, 0) > most for one in many)
    }


def _forms_under(connection: Connection, texts: Iterable[str]) -> dict[str, str]:
    from lorebank.names.resolve import crowding

    wanted = {one for text in texts for one in crowding(text)[0]}
    return dict(
        select(
            connection,
            "SELECT f.slug, f.written FROM json_each(?) w CROSS JOIN name_keys k"
            " ON k.text = w.value JOIN name_forms f ON f.name = k.name",
            (json.dumps(list(wanted)),),
        )
    )


def _file_names(
    connection: Connection, names: Mapping[str, str], filed: Sequence[Collection[str]]
) -> None:
    connection.executemany(
        "INSERT INTO name_forms (slug, written) VALUES (?, ?)", list(names.items())
    )
    numbers = _numbers(connection, names)
    connection.executemany(
        "INSERT INTO name_keys (text, name) VALUES (?, ?)",
        sorted(
            (text, numbers[slug])
            for slug, texts in zip(names, filed, strict=True)
            for text in texts
        ),
    )


def _unfile(connection: Connection, filed: Mapping[str, Collection[str]]) -> None:
    numbers = _numbers(connection, filed)
    connection.executemany(
        "DELETE FROM name_keys WHERE text = ? AND name = ?",
        [(text, numbers[slug]) for slug, texts in filed.items() for text in texts],
    )
    connection.execute(
        "DELETE FROM name_forms WHERE slug IN (SELECT value FROM json_each(?))",
        (json.dumps(list(filed)),),
    )


def _numbers(connection: Connection, slugs: Iterable[str]) -> dict[str, int]:
    return dict(
        select(
            connection,
            "SELECT f.slug, f.name FROM json_each(?) w CROSS JOIN name_forms f ON f.slug = w.value",
            (json.dumps(list(slugs)),),
        )
    )


def _forget_pairs(connection: Connection, slugs: Sequence[str]) -> None:
    for column in ("slug", "other"):
        connection.execute(
            f"DELETE FROM compared_names WHERE {column} IN (SELECT value FROM json_each(?))",
            (json.dumps(slugs),),
        )


def _keep(connection: Connection, made: Comparison) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO compared_names (slug, other, reason, same) VALUES (?, ?, ?, ?)",
        [(*pair, 1) for pair in made.same] + [(*pair, 0) for pair in made.unsure],
    )
