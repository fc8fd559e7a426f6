"""F77–F98 against a program that is started as qmd is: what it is asked, and what it may break."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from lorebank import Bank, NotFound, PathRefused
from qmd_program import Opener, Program
from support import golden

ROUTER = {
    "file": "qmd://memory-root/memory/router.md",
    "score": 0.8,
    "snippet": "@@ -1,8 @@ (0 before, 0 after)\n# anything\nnot what the file says",
}
DOC = {"file": "qmd://docs/deep/My Doc.md", "score": 0.5, "line": 3, "snippet": "@@ -3,1 @@"}


def _docs(workspace: Path, **more: str) -> str:
    row = {"path": str(workspace.parent / "docs"), "name": "docs", **more}
    return "[{" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in row.items()) + "}]"


def test_f77_the_sidecar_ranks_and_the_files_say_what_is_shown(
    open_bank: Opener, program: Program
) -> None:
    program.finds(ROUTER)
    hits = open_bank().search("router")
    assert [(h.path, h.start_line, h.end_line, h.score, h.heading) for h in hits] == [
        ("memory/router.md", 1, 3, 0.8, "Router")
    ]
    assert hits[0].snippet == "# Router\n\nThe router password is ·······.", "secrets are masked"
    assert (hits[0].provider, hits[0].model, hits[0].fallback) == ("qmd", "search", None)


def test_f77_without_the_setting_nothing_is_started(open_bank: Opener, program: Program) -> None:
    bank = open_bank(backend="builtin")
    assert bank.search("router")[0].provider == "none"
    assert program.calls == []
    assert bank.status().sidecar == {}


def test_f77_private_text_and_files_that_are_no_memory_are_never_shown(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    (workspace / "secret.md").write_text("the router key")
    (workspace / "bank/reflections").mkdir(parents=True)
    (workspace / "bank/reflections/2026-01-01.md").write_text("router")
    (workspace / "memory/link.md").symlink_to(workspace / "secret.md")
    names = ("secret.md", "../x.md", "bank/reflections/2026-01-01.md", "memory/link.md", "gone.md")
    program.finds(
        {**ROUTER, "snippet": "@@ -5,3 @@"},
        *({"file": f"qmd://memory-root/{name}", "line": 1} for name in names),
        {"file": "qmd://another/memory/router.md"},
    )
    assert open_bank().search("router") == ()


def test_f78_a_missing_command_is_named_with_its_remedy(
    open_bank: Opener, program: Program
) -> None:
    bank = open_bank(qmd__command="qmd-that-is-nowhere")
    hit = bank.search("router")[0]
    reason = "the command qmd-that-is-nowhere is not installed"
    assert hit.fallback == f"qmd does not answer ({reason}): the built-in engine does"
    assert bank.status().sidecar["reason"] == reason
    assert program.calls == []


def test_f79_it_has_homes_of_its_own_outside_the_workspace(
    open_bank: Opener, program: Program, workspace: Path, tmp_path: Path
) -> None:
    hostile = workspace / ".qmd"
    hostile.mkdir()
    (hostile / "index.yml").write_text("collections: {x: {path: /, update: touch /tmp/x}}")
    program.finds(ROUTER)
    bank = open_bank()
    bank.search("router")
    home = bank.status().sidecar["home"]
    expected = [home["XDG_CONFIG_HOME"], home["XDG_CACHE_HOME"], None]
    for _, homes, folder in program.records:
        assert homes == expected
        assert folder == Path(folder).anchor, "a .qmd above the folder would be taken for the home"
    assert all(Path(place).is_relative_to(tmp_path / "cache") for place in home.values())


def test_f80_collections_are_added_once_then_updated_and_embedded(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    program.finds(ROUTER, mode="query")
    settings = {"qmd__paths": _docs(workspace), "qmd__search_mode": "query"}
    open_bank(**settings).search("router")
    added = [call for call in program.calls if call[:2] == ["collection", "add"]]
    docs = str(workspace.parent / "docs")
    assert added == [
        ["collection", "add", str(workspace), "--name", "memory-root", "--mask", added[0][-1]],
        ["collection", "add", docs, "--name", "docs", "--mask", "**/*.md"],
    ]
    assert added[0][-1].startswith("{memory.md,MEMORY.md,memory/**/*.md,bank/**/*.md")
    assert [call[0] for call in program.calls[2:]] == ["update", "embed", "query"]
    open_bank(**settings).search("router")
    assert [call[0] for call in program.calls[5:]] == ["query"], "nothing is due so soon"


def test_f80_a_folder_that_is_no_longer_named_is_dropped(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    open_bank(qmd__paths=_docs(workspace), qmd__update__debounce_ms="0").search("router")
    bank = open_bank(qmd__update__debounce_ms="0")
    bank.search("router")
    assert ["collection", "remove", "docs"] in program.calls
    assert bank.status().sidecar["collections"] == ["memory-root"]


def test_f80_a_change_that_another_command_indexed_is_not_forgotten(
    open_bank: Opener, program: Program
) -> None:
    settings = {"qmd__update__debounce_ms": "0"}
    open_bank(**settings).search("router")
    assert program.calls.count(["update"]) == 1
    open_bank(**settings).retain("W @Ada: Keeps bees.", day="2026-01-02")
    open_bank(**settings).search("router")
    assert program.calls.count(["update"]) == 2
    open_bank(**settings).search("router")
    assert program.calls.count(["update"]) == 2, "nothing changed since"


def test_f81_a_server_updates_before_the_first_search_and_again_in_time(
    open_bank: Opener, program: Program
) -> None:
    bank = open_bank(qmd__update__interval="50ms", qmd__update__debounce_ms="0")
    bank.begin_serving()
    assert [call[0] for call in program.calls[:2]] == ["collection", "update"]
    deadline = time.monotonic() + 20
    while len(program.calls) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    bank.close()
    count = len(program.calls)
    time.sleep(0.2)
    assert len(program.calls) == count, "the timer has ended"
    assert {call[0] for call in program.calls} == {"collection", "update"}


@pytest.mark.parametrize(("on_boot", "updates"), [("true", 2), ("false", 1)])
def test_f81_what_is_fresh_is_updated_at_a_start_where_the_setting_says_so(
    open_bank: Opener, program: Program, on_boot: str, updates: int
) -> None:
    settings = {"qmd__update__on_boot": on_boot, "qmd__update__debounce_ms": "0"}
    open_bank(**settings).search("router")
    open_bank(**settings).begin_serving()
    assert program.calls.count(["update"]) == updates


def test_f82_the_first_update_runs_in_the_background_unless_waited_for(
    open_bank: Opener, program: Program
) -> None:
    program.plan(search={"out": json.dumps([ROUTER])}, update={"sleep": 0.3})
    bank = open_bank(qmd__update__wait_for_boot_sync="false")
    hit = bank.search("router")[0]
    assert hit.fallback == (
        "qmd does not answer (its index is being built): the built-in engine does"
    )
    program.wait_for("update")
    deadline = time.monotonic() + 20
    while not bank.status().sidecar["updated"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert bank.search("router")[0].provider == "qmd"
    assert program.calls.count(["update"]) == 1


@pytest.mark.parametrize("mode", ["search", "vsearch", "query"])
def test_f83_the_mode_is_the_command(open_bank: Opener, program: Program, mode: str) -> None:
    program.finds(ROUTER, mode=mode)
    hit = open_bank(qmd__search_mode=mode).search("router password")[0]
    assert hit.model == mode
    assert program.calls[-1] == [mode, "--json", "-n", "20", "--", "router password"]


def test_f83_query_is_asked_where_a_build_rejects_the_flags(
    open_bank: Opener, program: Program
) -> None:
    program.plan(
        search={"err": "error: unknown option '--json'\n", "code": 2},
        query={"out": json.dumps([ROUTER])},
    )
    bank = open_bank()
    assert bank.search("router")[0].model == "query"
    assert bank.search("router")[0].model == "query"
    modes = [call[0] for call in program.calls if call[0] in ("search", "query")]
    assert modes == ["search", "query", "query"], "what was rejected once is not asked again"


def test_f83_offline_only_words_are_searched(open_bank: Opener, program: Program) -> None:
    program.finds(ROUTER)
    bank = open_bank(qmd__search_mode="query", offline=True)
    assert bank.search("router")[0].model == "search"
    assert {call[0] for call in program.calls} == {"collection", "update", "search"}


FAULTS = [
    ({"code": 3, "err": "SqliteError: disk I/O error\n"}, "ended with exit code 3: SqliteError"),
    ({"out": "Segmentation fault"}, "gave no readable answer: no JSON in 'Segmentation fault'"),
    ({"out": '[{"file": "qmd://memo'}, "gave no readable answer: no JSON in"),
    ({}, "gave no readable answer: it printed nothing"),
    ({"sleep": 30}, "search took longer than 0.5 s"),
    ({"out": "x" * 1024, "times": 40_000}, "search printed more than 32 MB"),
]


@pytest.mark.parametrize(("fault", "reason"), FAULTS)
def test_f84_the_built_in_engine_answers_until_it_recovers(
    open_bank: Opener,
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    fault: dict[str, Any],
    reason: str,
) -> None:
    bank = open_bank(qmd__limits__timeout_ms="500" if "sleep" in fault else "20000")
    bank.sync()
    program.plan(search=fault)
    hit = bank.search("router")[0]
    assert (hit.provider, hit.path) == ("none", "memory/router.md")
    assert hit.fallback is not None and reason in hit.fallback
    assert open_bank.warned == [hit.fallback], "said once"
    assert bank.memory_search("no such word").fallback == hit.fallback, (
        "said where nothing is found"
    )
    assert bank.status().backend == "builtin"
    assert reason in bank.status().sidecar["reason"]
    assert bank.status().problems[:1] == bank.fallbacks()
    assert bank.fallbacks()[0].code == "qmd-silent"

    program.finds(ROUTER)
    calls = len(program.calls)
    assert bank.search("router")[0].provider == "none"
    assert len(program.calls) == calls, "it is left alone for a while"

    later = time.time() + 31
    monkeypatch.setattr(time, "time", lambda: later)
    assert bank.search("router")[0].provider == "qmd"
    assert bank.status().backend == "qmd"


def test_f84_a_search_that_finds_nothing_is_no_failure(open_bank: Opener, program: Program) -> None:
    program.plan(search={"out": "No results found.\n"})
    bank = open_bank()
    assert bank.search("zeppelin") == ()
    assert bank.status().backend == "qmd"


def test_f84_an_update_that_fails_is_said_and_what_is_indexed_still_answers(
    open_bank: Opener, program: Program
) -> None:
    bank = open_bank(qmd__update__debounce_ms="0", qmd__update__interval="1ms")
    bank.sync()
    program.plan(search={"out": json.dumps([ROUTER])}, update={"code": 1, "err": "no space\n"})
    time.sleep(0.01)
    assert bank.search("router")[0].provider == "qmd"
    problem = "qmd update failed: exit code 1: no space"
    assert open_bank.warned == [f"qmd: {problem}"]
    assert (bank.status().backend, bank.status().sidecar["problem"]) == ("qmd", problem)


def test_f84_what_a_command_started_ends_with_it(open_bank: Opener, program: Program) -> None:
    bank = open_bank(qmd__limits__timeout_ms="500")
    bank.sync()
    program.path.write_text("#!/bin/sh\n(sleep 60; echo late) &\nsleep 60\n")
    began = time.monotonic()
    assert "took longer than 0.5 s" in (bank.search("router")[0].fallback or "")
    assert time.monotonic() - began < 10


def test_f85_embedding_is_left_to_qmd(open_bank: Opener, program: Program) -> None:
    open_bank(qmd__search_mode="vsearch").sync()
    assert program.calls[-1] == ["embed"]


def test_f86_index_warms_the_same_home_that_searches_use(
    open_bank: Opener, program: Program
) -> None:
    seen: list[str] = []
    bank = open_bank(qmd__update__wait_for_boot_sync="false")
    bank.sync(progress=lambda name, done, total: seen.append(name))
    assert [name for name in seen if name.startswith("qmd")] == ["qmd collections", "qmd update"]
    program.finds(ROUTER)
    assert bank.search("router")[0].provider == "qmd", "ready at the first search"
    homes = bank.status().sidecar["home"]
    assert [homes["XDG_CONFIG_HOME"], homes["XDG_CACHE_HOME"]] == program.records[-1][1][:2]


def test_f86_models_of_the_users_own_qmd_are_used(
    open_bank: Opener, program: Program, tmp_path: Path
) -> None:
    models = tmp_path / "cache/qmd/models"
    models.mkdir(parents=True)
    bank = open_bank()
    bank.sync()
    home = Path(bank.status().sidecar["home"]["XDG_CACHE_HOME"])
    assert (home / "qmd/models").resolve() == models


def test_f87_the_command_may_be_a_path(open_bank: Opener, program: Program, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    program.path.rename(other)
    program.finds(ROUTER)
    assert open_bank(qmd__command=str(other)).search("router")[0].provider == "qmd"


def test_f88_the_default_memory_can_be_left_out(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    bank = open_bank(qmd__paths=_docs(workspace), qmd__include_default_memory="false")
    bank.sync()
    assert bank.status().sidecar["collections"] == ["docs"]
    nothing = open_bank(qmd__include_default_memory="false")
    assert "no folder of memory.qmd exists" in (nothing.search("router")[0].fallback or "")


def test_f89_paths_have_a_pattern_and_a_stable_name(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    file = workspace.parent / "docs/deep/My Doc.md"
    rows = (
        f'[{{path = "{workspace.parent / "docs"}", pattern = "deep/*.md", name = "docs"}}, '
        f'{{path = "{file}"}}, {{path = "/nowhere"}}, {{path = "drafts"}}]'
    )
    (workspace / "drafts").mkdir()
    open_bank(qmd__paths=rows).sync()
    added = [
        (call[4], call[2], call[6]) for call in program.calls if call[:2] == ["collection", "add"]
    ]
    assert added[1:] == [
        ("docs", str(workspace.parent / "docs"), "deep/*.md"),
        ("custom-2", str(file.parent), "My Doc.md"),
        ("custom-4", str(workspace / "drafts"), "**/*.md"),
    ]


def test_f89_extra_paths_of_the_workspace_are_searched_under_their_own_names(
    program: Program, workspace: Path, environ: dict[str, str]
) -> None:
    docs = workspace.parent / "docs"
    (workspace / "wiki").mkdir()
    (workspace / "wiki/a.md").write_text("A wiki page.")
    environ |= {"LOREBANK_WORKSPACE__EXTRA_PATHS": f"wiki, {docs}"}
    program.finds(
        {"file": "qmd://memory-root/wiki/a.md"}, {"file": "qmd://extra-1/deep/My Doc.md", "line": 3}
    )
    with Bank.open(workspace, environ=environ) as bank:
        hits = bank.search("page")
        assert [hit.path for hit in hits] == ["wiki/a.md", f"{docs}/deep/My Doc.md"]
        assert bank.get(hits[1].path).text == "# Quagga\n\nThe quagga is back.\n"
    assert ",wiki/**/*.md}" in program.calls[0][-1]


def test_f92_results_snippets_and_their_sum_are_limited(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    rows = []
    for number in range(9):
        name = f"memory/{number}.md"
        (workspace / name).write_text(f"word {number} " * 100)
        rows.append({"file": f"qmd://memory-root/{name}", "score": 1 - number / 10})
    program.finds(*rows)
    limits = {"max_snippet_chars": "200", "max_injected_chars": "500"}
    settings = {f"qmd__limits__{key}": value for key, value in limits.items()}
    sizes = [len(hit.snippet) for hit in open_bank(**settings).search("word", k=9)]
    assert len(sizes) == 3 and max(sizes) <= 200 and sum(sizes) <= 500
    assert len(open_bank().search("word", k=9)) == 6, "max_results"
    assert len(open_bank().search("word", k=2)) == 2
    assert len(open_bank().search("word", k=9, min_score=0.75)) == 3


def test_f92_a_path_is_searched_alone(open_bank: Opener, program: Program, workspace: Path) -> None:
    program.finds(ROUTER, {"file": "qmd://memory-root/memory.md", "line": 3}, DOC)
    bank = open_bank(qmd__paths=_docs(workspace))
    found = {
        path: [hit.path for hit in bank.search("x", path=path)] for path in ("memory/", "qmd/docs")
    }
    assert found == {"memory/": ["memory/router.md"], "qmd/docs": ["qmd/docs/deep/My Doc.md"]}


def test_f96_hits_elsewhere_bear_their_collection_and_can_be_read(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    program.finds(DOC)
    bank = open_bank(qmd__paths=_docs(workspace))
    hit = bank.search("quagga")[0]
    assert (hit.path, str(hit.source)) == ("qmd/docs/deep/My Doc.md", "qmd/docs/deep/My Doc.md#L3")
    assert bank.get(str(hit.source)).text == "The quagga is back."
    assert bank.get(hit.path).text == "# Quagga\n\nThe quagga is back.\n"


def test_f96_paths_that_old_versions_spell_anew_are_found(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    program.finds({**DOC, "file": "qmd://docs/deep/my-doc.md"})
    bank = open_bank(qmd__paths=_docs(workspace))
    assert bank.search("quagga")[0].path == "qmd/docs/deep/My Doc.md"


@golden("qmd.md")
def test_f96_nothing_outside_a_collection_is_read(
    open_bank: Opener, workspace: Path, path: str
) -> None:
    docs = workspace.parent / "docs"
    (workspace.parent / "secret.md").write_text("secret")
    (docs / "link.md").symlink_to(workspace.parent / "secret.md")
    (docs / "folder").symlink_to(workspace.parent)
    with pytest.raises(PathRefused):
        open_bank(qmd__paths=_docs(workspace)).get(path)


def test_f96_an_unknown_collection_is_named(open_bank: Opener, workspace: Path) -> None:
    with pytest.raises(NotFound, match="no collection 'dcs'"):
        open_bank(qmd__paths=_docs(workspace)).get("qmd/dcs/a.md")
    with pytest.raises(PathRefused):
        open_bank(backend="builtin").get("qmd/docs/deep/My Doc.md")


@pytest.mark.parametrize(("citations", "cites"), [("auto", True), ("on", True), ("off", False)])
def test_f97_hits_of_the_sidecar_are_cited_as_all_are(
    open_bank: Opener, program: Program, workspace: Path, citations: str, cites: bool
) -> None:
    program.finds(DOC)
    bank = open_bank(qmd__paths=_docs(workspace), citations=citations)
    found = bank.memory_search("quagga")
    source = "\n\nSource: qmd/docs/deep/My Doc.md#L3"
    assert found.hits[0].snippet == "The quagga is back." + (source if cites else "")
    assert found.hits[0].path == "qmd/docs/deep/My Doc.md"
    assert bool(found.note) is not cites


def test_f98_status_and_answers_name_the_engine(open_bank: Opener, program: Program) -> None:
    program.finds(ROUTER)
    bank = open_bank()
    assert bank.status().backend == "builtin", "not before it is ready"
    assert bank.memory_search("router").backend == "qmd"
    status = bank.status()
    assert (status.backend, status.sidecar["mode"], status.sidecar["reason"]) == (
        "qmd",
        "search",
        "",
    )
    assert status.to_dict()["backend"] == "qmd"
    program.path.unlink()
    assert bank.memory_search("router").backend == "builtin"
    assert bank.status().backend == "builtin"
    assert open_bank(backend="builtin").status().backend == "builtin"


def test_f93_the_scope_holds_whichever_engine_answers(open_bank: Opener, program: Program) -> None:
    program.finds(ROUTER)
    for backend in ("qmd", "builtin"):
        bank = open_bank(backend=backend)
        assert bank.memory_search("router", session_key="agent:main:telegram:direct:7").hits
        assert bank.memory_search("router", session_key="discord:channel:7").hits == ()
        assert bank.memory_search("router").hits, "without a key the caller answers for it"


def test_f95_a_denied_search_is_warned_of_with_channel_and_chat_type(
    open_bank: Opener, program: Program
) -> None:
    denied = open_bank().memory_search("router", session_key="agent:main:discord:channel:7")
    line = "memory_search is denied here by memory.scope (channel discord, chat type channel)"
    assert (denied.hits, denied.note) == ((), line)
    assert open_bank.warned == [line]
    assert program.calls == [], "nothing was asked"
