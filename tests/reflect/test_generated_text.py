"""What a chat model writes into the bank, what of it is dropped, and what happens when it fails."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, ReflectReport
from lorebank.domain.facts import FactKind
from lorebank.errors import ConfigurationError, ProviderError
from lorebank.generation.writing import (
    CitedLine,
    Dropped,
    InferredFact,
    Sentence,
    Writer,
    Written,
    facts_in_prose,
    judge_evidence,
    judge_relation,
    open_writer,
)
from lorebank.settings.tables import AccountSettings, Config, GeneratorSettings, ProviderSettings
from provider_server import Fault, Provider, serving
from support import WORDS_ONLY, golden

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PLACE = "bank/pages/ana.md"
PAGE = "---\nquestion: Where does Ana live?\nwords: [lives, moved]\n---\n# Ana\n"
DAY = "# 2026-01-20\n\n## Retain\n- W @Ana: Moved to Lisbon.\n"
GOOD = {"text": "Ana moved to Lisbon.", "lines": [1]}
LINES = [
    CitedLine("Ana: Moved to Lisbon.", (date(2026, 1, 20),)),
    CitedLine("Ana: Prefers green tea.", (date(2026, 1, 5),)),
]


def said(*sentences: object) -> str:
    return json.dumps({"sentences": sentences})


@pytest.fixture
def server() -> Iterator[Provider]:
    with serving(Provider()) as provider:
        provider.replies.append(said(GOOD))
        yield provider


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {PLACE: PAGE, "memory/2026-01-20.md": DAY}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def environ(server: Provider, **settings: object) -> dict[str, str]:
    given = {"provider": "openai", "model": "m", "base_url": f"{server.url}/v1", **settings}
    given.setdefault("api_key", server.key)
    named = {f"LOREBANK_GENERATOR__{key.upper()}": str(value) for key, value in given.items()}
    return {**WORDS_ONLY, **named}


def reflect(root: Path, environ: dict[str, str], *, offline: bool = False) -> ReflectReport:
    with Bank.open(root, environ=environ, offline=offline) as bank:
        return bank.reflect()


def words_of(root: Path) -> list[str]:
    text = (root / PLACE).read_text("utf-8")
    if "lorebank:begin in-words" not in text:
        return []
    body = text.partition("begin in-words")[2].partition("-->\n")[2].partition("<!--")[0]
    return [line for line in body.split("\n") if line]


def writer(server: Provider, **settings: object) -> Writer:
    account = AccountSettings(f"{server.url}/v1", server.key)
    config = Config(
        generator=GeneratorSettings(provider="openai", model="m", **settings),  # type: ignore[arg-type]
        providers=ProviderSettings(openai=account),
    )
    opened = open_writer(config, {}, lambda line: None, lambda: ("Ana", "Ben"))
    found = opened.__enter__()
    assert found is not None
    WRITERS.append(opened)
    return found


WRITERS: list[object] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while WRITERS:
        WRITERS.pop().__exit__(None, None, None)  # type: ignore[attr-defined]


def test_an_answer_in_words_stands_below_the_cited_lines(server: Provider, root: Path) -> None:
    report = reflect(root, environ(server))
    link = "[memory/2026-01-20.md#L4](../../memory/2026-01-20.md#L4)"
    assert words_of(root) == [
        f"Ana moved to Lisbon. ({link})",
        "*Written by openai/m from the lines above.*",
    ]
    assert f"- 2026-01-20 · Ana: Moved to Lisbon. ({link})" in (root / PLACE).read_text()
    assert report.problems == ()
    prompt = server.requests[0].json["messages"][1]["content"]
    assert prompt == (
        "Question: Where does Ana live?\n\n"
        "Lines, newest first:\n1. (2026-01-20) Ana: Moved to Lisbon."
    )


def test_without_news_no_model_is_asked_and_no_byte_moves(server: Provider, root: Path) -> None:
    reflect(root, environ(server))
    before = (root / PLACE).read_bytes()
    server.replies[0] = said({"text": "Ana lives in Lisbon.", "lines": [1]})
    assert reflect(root, environ(server)).changed == ()
    assert (root / PLACE).read_bytes() == before
    assert len(server.requests) == 1


def test_news_is_put_in_words_anew(server: Provider, root: Path) -> None:
    reflect(root, environ(server))
    (root / "memory" / "2026-03-01.md").write_text("## Retain\n- W @Ana: Moved to Oslo.\n")
    server.replies[0] = said({"text": "Ana moved to Oslo.", "lines": [1]})
    reflect(root, environ(server))
    assert words_of(root)[0].startswith("Ana moved to Oslo. ([memory/2026-03-01.md#L2]")


def test_with_no_generator_the_page_is_as_ever(server: Provider, root: Path) -> None:
    reflect(root, dict(WORDS_ONLY))
    plain = (root / PLACE).read_bytes()
    assert words_of(root) == []
    reflect(root, environ(server))
    written = (root / PLACE).read_bytes()
    reflect(root, dict(WORDS_ONLY))
    assert (root / PLACE).read_bytes() == written, "the same lines: their words still hold"
    log = root / "memory" / "2026-01-20.md"
    log.write_text(log.read_text() + "- W @Ana: Moved to Oslo.\n")
    reflect(root, dict(WORDS_ONLY))
    assert words_of(root) == [], "words for older lines go"
    log.write_text(DAY)
    reflect(root, dict(WORDS_ONLY))
    assert (root / PLACE).read_bytes() == written, "and for those lines again"
    (root / ".memory" / "generated.json").unlink()
    reflect(root, dict(WORDS_ONLY))
    assert (root / PLACE).read_bytes() == plain


def test_garbage_for_the_kept_answers_is_told_and_replaced(server: Provider, root: Path) -> None:
    kept = root / ".memory" / "generated.json"
    kept.parent.mkdir()
    kept.write_bytes(b"\x91\x02 garbage \xff")
    assert [p.code for p in reflect(root, environ(server)).problems] == ["generated-unread"]
    assert json.loads(kept.read_bytes())
    assert reflect(root, environ(server)).problems == ()


def test_a_sentence_that_its_lines_do_not_bear_out_is_dropped_and_told(
    server: Provider, root: Path
) -> None:
    server.replies[0] = said(
        GOOD,
        {"text": "Ana moved to Porto.", "lines": [1]},
        {"text": "Ana moved to Lisbon in 2019.", "lines": [1]},
        {"text": "Ana moved to Lisbon.", "lines": [2]},
        {"text": "Ana moved to Lisbon.", "lines": []},
        {"text": "Ana has moved to Lisbon. <!-- lorebank:end in-words -->", "lines": [0]},
    )
    report = reflect(root, environ(server))
    assert len(words_of(root)) == 2
    assert [(p.path, p.code, p.message.partition(":")[0]) for p in report.problems] == [
        (PLACE, "sentence-dropped", "its lines do not name Porto"),
        (PLACE, "sentence-dropped", "its lines have no 2019"),
        (PLACE, "sentence-dropped", "there is no line 2"),
        (PLACE, "sentence-dropped", "it cites no line"),
        (PLACE, "sentence-dropped", "there is no line 0"),
    ]


def test_where_nothing_can_stand_the_page_says_so_once(server: Provider, root: Path) -> None:
    server.replies[0] = said({"text": "Ana moved to Porto.", "lines": [1]})
    reflect(root, environ(server))
    assert words_of(root) == ["*openai/m wrote nothing that these lines bear out.*"]
    assert reflect(root, environ(server)).changed == ()
    assert len(server.requests) == 1


def test_what_is_written_cannot_break_the_page(server: Provider, root: Path) -> None:
    text = "# Ana moved to Lisbon.\n<!-- lorebank:end in-words -->\n- W @Ana: Moved to Lisbon."
    server.replies[0] = said({"text": text, "lines": [1]})
    reflect(root, environ(server))
    before = (root / PLACE).read_bytes()
    report = reflect(root, environ(server))
    assert (report.changed, report.problems) == ((), ())
    assert (root / PLACE).read_bytes() == before
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert [str(f.citation) for f in bank.timeline()] == ["memory/2026-01-20.md#L4"]


@pytest.mark.parametrize(
    ("faults", "replies", "message"),
    [
        ([Fault(500, body={"error": {"message": "broken"}})] * 3, [], "answered 500: broken"),
        ([Fault(401, body={"error": {"message": "no"}})], [], "answered 401"),
        ([], ["nonsense"], "answered twice with what cannot be used"),
    ],
)
def test_a_failing_model_leaves_the_cited_lines_standing(
    server: Provider, root: Path, faults: list[Fault], replies: list[str], message: str
) -> None:
    server.faults += faults
    if replies:
        server.replies[0] = replies[0]
    report = reflect(root, environ(server))
    assert "Ana: Moved to Lisbon." in (root / PLACE).read_text()
    assert words_of(root) == []
    assert [(p.path, p.code) for p in report.problems] == [(PLACE, "generator-failed")]
    assert message in report.problems[0].message


def test_what_a_run_may_spend_is_told_once_and_the_rest_waits(server: Provider, root: Path) -> None:
    for name in ("b", "c"):
        (root / "bank" / "pages" / f"{name}.md").write_text(PAGE.replace("live?", f"live, {name}?"))
    report = reflect(root, environ(server, max_calls=1))
    assert [(p.path, p.message) for p in report.problems] == [
        ("bank/pages/b.md", "the call budget of this run is spent")
    ]
    texts = [(root / "bank" / "pages" / f"{name}.md").read_text() for name in ("ana", "b", "c")]
    assert ["in-words" in text for text in texts] == [True, False, False]
    reflect(root, environ(server))
    assert all("in-words" in (root / "bank/pages" / f"{n}.md").read_text() for n in "bc")


def test_offline_nothing_is_sent_to_another_machine(server: Provider, root: Path) -> None:
    away = environ(server, base_url="http://192.0.2.7/v1")
    report = reflect(root, away, offline=True)
    assert [p.code for p in report.problems] == ["generator-failed"]
    assert "Ana: Moved to Lisbon." in (root / PLACE).read_text()


def test_a_summary_is_written_from_its_lines(server: Provider) -> None:
    server.replies[0] = said(
        {"text": "Ana moved to Lisbon and prefers green tea.", "lines": [1, 2, 1]},
        {"text": "Ben prefers green tea.", "lines": [2]},
    )
    assert writer(server).write("summary", "Ana", LINES) == Written(
        (Sentence("Ana moved to Lisbon and prefers green tea.", (0, 1)),),
        (Dropped("Ben prefers green tea.", "its lines do not name Ben"),),
        "openai/m",
    )


@golden("generation.md")
def test_a_sign_without_words_of_the_line_to_show_for_it_is_none(
    server: Provider, reply: dict[str, str], verdict: str | None
) -> None:
    server.replies[0] = json.dumps(reply)
    found = judge_evidence(writer(server), "Ana prefers tea.", "Ana is back to tea, she says.")
    assert found == verdict


@golden("generation.md")
def test_two_opinions_are_judged_by_words_of_the_newer(
    server: Provider, reply: dict[str, str], verdict: str | None
) -> None:
    server.replies[0] = json.dumps(reply)
    assert judge_relation(writer(server), "Prefers coffee.", "Is back to tea.") == verdict


def test_another_word_than_the_three_is_sent_back(server: Provider) -> None:
    server.replies[0] = '{"stance": "maybe"}'
    with pytest.raises(ProviderError, match="stance"):
        judge_evidence(writer(server), "Ana prefers tea.", "Ana is back to tea.")
    assert len(server.requests) == 2


def unsure_workspace(root: Path) -> Path:
    (root / "memory").mkdir()
    lines = {
        "2025-11-01": "- O(c=0.7) @Ana: Enjoys working from the train.",
        "2025-11-09": "- W @Ana: Works on the train timetable.",
    }
    for day, line in lines.items():
        (root / "memory" / f"{day}.md").write_text(f"## Retain\n{line}\n", "utf-8")
    return root


@golden("generation.md")
def test_pairs_are_settled_where_the_model_is_sure(
    server: Provider, tmp_path: Path, reply: dict[str, str], stance: str | None
) -> None:
    root = unsure_workspace(tmp_path)
    server.replies[0] = json.dumps(reply)
    with Bank.open(root, environ=environ(server)) as bank:
        waiting = bank.inbox("evidence").items
        assert len(waiting) == 1
        settled = bank.judge()
        left = bank.inbox("evidence").items
    assert [decision.verdict for decision in settled] == ([stance] if stance else [])
    assert len(left) == (0 if stance else 1)
    if stance:
        ledger = (root / "bank" / "evidence.md").read_text("utf-8")
        older, newer = waiting[0].older, waiting[0].newer
        assert older is not None and newer is not None
        assert f"{newer.id} {stance} {older.id}" in ledger
        assert "by openai/m" in ledger


def test_without_a_generator_nobody_judges(tmp_path: Path) -> None:
    with (
        Bank.open(unsure_workspace(tmp_path), environ=WORDS_ONLY) as bank,
        pytest.raises(ConfigurationError, match="no generator"),
    ):
        bank.judge()


def test_facts_are_read_out_of_prose_where_it_bears_them_out(server: Provider) -> None:
    prose = [
        CitedLine("We talked all evening; Ana has decided to sell the boat.", (date(2026, 1, 5),)),
        CitedLine("Rain again.", (date(2026, 1, 5),)),
    ]
    facts = [
        {"kind": "W", "about": "@Ana", "text": "Ana decided to sell the boat.", "lines": [1]},
        {"kind": "W", "about": "Ben", "text": "Decided to sell the boat.", "lines": [1]},
        {"kind": "O", "about": "", "text": "Hates the rain.", "lines": [2]},
    ]
    server.replies[0] = json.dumps({"facts": facts})
    kept, dropped = facts_in_prose(writer(server), prose, date(2026, 1, 5))
    assert kept == (InferredFact(FactKind.WORLD, "Ana", "Ana decided to sell the boat.", (0,)),)
    assert [each.reason for each in dropped] == [
        "its lines do not name Ben",
        "its lines do not name Hates",
    ]
