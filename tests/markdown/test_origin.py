"""Origins: of folder, front matter and mark the least trusted counts; marks read back."""

from datetime import date

from lorebank.domain.facts import Origin
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.facts import extract_facts
from lorebank.markdown.origin import file_origin
from lorebank.trust.quarantine import format_confirmation, parse_confirmations
from support import golden


@golden("markdown.md")
def test_a_mark_at_the_end_of_a_line_says_whose_word_it_is(
    line: str, content: str, origin: Origin
) -> None:
    found = extract_facts(
        read_document(f"## Retain\n{line}\n", "memory/x.md"), recorded=date(2026, 1, 1)
    )
    (fact,) = found.facts
    assert (" ".join(fact.content.split()), fact.origin) == (content, origin)
    again = extract_facts(
        read_document(f"## Retain\n{format_fact(fact)}\n", "memory/x.md"), recorded=date(2026, 1, 1)
    ).facts[0]
    assert (again.id, again.origin, again.marks) == (fact.id, fact.origin, fact.marks)


@golden("markdown.md")
def test_nothing_vouches_for_itself(
    path: str,
    written: str | list[str] | None,
    folders: tuple[tuple[str, str], ...],
    expected: Origin,
) -> None:
    front_matter = {} if written is None else {"origin": written}
    assert file_origin(path, front_matter, folders) == (expected, ())


def test_an_unknown_origin_is_reported_and_lowers_nothing() -> None:
    origin, problems = file_origin("memory/a.md", {"origin": "Lisbon"}, ())
    assert (origin, [p.code for p in problems]) == (Origin.OWNER, ["origin-unknown"])


def test_confirmations_read_back_and_the_rest_is_reported() -> None:
    text = (
        "# Confirmed\n\nprose\n\n"
        "- confirm f-1a2b3c4d5e (2026-01-04: memory/a.md#L3: asked her)\n"
        "- confirm `memory/imported/My notes.md` (2026-01-04)\n"
        "- confirm all imported\n"
        "- confirm all owner\n"
        "- something else\n"
    )
    found, problems = parse_confirmations(text, "bank/confirmed.md")
    assert [(c.target.value, c.value, c.citation.start_line) for c in found] == [
        ("id", "f-1a2b3c4d5e", 5),
        ("path", "memory/imported/My notes.md", 6),
        ("origin", "imported", 7),
    ]
    assert [(p.line, p.code) for p in problems] == [
        (8, "confirmation-unread"),
        (9, "confirmation-unread"),
    ]
    assert [format_confirmation(c) for c in found] == text.split("\n")[4:7]
