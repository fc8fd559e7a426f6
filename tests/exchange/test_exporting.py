"""What goes out: which facts, in which form, and over nothing that is there."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lorebank import Bank, UsageError, WorkspaceError
from lorebank.domain.facts import Citation, EvidenceMark, Fact, FactKind, Interval, Mention, Stance
from lorebank.exchange.notes import retain_line
from lorebank.exchange.prose import clean
from lorebank.exchange.read_jsonl import read_line
from lorebank.exchange.writers import COLUMNS, facts_csv, facts_jsonl
from lorebank.language.folding import slugify
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts, new_fact
from lorebank.markdown.plain import escape_markup
from support import WORDS_ONLY, golden

LOG = """# 2025-11-27

## Retain
- O(c=0.9) @Peter: Prefers *short* replies; see <b>this</b> & that.
- W @[[The Castle]] @Peter: Was rebuilt on 2025-11-20.
- W @Ana: Owes @Peter a book. <private>For years.</private>
- B: Deployed with token ghp_Zx8Kq2Lm4Np6Rs8Tu0Vw2Xy4Za6Bc8De0Fg2.
- W @Peter: Was said by nobody to trust. (origin: untrusted)
"""
OLD = "## Retain\n- W @Ana: Moved to Porto.\n"


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    memory = tmp_path / "workspace" / "memory"
    memory.mkdir(parents=True)
    (memory / "2025-11-27.md").write_text(LOG, "utf-8")
    (memory / "2024-03-01.md").write_text(OLD, "utf-8")
    return Bank.open(tmp_path / "workspace", environ=WORDS_ONLY, now=date(2025, 12, 10))


def texts(bank: Bank, **chosen: object) -> list[str]:
    report = bank.export("jsonl", **chosen)  # type: ignore[arg-type]
    return [json.loads(line)["text"].split(" ")[0] for line in report.text.splitlines()]


@golden("exchange.md")
def test_which_facts_go_out(bank: Bank, chosen: dict[str, object], first_words: list[str]) -> None:
    assert sorted(texts(bank, **chosen)) == sorted(first_words)


def test_a_line_of_jsonl(bank: Bank) -> None:
    report = bank.export("jsonl", kinds=["opinion"])
    fact = next(fact for fact in bank.timeline() if fact.kind is FactKind.OPINION)
    assert [json.loads(line) for line in report.text.splitlines()] == [
        {
            "id": fact.id,
            "kind": "opinion",
            "text": "Prefers short replies; see this & that.",
            "entities": ["Peter"],
            "subjects": ["Peter"],
            "confidence": 0.9,
            "recorded": "2025-11-27",
            "occurred": None,
            "source": "memory/2025-11-27.md#L4",
            "origin": "owner",
            "quarantined": False,
        }
    ]


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown", "site"])
def test_neither_private_text_nor_secrets_nor_quarantine_go_out(
    bank: Bank, tmp_path: Path, form: str
) -> None:
    report = bank.export(form, tmp_path / "out")
    assert (report.facts, report.left_out) == (5, 1)
    out = tmp_path / "out"
    written = [out] if out.is_file() else [path for path in out.rglob("*") if path.is_file()]
    for path in written:
        text = path.read_text("utf-8")
        assert not re.search("For years|ghp_|nobody to trust", text)


def test_a_spreadsheet_runs_nothing() -> None:
    cells = ['=HYPERLINK("http://e.org")', "+1", "-2+3", "@SUM(A1)", "\t=1", 'a "b", c\nd', "ok"]
    facts = [
        Fact("f-1", FactKind.WORLD, text, "", Citation("memory/a.md", 1, 1), (Mention("=x", "x"),))
        for text in cells
    ]
    rows = list(csv.reader(io.StringIO(facts_csv(facts), newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert [row[2] for row in rows[1:]] == [f"'{c}" for c in cells[:5]] + cells[5:]
    assert {row[3] for row in rows[1:]} == {"'=x"}


def test_a_row_of_csv() -> None:
    fact = Fact(
        "f-1",
        FactKind.OPINION,
        "Likes tea.",
        "",
        Citation("memory/a.md", 4, 4),
        (Mention("Ana", "ana"), Mention("Peter", "peter")),
        confidence=0.9,
        recorded=date(2025, 11, 27),
        occurred=Interval(date(2025, 11, 1), None),
    )
    assert facts_csv([fact]).split("\r\n")[1:] == [
        "f-1,opinion,Likes tea.,Ana; Peter,0.9,2025-11-27,2025-11-01,,memory/a.md#L4,owner,no",
        "",
    ]


def test_pages_of_markdown(bank: Bank, tmp_path: Path) -> None:
    report = bank.export("markdown", tmp_path / "out")
    assert " ".join(report.files) == (
        "index.md opinions.md entities/peter.md entities/ana.md entities/the-castle.md"
        " timeline/2025.md timeline/2024.md"
    )
    assert (tmp_path / "out" / "entities" / "ana.md").read_text("utf-8") == (
        "# Ana\n\n## Facts\n\n"
        "- Owes Peter a book.\n"
        "  <br>2025-11-27 · world · [Ana](../entities/ana.md) · [Peter](../entities/peter.md)"
        " · memory/2025-11-27.md#L6\n"
        "- Moved to Porto.\n"
        "  <br>2024-03-01 · world · [Ana](../entities/ana.md) · memory/2024-03-01.md#L2\n"
    )


@pytest.mark.parametrize(
    ("form", "link"), [("markdown", r"\]\(([^)]+)\)"), ("site", r'href="([^"]+)"')]
)
def test_every_link_leads_to_a_page(bank: Bank, tmp_path: Path, form: str, link: str) -> None:
    report = bank.export(form, tmp_path / "out")
    found = 0
    for path in report.files:
        page = tmp_path / "out" / path
        for target in re.findall(link, page.read_text("utf-8")):
            assert (page.parent / unquote(target)).is_file()
            found += 1
    assert found > len(report.files)


def test_html_shows_text_and_runs_none(tmp_path: Path) -> None:
    memory = tmp_path / "workspace" / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text(
        "## Retain\n- W @[[&lt;i&gt;x]]: Said &lt;script&gt;alert(1)&lt;/script&gt;.\n", "utf-8"
    )
    bank = Bank.open(memory.parent, environ=WORDS_ONLY, now=date(2025, 12, 10))
    report = bank.export("site", tmp_path / "out")
    pages = "".join((tmp_path / "out" / path).read_text("utf-8") for path in report.files)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages
    assert "<script" not in pages
    assert "<i>" not in pages


@pytest.mark.parametrize(
    "said", ["1. FC Köln won.", "> 3 cups a day", "C:\\_new\\.git", "reads &amp;amp; as it is"]
)
def test_html_reads_as_the_fact_does(tmp_path: Path, said: str) -> None:
    memory = tmp_path / "workspace" / "memory" / "_old_"
    memory.mkdir(parents=True)
    line = f"W @Peter: {escape_markup(said)}"
    (memory / "2025-11-27.md").write_text(f"## Retain\n- {line}\n", "utf-8")
    bank = Bank.open(tmp_path / "workspace", environ=WORDS_ONLY, now=date(2025, 12, 10))
    bank.export("site", tmp_path / "out")
    page = (tmp_path / "out" / "timeline" / "2025.html").read_text("utf-8")
    shown = " ".join(unescape(re.sub(r"<[^>]*>", "", page)).split())
    assert f"{said} 2025-11-27 · world · Peter · memory/_old_/2025-11-27.md#L2" in shown


@pytest.mark.parametrize("form", ["jsonl", "csv", "markdown", "site"])
def test_nothing_is_written_over_unless_told_to(bank: Bank, tmp_path: Path, form: str) -> None:
    target = tmp_path / "out"
    bank.export(form, target)
    before = {path: path.read_bytes() for path in [target, *target.rglob("*")] if path.is_file()}
    with pytest.raises(WorkspaceError, match="not empty"):
        bank.export(form, target, entity="Ana")
    assert {path: path.read_bytes() for path in before} == before
    bank.export(form, target, entity="Ana", force=True)
    assert {path: path.read_bytes() for path in before if path.exists()} != before


def test_force_removes_only_what_an_earlier_export_left(bank: Bank, tmp_path: Path) -> None:
    target = tmp_path / "out"
    bank.export("markdown", target)
    (target / "mine.md").write_text("Mine.")
    (tmp_path / "outside.md").write_text("Outside.")
    listed = json.loads((target / "export.json").read_text())
    listed["files"] += ["../outside.md", "/etc/hosts", 7]
    (target / "export.json").write_text(json.dumps(listed))
    bank.export("markdown", target, entity="Ana", force=True)
    left = {path.relative_to(target).as_posix() for path in target.rglob("*.md")}
    assert "timeline/2024.md" in left
    assert not (target / "entities" / "the-castle.md").exists()
    assert (target / "mine.md").read_text() == "Mine."
    assert (tmp_path / "outside.md").read_text() == "Outside."


def test_pages_need_a_place_and_a_form_must_be_known(bank: Bank) -> None:
    with pytest.raises(UsageError, match="folder of pages"):
        bank.export("markdown")
    with pytest.raises(UsageError, match="not an export format"):
        bank.export("pdf")


def test_an_empty_bank(tmp_path: Path) -> None:
    (tmp_path / "workspace" / "memory").mkdir(parents=True)
    bank = Bank.open(tmp_path / "workspace", environ=WORDS_ONLY)
    assert bank.export("jsonl").text == ""
    assert bank.export("csv").text == ",".join(COLUMNS) + "\r\n"
    assert bank.export("site", tmp_path / "out").files == ("index.html",)


# -- a fact that goes out as JSONL comes in as the same fact -------------------------------------


_WORDS = (
    *("@Peter", "[[Ana|her]]", "**", "`code`", "<b>", "&lt;", "tea", "茶を飲む", "🌊"),
    *("(+o-3f2a)", "O(c=0.9) @X:", "- ", "# ", "| a | b |", "(origin: agent)", "\\*", "é", "1. "),
    "https://e.org/@a",
)  # fmt: skip
_TEXTS = st.lists(st.sampled_from(_WORDS) | st.text(max_size=12), min_size=1, max_size=6).map(
    " ".join
)
_NAMES = st.sampled_from(("Peter", "The Castle", "Ana Ruiz", "東京", "C++", "R&D", "a_b"))


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    text = " ".join(clean(draw(_TEXTS)).split())
    assume(text)
    names = draw(st.lists(_NAMES, max_size=3, unique_by=slugify))
    return new_fact(
        draw(st.sampled_from(FactKind)),
        text,
        [Mention(name, slugify(name), subject=True) for name in names],
        draw(st.none() | st.dates(date(1990, 1, 1), date(2040, 1, 1))),
        confidence=draw(st.none() | st.sampled_from((0.0, 0.05, 0.5, 0.95, 1.0))),
        marks=draw(st.sampled_from(((), (EvidenceMark(Stance.AGAINST, "o-3f2a"),)))),
        details=draw(st.sampled_from(((), ("Last reinforced: 2025-11-21",)))),
    )


def said(fact: Fact) -> tuple[object, ...]:
    return (
        *(fact.kind, fact.content, set(fact.slugs), set(fact.subjects), fact.confidence),
        *(fact.marks, fact.details),
    )


@given(facts())
def test_a_fact_is_the_same_fact_after_both_ways(fact: Fact) -> None:
    read, problems = read_line(facts_jsonl([fact]).encode())
    assert read is not None
    # What looks like a secret is masked on its way in; all else is as it was.
    assume(not problems)
    assert (said(read), read.recorded) == (said(fact), fact.recorded)
    text = f"# Day\n\n## Retain\n{retain_line(read)}\n"
    (again,) = extract_facts(
        read_document(text, "memory/2025-11-27.md"), recorded=fact.recorded
    ).facts
    assert said(replace(again, id="")) == said(fact)


@given(st.dictionaries(st.text(max_size=8) | st.sampled_from(("text", "kind", "entities", "date",
    "confidence", "recorded", "marks", "details", "subjects")), st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner,
    max_size=3), max_leaves=4)))  # fmt: skip
def test_no_line_is_too_odd_to_be_read(said: dict[str, object]) -> None:
    fact, problems = read_line(json.dumps(said).encode())
    assert fact is not None or problems
    if fact is not None:
        assert "\n" not in retain_line(replace(fact, details=()))


@pytest.mark.parametrize("fixture", ["harbour", "messy", "year"])
def test_a_whole_bank_comes_back(
    fixture: str, tmp_path: Path, copy_fixture: Callable[[str], Path]
) -> None:
    def keyed(path: Path) -> set[tuple[object, ...]]:
        records = map(json.loads, path.read_text("utf-8").splitlines())
        keys = ("kind", "text", "confidence", "recorded", "occurred", "details", "marks")
        return {
            (*(str(each.get(key)) for key in keys), *sorted(map(slugify, each["entities"])))
            for each in records
        }

    here = Bank.open(copy_fixture(fixture), environ=WORDS_ONLY, now=date(2026, 1, 10))
    (tmp_path / "there" / "memory").mkdir(parents=True)
    there = Bank.open(tmp_path / "there", environ=WORDS_ONLY, now=date(2026, 1, 10))
    out = here.export("jsonl", tmp_path / "facts.jsonl", quarantined=True)
    report = there.import_notes(tmp_path / "facts.jsonl")
    back = there.export("jsonl", tmp_path / "back.jsonl", quarantined=True)
    assert (report.left_out, back.facts) == ((), out.facts)
    assert keyed(tmp_path / "back.jsonl") == keyed(tmp_path / "facts.jsonl")
