"""Builds the wheel, installs it into an empty environment, and does the main job with it there.

    python tests/packaging/try_wheel.py

Exits with 1 and the output of the step that failed.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
STEPS = (
    ["init", "notes"],
    ["-w", "notes", "retain", "O(c=0.9) @Peter: Prefers tea in the afternoon."],
    ["-w", "notes", "recall", "what does Peter prefer?"],
    ["-w", "notes", "reflect"],
    ["-w", "notes", "status"],
    ["-w", "notes", "connect", "cursor", "--file", "mcp.json"],
    ["demo"],
)


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        run([sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)], folder)
        venv.create(folder / "env", with_pip=True)
        scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        wheel = next(folder.glob("*.whl"))
        run([str(scripts / "pip"), "install", "--quiet", str(wheel)], folder)
        outputs = [run([str(scripts / "lorebank"), *step], folder) for step in STEPS]
    if "Prefers tea in the afternoon." not in outputs[2]:
        print(f"recall did not find what was retained:\n{outputs[2]}")
        return 1
    print(
        f"{wheel.name}: init, retain, recall, reflect, status, connect and demo work when installed"
    )
    return 0


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, text=True, capture_output=True)
    if done.returncode:
        print(f"{' '.join(command)}\nexited with {done.returncode}\n{done.stdout}{done.stderr}")
        raise SystemExit(1)
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
