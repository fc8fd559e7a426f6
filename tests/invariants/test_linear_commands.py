"""What two logs hold costs sync, reflect and agenda time in proportion to its length.

Each text is given twice, the second time ten times as long, and the CPU times of the commands are
compared: a loaded machine slows both. What a quadratic step adds shows at these lengths; a file in
which more is read than the shorter one holds (dates beyond a few thousand) only costs less.
"""

import subprocess
import sys
from pathlib import Path

import pytest

TEXTS = {
    "facts about one": (
        "'## Retain\\n' + ''.join(f'- W @Bob: Moored boat {i} at berth {i * 7}.\\n'"
        " for i in range(n // 40))"
    ),
    "weekdays without spaces": "'星期一' * (n // 9)",
    "a list": "'  - a\\n' * (n // 6)",
    "dates to come": "''.join(f'{1 + i % 28} March {2026 + i // 28} ' for i in range(n // 13))",
    "weekdays": "'am Montag und am Dienstag ' * (n // 26)",
}
"""Of `n` bytes."""
SHORT, TIMES = 10_000, 10
MOST = 14
"""CPU times as long for a text ten times as long: 1 to 11 were measured on a busy machine."""
FLOOR_S = 0.15
"""CPU of a command that begins, of which short texts take most: less is noise."""
resource = pytest.importorskip("resource", reason="Windows cannot limit CPU time")
CPU_SECONDS = 120
PROGRAM = """
import sys, time
from datetime import date
from pathlib import Path
from lorebank import Bank

NOW = date(2025, 2, 1)
def cpu_times(text, root):
    (root / "memory").mkdir(parents=True)
    for day in ("2025-01-01", "2025-01-02"):
        (root / f"memory/{day}.md").write_text(text.replace("boat", f"boat {day}/"), "utf-8")
    times = {}
    with Bank.open(root, environ={"LOREBANK_EMBEDDER__PROVIDER": "none"}) as bank:
        for name, ask in (
            ("sync", lambda: bank.sync(embed=False)),
            ("reflect", lambda: bank.reflect(now=NOW)),
            ("agenda", lambda: bank.agenda(now=NOW)),
        ):
            begun = time.process_time()
            ask()
            times[name] = time.process_time() - begun
    return times

cpu_times("On 3 March it rained.\\n", Path("warm"))
short = cpu_times(eval(TEXT, {"n": SHORT}), Path("short"))
long = cpu_times(eval(TEXT, {"n": SHORT * TIMES}), Path("long"))
for name in short:
    ratio = long[name] / max(short[name], FLOOR_S)
    print(name, round(short[name], 3), round(long[name], 3), flush=True)
    assert ratio <= MOST, f"{name} takes {ratio:.0f} times as long"
print("done")
"""


def limit_cpu() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


@pytest.mark.parametrize("name", TEXTS)
def test_commands_take_time_in_proportion_to_a_file(name: str, tmp_path: Path) -> None:
    program = tmp_path / "commands.py"
    known = {"TEXT": TEXTS[name], "SHORT": SHORT, "TIMES": TIMES, "MOST": MOST, "FLOOR_S": FLOOR_S}
    values = "".join(f"{key} = {value!r}\n" for key, value in known.items())
    program.write_text(values + PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        preexec_fn=limit_cpu,
        cwd=tmp_path,
    )
    assert done.stdout.endswith("done\n"), f"{done.stdout}\n{done.stderr[-2000:]}"
