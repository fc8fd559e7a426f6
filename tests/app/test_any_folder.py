"""Folders of other programs, read where they lie and left as they are."""

import json
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, WorkspaceError
from support import WORDS_ONLY, golden

NOW = date(2026, 3, 31)
PERSON = "---\naliases: [{0}o]\nbirthday: 199{1}-05-04\nstatus: {2}\n---\nKeeps boat {1}.\n"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return WORDS_ONLY | {"XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "vault"
    for folder in (".obsidian", "People", "Days", "Templates"):
        (root / folder).mkdir(parents=True)
    daily = {"folder": "Days", "format": "YYYY-MM-DD dddd", "template": "People/Day"}
    (root / "People" / "Day.md").write_text("---\nbirthday: 2001-01-01\n---\n- W @Ana: y.\n")
    (root / ".obsidian" / "daily-notes.json").write_text(json.dumps(daily))
    (root / ".obsidian" / "templates.json").write_text(json.dumps({"folder": "Templates"}))
    (root / "Templates" / "person.md").write_text("---\nbirthday: 2000-01-01\n---\n- W @Ana: x.\n")
    for number, name in enumerate(("Ana", "Bo", "Cleo")):
        status = "draft" if number else "done"
        (root / "People" / f"{name}.md").write_text(PERSON.format(name, number, status))
    (root / "Ideas.md").write_text("---\nstatus: draft\n---\nA boat house.\n")
    (root / "Days" / "2026-03-02 Monday.md").write_text(
        "Met [[Ana]] at the boat.\n- [ ] call [[Bo]]\n- W @Ana: Rows on Sundays.\n"
    )
    return root


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_a_vault_is_read_in_place_with_properties_as_facts(
    vault: Path, environ: dict[str, str]
) -> None:
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        [hit] = bank.recall("when is the birthday of Bo?", k=1).hits
        assert (hit.content, str(hit.source)) == ("birthday: 1991-05-04", "People/Bo.md#L3")
        assert {e.name: e.aliases for e in bank.entities()} == {
            "Ana": ("Anao",),
            "Bo": ("Boo",),
            "Cleo": ("Cleoo",),
        }
        assert [f.recorded for f in bank.timeline("Ana") if "Rows" in f.content] == [
            date(2026, 3, 2)
        ]
        assert bank.status().form == "Obsidian vault"


def test_a_core_memory_written_into_a_vault_leaves_it_a_vault(
    vault: Path, environ: dict[str, str]
) -> None:
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        bank.memory_write("append", "- Speak plainly to me.\n")
    assert (vault / "memory.md").exists()
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        assert bank.status().form == "Obsidian vault"
        assert bank.recall("when is the birthday of Bo?", k=1).hits[0].content.startswith("birth")
        assert "plainly" in bank.recall("how to speak to me").hits[0].content


def test_a_note_that_is_due_is_shown_by_the_line_that_says_so(
    vault: Path, environ: dict[str, str]
) -> None:
    (vault / "Shed.md").write_text("---\ndue: 2026-02-15\npin: <private>1\n---\nBuild it.\n")
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        hits = bank.recall("what is open?").hits
    assert ("due: 2026-02-15", "Shed.md#L2") in {(h.content, str(h.source)) for h in hits}


def test_a_page_of_somebody_without_typed_lines_tells_what_the_notes_say(
    vault: Path, environ: dict[str, str]
) -> None:
    (vault / "People" / "Bo.md").write_text("---\nbirthday: 1991-05-04\nphone: 9\n---\nRows far.\n")
    (vault / "Days" / "2026-03-04 Wednesday.md").write_text("Rain. [[Bo]] sold the cutter. Wind.\n")
    (vault / "Days" / "2026-03-05 Thursday.md").write_text("<private>[[Bo]] owes me.</private>\n")
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        bank.reflect()
        page = (vault / "bank" / "entities" / "Bo.md").read_text()
        assert "Rows far. ([People/Bo.md#L5]" in page
        assert "- 2026-03-04 · Bo sold the cutter. ([Days/2026-03-04 Wednesday.md#L1]" in page
        assert "owes" not in page
        bank.reflect()
        assert (vault / "bank" / "entities" / "Bo.md").read_text() == page
        assert "From the notes" not in (vault / "bank" / "entities" / "Ana.md").read_text()


def test_any_key_is_a_filter(vault: Path, environ: dict[str, str]) -> None:
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        sources = {hit.source.path for hit in bank.recall("boat status:draft").hits}
        assert sources == {"People/Bo.md", "People/Cleo.md", "Ideas.md"}
        assert bank.recall("boat weather:fine").hits  # no key of any note: a word


def test_reading_writes_nothing_and_reflect_only_into_its_own_folders(
    vault: Path, environ: dict[str, str]
) -> None:
    before = tree(vault)
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        bank.recall("boat")
        bank.search("boat")
        bank.status()
        bank.reflect(dry_run=True)
    assert tree(vault) == before
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        assert bank.reflect().changed
    after = tree(vault)
    assert {path: after[path] for path in before} == before
    assert {path.split("/")[0] for path in after.keys() - before.keys()} == {"bank", ".memory"}


def test_init_makes_only_its_own_folders(vault: Path, environ: dict[str, str]) -> None:
    with Bank.init(vault, environ=environ) as bank:
        assert bank.created == ("bank/", ".memory/")
    assert not (vault / "memory").exists()
    with Bank.open(vault, environ=environ, now=NOW) as bank:
        bank.sync()
        assert len(bank.entities()) == 3


@golden("app.md")
def test_graphs_and_flat_folders(
    tmp_path: Path, environ: dict[str, str], files: dict[str, str], form: str, day: int
) -> None:
    root = tmp_path / "notes"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with Bank.open(root, environ=environ, now=NOW) as bank:
        assert [hit.content for hit in bank.recall("who rows?").hits[:1]] == ["Rows."]
        assert bank.timeline("Ana")[0].recorded == date(2026, 3, day)
        assert bank.status().form.startswith(form)


def test_properties_of_a_graph_are_facts_filters_and_names(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    (tmp_path / "logseq").mkdir()
    (tmp_path / "pages").mkdir()
    (tmp_path / "journals").mkdir()
    (tmp_path / "pages" / "Olga Prats.md").write_text(
        "alias:: Olguinha, [[Tia Olga]]\ntelefone:: 955 <private>123</private>\n"
        "tags:: família, #leitura\n\n- Mora em Tavira.\n"
    )
    (tmp_path / "journals" / "2026_03_02.md").write_text(
        "- Encontrei a [[Olga Prats]].\n  id:: 0f0f0f0f-aaaa-bbbb-cccc-121212121212\n"
        "- [[Nuno]]\n  collapsed:: true\n  ofício:: [[Faroleiro]]\n"
        "- Barco\n  cor:: verde\n- ~~~\n  cor:: azul\n  ~~~\n"
    )
    with Bank.open(tmp_path, environ=environ, now=NOW) as bank:
        assert {(f.content, str(f.citation)) for f in bank.timeline()} == {
            ("telefone: 955", "pages/Olga Prats.md#L2"),
            ("ofício: Faroleiro", "journals/2026_03_02.md#L5"),
        }
        [olga] = [e for e in bank.entities() if e.name == "Olga Prats"]
        assert set(olga.aliases) == {"Olguinha", "Tia Olga"}
        assert "955" in bank.recall("telefone da Olguinha?", k=1).hits[0].content
        said = [hit.content for hit in bank.recall("Olga Barco Nuno cor", k=30).hits]
        assert any(" ".join(text.split()).endswith("Barco cor: verde") for text in said)
        assert any("cor:: azul" in text for text in said)  # code is code
        assert not [t for t in said if "0f0f" in t or "collapsed" in t or "alias" in t]
        [place] = {hit.source.path for hit in bank.recall("Tavira tag:leitura").hits}
        assert place == "pages/Olga Prats.md"


def test_front_matter_gives_names_alone_and_nothing_private(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "Jose.md").write_text(
        "---\naliases: [Zeca]\nphone: <private>912777</private>\n---\nSings.\n"
    )
    (tmp_path / "memory" / "2026-03-02.md").write_text(
        "## Retain\n- W @Jose: Sings.\n- W @Zeca: Dances.\n"
    )
    with Bank.open(tmp_path, environ=environ, now=NOW) as bank:
        assert [(e.name, e.facts) for e in bank.entities()] == [("Jose", 2)]
        assert "912777" not in str(bank.recall("phone of Jose"))


def test_the_one_folder_of_dated_notes_is_read_from_the_folder_above(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    above = tmp_path / "above"
    (above / "diary").mkdir(parents=True)
    (above / "minutes").mkdir()
    (above / "README.md").write_text("- W @Bo: Is nobody's note.\n")
    (above / "minutes" / "2026-01-04-board.md").write_text("- W @Cleo: Chairs the board.\n")
    for day in (2, 3):
        (above / "diary" / f"2026-03-0{day}.md").write_text(f"- W @Ana: Rows boat {day}.\n")
    monkeypatch.chdir(above)
    with Bank.open(environ=environ, now=NOW) as bank:
        assert bank.status().form == "folder of dated notes (diary/)"
        facts = bank.timeline()
        assert {str(f.citation) for f in facts} == {
            "diary/2026-03-02.md#L1",
            "diary/2026-03-03.md#L1",
        }
        assert {f.recorded for f in facts} == {date(2026, 3, 2), date(2026, 3, 3)}
    with Bank.init(above, environ=environ, now=NOW) as bank:
        assert bank.created == ("bank/", ".memory/")
    with Bank.open(above, environ=environ, now=NOW) as bank:
        assert len(bank.timeline()) == 2
        assert bank.retain("W @Ana: Sails.").citation.path == "diary/2026-03-31.md"


@golden("app.md")
def test_a_number_above_twelve_says_which_is_the_day(
    tmp_path: Path, environ: dict[str, str], names: tuple[str, ...], found: str
) -> None:
    for name in names:
        (tmp_path / f"{name}.md").write_text(f"- W @Ana: Rows {name}.\n")
    with Bank.open(tmp_path, environ=environ, now=NOW) as bank:
        assert {str(fact.recorded) for fact in bank.timeline()} == set(found.split())


def test_a_folder_around_a_graph_called_logseq_is_no_graph(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("logseq/journals", "logseq/logseq", "diary"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "diary" / "2026-03-02.md").write_text("- W @Ana: Rows.\n")
    monkeypatch.chdir(tmp_path / "diary")
    with Bank.open(environ=environ, now=NOW) as bank:
        assert bank.root == tmp_path / "diary"


def test_two_diaries_in_a_folder_are_not_chosen_between(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("hers", "his"):
        (tmp_path / name).mkdir()
        for day in (2, 3):
            (tmp_path / name / f"2026-03-0{day}.md").write_text("- W @Ana: Rows.\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorkspaceError):
        Bank.open(environ=environ)


def test_a_workspace_of_our_own_is_not_guessed_at(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "w" / ".obsidian").mkdir(parents=True)
    (tmp_path / "w" / "memory").mkdir()
    with Bank.open(tmp_path / "w", environ=environ) as bank:
        assert bank.status().form == ""
