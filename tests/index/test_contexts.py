"""Contexts: what a folder or file is about comes with each hit below it."""

from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.index.chunks import scopes_above
from lorebank.language.words import estimate_tokens
from lorebank.markdown.owner_pages import LONGEST_CONTEXT, scope_of
from support import WORDS_ONLY, golden


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def stating(context: str, body: str = "# Notes\n") -> str:
    return f"---\ncontext: {context}\n---\n{body}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "memory.md", stating("The household of Ada."))
    write(tmp_path, "memory/boat/README.md", stating("The ketch Aurora, in Porto."))
    for part in ("keel", "mast"):
        write(tmp_path, f"memory/boat/{part}.md", f"# {part}\n\nThe {part} was painted.\n")
    write(tmp_path, "memory/boat/sails/a.md", stating("Sails only.", "The jib was painted.\n"))
    write(tmp_path, "memory/2025-11-27.md", "# Log\n\n## Retain\n- W @Ada: Painted the door.\n")
    return tmp_path


@golden("index.md")
def test_of_what_a_context_speaks(path: str, scope: str) -> None:
    assert scope_of(path, core=path == "memory.md") == scope
    if not path.startswith("/"):
        assert scopes_above(path)[0] == ""


def test_a_file_outside_inherits_from_its_own_folders_alone() -> None:
    assert scopes_above("/srv/wiki/a.md") == ("/", "/srv", "/srv/wiki", "/srv/wiki/a.md")


def test_each_hit_bears_the_contexts_above_it_outermost_first(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        contexts = {hit.source.path: hit.context for hit in bank.recall("painted").hits}
        found = {hit.path: hit.context for hit in bank.search("painted")}
    expected = {
        "memory/2025-11-27.md": ("The household of Ada.",),
        "memory/boat/keel.md": ("The household of Ada.", "The ketch Aurora, in Porto."),
        "memory/boat/mast.md": ("The household of Ada.", "The ketch Aurora, in Porto."),
        "memory/boat/sails/a.md": (
            "The household of Ada.",
            "The ketch Aurora, in Porto.",
            "Sails only.",
        ),
    }
    assert contexts == expected
    assert found == expected


def test_a_changed_context_holds_at_once_and_a_rebuild_says_the_same(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.recall("keel").hits[0].context[-1] == "The ketch Aurora, in Porto."
        write(root, "memory/boat/README.md", stating("The dinghy."))
        bank.sync()
        assert bank.recall("keel").hits[0].context[-1] == "The dinghy."
        assert bank.check() == ()
        (root / "memory/boat/README.md").unlink()
        bank.sync()
        assert bank.recall("keel").hits[0].context == ("The household of Ada.",)
        assert bank.check() == ()


def test_a_context_counts_once_to_the_budget(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        answer = bank.recall("keel mast painted", path="memory/boat")
        told = {line for hit in answer.hits for line in hit.context}
        assert answer.tokens == sum(estimate_tokens(hit.content) for hit in answer.hits) + sum(
            map(estimate_tokens, told)
        )
        first = answer.hits[0]
        least = estimate_tokens(first.content) + sum(map(estimate_tokens, first.context))
        only = bank.recall("keel mast painted", path="memory/boat", token_budget=least)
        assert [hit.id for hit in only.hits] == [first.id]


def test_what_a_context_says_finds_its_file(root: Path) -> None:
    write(root, "memory/k7.md", stating("Minutes of the beekeepers' club.", "Met at noon.\n"))
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.search("beekeepers")[0].path == "memory/k7.md"


def test_private_parts_are_not_told_and_a_long_context_is_cut(root: Path) -> None:
    write(root, "memory/a.md", stating("Trip <private>with Bob</private> north.", "A goose.\n"))
    write(root, "memory/b.md", stating("w " * LONGEST_CONTEXT, "A goose.\n"))
    write(root, "memory/c.md", "---\ncontext:\n  - One.\n  - Two.\n---\nA goose.\n")
    write(root, "memory/d.md", "---\ncontext:\n---\nA goose.\n")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        found = {hit.path: hit.context[1:] for hit in bank.search("goose")}
        problems = [(p.path, p.code) for p in bank.status().problems]
    assert found["memory/a.md"] == ("Trip north.",)
    assert (len(found["memory/b.md"][0]) <= LONGEST_CONTEXT, found["memory/b.md"][0][-1]) == (
        True,
        "…",
    )
    assert (found["memory/c.md"], found["memory/d.md"]) == (("One.; Two.",), ())
    assert problems == [("memory/b.md", "context-long")]
