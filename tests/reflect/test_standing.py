"""Standing questions: what is put on the page, what is left out, and when nothing is touched."""

from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, Directive
from lorebank.domain.facts import Citation
from lorebank.markdown.owner_pages import parse_directives
from lorebank.pages.standing_pages import parse_standing_page
from lorebank.workspace.standing import StandingPage
from support import WORDS_ONLY, golden

LOG = {
    "2026-01-05": [
        "- W @Ana: Promised Ben to send the keel drawings by the end of March 2026.",
        "- W @Ana: Lives in Porto.",
        "- O(c=0.8) @Ana: Prefers tea in the morning.",
    ],
    "2026-01-20": [
        "- B @Ben: I agreed to paint the hull of the Goose in red.",
        "- W @Ana: Moved to Lisbon.",
        "- W @Goose: The hull of the Goose is made of larch.",
    ],
    "2026-02-02": ["- W @Ana: Flies to Oslo on 10 March 2026."],
}
PLACE = "bank/pages/q.md"


def workspace(root: Path, front_matter: str, *, page: str = PLACE, body: str = "# Q\n") -> Path:
    (root / "memory").mkdir(parents=True)
    for day, lines in LOG.items():
        text = "\n".join([f"# {day}", "", "## Retain", *lines, ""])
        (root / "memory" / f"{day}.md").write_text(text, "utf-8")
    (root / page).parent.mkdir(parents=True)
    (root / page).write_text(f"---\n{front_matter}\n---\n{body}", "utf-8")
    return root


def reflected(
    root: Path, page: str = PLACE, now: date | None = date(2026, 3, 1), **options: str
) -> str:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect(now=now, **options)  # type: ignore[arg-type]
    return (root / page).read_text("utf-8")


def answered(text: str) -> list[str]:
    """The lines between the markers, without links."""
    if "lorebank:begin answer" not in text:
        return []
    body = text.partition("-->\n")[2].partition("<!-- lorebank:end")[0]
    return [line.partition(" ([")[0] for line in body.split("\n") if line]


def test_a_question_is_answered_from_the_facts_with_citations(tmp_path: Path) -> None:
    text = reflected(workspace(tmp_path, "question: What is the hull of the Goose made of?"))
    assert text.startswith(
        "---\nquestion: What is the hull of the Goose made of?\n---\n# Q\n\n<!--"
    )
    assert (
        "- 2026-01-20 · The hull of the Goose is made of larch."
        " ([memory/2026-01-20.md#L6](../../memory/2026-01-20.md#L6))\n"
    ).replace("The hull", "Goose: The hull") in text


@pytest.mark.parametrize("page", ["bank/questions/hull.md", "bank/hull.md"])
def test_any_page_of_the_bank_may_ask(tmp_path: Path, page: str) -> None:
    root = workspace(tmp_path, "question: What is the hull of the Goose made of?", page=page)
    assert "made of larch" in reflected(root, page)


def test_what_nothing_answers_is_left_alone(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: Which violin concerto was rehearsed on the moon?")
    before = (root / PLACE).read_bytes()
    reflected(root)
    assert (root / PLACE).read_bytes() == before


def test_an_answer_whose_lines_are_gone_goes(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: What is due?\nwords: [promised]")
    assert answered(reflected(root)) == [
        "- by 2026-03-31 · Ana: Promised Ben to send the keel drawings by the end of March 2026."
    ]
    log = root / "memory" / "2026-01-05.md"
    log.write_text(log.read_text().replace("Promised Ben to send", "Sent Ben"))
    assert reflected(root) == "---\nquestion: What is due?\nwords: [promised]\n---\n# Q\n"


@golden("beliefs.md")
def test_settings_choose_the_lines(tmp_path: Path, settings: str, expected: list[str]) -> None:
    root = workspace(tmp_path, f"question: Zzyzx qux?\n{settings}")
    lines = [line for line in answered(reflected(root)) if line.startswith("- ")]
    assert len(lines) == len(expected)
    assert all(any(part in line for line in lines) for part in expected)


def test_lines_stand_under_whom_they_are_about_newest_first(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: Zzyzx qux?\nkinds: [W, B]\nsince: 2026-01-10")
    assert answered(reflected(root)) == [
        "**Ana**",
        "- by 2026-03-31 · Promised Ben to send the keel drawings by the end of March 2026.",
        "- 2026-03-10 · Flies to Oslo on 10 March 2026.",
        "- 2026-01-20 · Moved to Lisbon.",
        "**Also**",
        "- 2026-01-20 · Ben: I agreed to paint the hull of the Goose in red.",
        "- 2026-01-20 · Goose: The hull of the Goose is made of larch.",
    ]


def test_no_news_no_byte_and_what_is_written_around_the_block_stays(tmp_path: Path) -> None:
    body = "# Q\r\n\r\nmine  \r\n"
    root = workspace(tmp_path, "question: Zzyzx qux?\nkinds: [O]", body=body)
    first = reflected(root)
    (root / PLACE).write_bytes((root / PLACE).read_bytes() + b"below\n")
    second = (root / PLACE).read_bytes()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.reflect(now=date(2026, 3, 1)).changed == ()
    assert (root / PLACE).read_bytes() == second
    assert "mine" in first


def test_an_embedder_that_comes_or_goes_is_no_news(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: What is the ship built from?")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        before = (root / PLACE).read_bytes()
    with Bank.open(root, environ={"LOREBANK_CONFIG": "/nonexistent"}) as bank:
        bank.sync()
        assert bank.reflect().changed == ()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.reflect().changed == ()
    assert (root / PLACE).read_bytes() == before


def test_a_question_that_was_changed_is_asked_anew(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: What is the hull of the Goose made of?")
    assert "larch" in reflected(root)
    page = root / PLACE
    page.write_text(page.read_text().replace("hull of the Goose made of", "tea that Ana prefers"))
    assert "larch" not in reflected(root)
    assert "tea in the morning" in page.read_text()


def test_news_of_other_things_leaves_the_page_alone(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: What is the hull of the Goose made of?")
    before = reflected(root)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.retain("W @Ben: Bought a violin.", day="2026-02-20")
    assert reflected(root) == before


def test_an_earlier_day_is_answered_from_what_was_recorded_then(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: Zzyzx qux?\nwords: [lives, moved]")
    assert answered(reflected(root, day="2026-01-10")) == ["- 2026-01-05 · Ana: Lives in Porto."]
    assert answered(reflected(root)) == ["- 2026-01-20 · Ana: Moved to Lisbon."]


def test_the_own_words_of_standing_pages_and_rules_are_no_evidence(tmp_path: Path) -> None:
    body = "# Q\n\nThe zeppelin harbours a grudge against bagpipes.\n"
    root = workspace(tmp_path, "question: Does the zeppelin harbour a grudge?", body=body)
    (root / "bank" / "directives.md").write_text("- The zeppelin may never harbour a grudge.\n")
    assert answered(reflected(root)) == []


def test_a_page_may_name_as_many_words_as_its_owner_likes() -> None:
    words = tuple(f"word{number}*" for number in range(70))
    page = parse_standing_page(
        f"---\nquestion: What is due?\nwords: {', '.join(words)}\n---\n", PLACE
    )
    assert isinstance(page, StandingPage)
    assert page.words == words


@golden("beliefs.md")
def test_a_setting_that_is_not_understood_is_told(
    tmp_path: Path, setting: str, message: str
) -> None:
    root = workspace(tmp_path, f"question: What of the Goose?\n{setting}")
    before = (root / PLACE).read_bytes()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        report = bank.reflect()
    told = [(p.path, p.line, p.code, p.message) for p in report.problems]
    assert told == [(PLACE, 1, "question-setting", f"{message}; the page was left alone")]
    assert (root / PLACE).read_bytes() == before


def test_the_front_matter_is_read_whole() -> None:
    text = (
        "---\ntitle: Due\nquestion: What is due?\nwords: due, promis*\nkinds: [world, B]\n"
        'entity: "[[Ana]]"\nsince: 90d\nahead: true\nk: 3\ntags: [x]\n---\n'
    )
    assert parse_standing_page(text, PLACE) == StandingPage(
        path=PLACE,
        title="Due",
        question="What is due?",
        words=("due", "promis*"),
        kinds=("W", "B"),
        entity="Ana",
        since="90d",
        ahead=True,
        k=3,
    )
    assert parse_standing_page("---\ntitle: Due\n---\n", PLACE) is None


def test_a_template_of_a_workspace_holds_its_questions_and_no_answers(tmp_path: Path) -> None:
    root = workspace(tmp_path / "root", "question: Zzyzx qux?\nkinds: [O]\nk: 4")
    reflected(root)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.export_template("mine", tmp_path / "mine.zip") == ("template.toml",)
    with Bank.init(tmp_path / "new", template=str(tmp_path / "mine.zip")) as other:
        text = (other.root / PLACE).read_text()
    expected = StandingPage(PLACE, "Q", "Zzyzx qux?", kinds=("O",), k=4)
    assert parse_standing_page(text, PLACE) == expected
    assert "tea" not in text


RULES = """---
tags: [x]
---
# Rules

- Never send a mail without **asking**.
  Not even a short one.
  - Nor a message.

<!--
- not this
-->
## Money
1. Prices are in euro.
2. W @Ana: pays nothing.

```
- nor this
```
<private>
- nor that
</private>
"""


def test_directives_are_the_top_level_items() -> None:
    def place(start: int, end: int) -> Citation:
        return Citation("bank/directives.md", start, end)

    assert parse_directives(RULES, "bank/directives.md") == (
        Directive(
            "Never send a mail without asking. Not even a short one. Nor a message.",
            place(6, 8),
            "Rules",
        ),
        Directive("Prices are in euro.", place(14, 14), "Rules > Money"),
        Directive("W Ana: pays nothing.", place(15, 15), "Rules > Money"),
    )


def test_a_directive_is_no_fact_and_reflect_leaves_it_alone(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: Zzyzx qux?")
    file = root / "bank" / "directives.md"
    file.write_text("# Rules\n\n## Retain\n- O(c=1) @Ana: Dislikes tea in the morning.\n", "utf-8")
    before = file.read_bytes()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        assert [d.text for d in bank.directives()] == ["O(c=1) Ana: Dislikes tea in the morning."]
        assert [o.statement for o in bank.opinions()] == ["Prefers tea in the morning."]
        assert bank.status().directives == bank.directives()
    assert file.read_bytes() == before


def later(root: Path, day: str, *lines: str) -> None:
    (root / "memory" / f"{day}.md").write_text("\n".join(["## Retain", *lines, ""]), "utf-8")


def test_an_answer_lets_go_of_what_is_over_and_keeps_what_the_logs_lost(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: What lies ahead?\nahead: true")
    for day in range(1, 5):
        line = f"- W @Ana: Concert number {day} on {day + 10} March 2026."
        later(root, f"2026-02-0{day + 2}", line)
    assert len(answered(reflected(root))) == 6
    later(root, "2026-03-13", "- W @Ben: Rests.")
    last = date(2026, 3, 14)
    lines = answered(reflected(root, now=last))
    assert len(lines) == 2, "four are over: more than a quarter, and nothing is lost"
    for file in (root / "memory").glob("2026-0[12]-*.md"):
        file.unlink()
    assert answered(reflected(root, now=last)) == lines, (
        "files that are gone are a loss, and held back"
    )


def test_what_lies_ahead_stands_soonest_first_until_its_day_is_over(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: When does Ana fly to Oslo?\nahead: true\nentity: Ana")
    flight = "- 2026-03-10 · Flies to Oslo on 10 March 2026."
    promise = "- by 2026-03-31 · Promised Ben to send the keel drawings by the end of March 2026."
    for day, lines in ((10, [flight, promise]), (11, [promise])):
        told = [
            line.replace("Ana: ", "") for line in answered(reflected(root, now=date(2026, 3, day)))
        ]
        assert [line for line in told if "March" in line] == lines, "though no log is newer"
    assert answered(reflected(root, now=date(2026, 4, 1))) == []


def test_an_opinion_stands_once_in_its_last_words_with_its_confidence(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: What does Ana like?\nkinds: O")
    later(root, "2026-02-10", "- O @Ana: Prefers tea in the morning, green tea.")
    later(root, "2026-02-11", "- W @Ana: Serves tea in the morning.")
    (line,) = answered(reflected(root))
    assert line.startswith("- 2026-02-10 · Ana: Prefers tea in the morning, green tea. · 0.8")


def test_opinions_that_moved_are_told_from_what_to_what(tmp_path: Path) -> None:
    root = workspace(tmp_path, "question: Where did minds change?\nmoved: true")
    assert answered(reflected(root)) == []
    later(root, "2026-02-10", "- O @Ana: No longer prefers tea in the morning.")
    (line,) = answered(reflected(root))
    assert line.startswith("- 2026-02-10 · Ana: Prefers tea in the morning. Now: No longer prefers")
