"""Lengths of model files, beside those of the same mechanisms in Modelica's standard library.

    python tests/benchmarks/model_lengths.py [--modelica CHECKOUT] [--write]

Lines that are not empty and characters that are no blanks, without comments; of Modelica without annotations and
strings, which say what is drawn and what for. With --modelica
the files of a checkout are counted anew, and what differs from the numbers that stand here is told. With --write the
table goes into docs/comparison.md.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sweep import put

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "comparison.md"
LIBRARY: Final = "Modelica/Mechanics/MultiBody/Examples"


@dataclass(frozen=True, slots=True)
class Row:
    """A mechanism.

    Attributes:
        title: what it is.
        files: that describe it, from the top of the repository.
        modelica: files that describe it there, below ``LIBRARY``.
        there: their lines and characters in version 4.1.0.
    """

    title: str
    files: tuple[str, ...]
    modelica: tuple[str, ...] = ()
    there: tuple[int, int] | None = None


def _bundled(*names: str) -> tuple[str, ...]:
    return tuple(f"mbsym/examples/{name}.yaml" for name in names)


ROWS: Final = (
    Row("double pendulum", ("examples/modelica/double_pendulum.yaml",), ("Elementary/DoublePendulum.mo",), (20, 824)),
    Row(
        "pendulum on a spring",
        ("examples/modelica/spring_pendulum.yaml",),
        ("Elementary/PendulumWithSpringDamper.mo",),
        (42, 1212),
    ),
    Row("wheel that rolls", ("examples/modelica/rolling_wheel.yaml",), ("Elementary/RollingWheel.mo",), (19, 408)),
    Row("four-bar in space", ("examples/modelica/fourbar.yaml",), ("Loops/Fourbar1.mo",), (46, 1513)),
    Row(
        "crank, rod and piston",
        ("examples/modelica/engine.yaml",),
        ("Loops/Engine1a.mo", "Loops/Utilities/Engine1Base.mo"),
        (73, 2153),
    ),
    Row(
        "arm of a robot",
        ("examples/modelica/robot.yaml",),
        ("Systems/RobotR3/Utilities/MechanicalStructure.mo",),
        (194, 4242),
    ),
    Row("`cam_valve`", _bundled("cam_valve")),
    Row("`rotating_beam`", _bundled("rotating_beam")),
    Row("`engine`, on `driven_slider_crank`", _bundled("engine", "driven_slider_crank", "slider_crank")),
    Row("`bicycle`", _bundled("bicycle")),
    Row("`hydraulic_excavator`", _bundled("hydraulic_excavator")),
    Row("`quadruped_on_ground`, on `quadruped`", _bundled("quadruped_on_ground", "quadruped")),
    Row(
        "[a car](contacts.md#a-car)",
        tuple(f"examples/car/{name}.yaml" for name in ("car", "front_corner", "rear_corner")),
    ),
)


def of_model(text: str) -> tuple[int, int]:
    """Lines and characters of a model file."""
    return _counted(re.sub(r"(^|\s)#.*", "", text, flags=re.MULTILINE))


def of_modelica(text: str) -> tuple[int, int]:
    """Lines and characters of a Modelica file."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', "", text, flags=re.DOTALL)
    while found := re.search(r"\bannotation\s*\(", text):
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        text = text[: found.start()] + text[end:]
    return _counted(re.sub(r"^\s*;", "", text, flags=re.MULTILINE))


def _counted(text: str) -> tuple[int, int]:
    return sum(bool(line.strip()) for line in text.splitlines()), len("".join(text.split()))


def _sum(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    lines, characters = zip(*counts, strict=True)
    return sum(lines), sum(characters)


def table() -> list[str]:
    """The table of the page."""
    lines = ["| mechanism | lines | characters | lines in Modelica | characters |", "|---|---|---|---|---|"]
    for row in ROWS:
        own = _sum(of_model((ROOT / file).read_text(encoding="utf-8")) for file in row.files)
        lines.append(f"| {' | '.join(map(str, (row.title, *own, *(row.there or ('', '')))))} |")
    return lines


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modelica", type=Path, help="a checkout of the Modelica Standard Library")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    print(*table(), sep="\n")
    for row in ROWS if asked.modelica else ():
        files = (asked.modelica / LIBRARY / name for name in row.modelica)
        if (
            row.there
            and (counted := _sum(of_modelica(file.read_text(encoding="utf-8")) for file in files)) != row.there
        ):
            print(f"{row.title}: {counted} there, not {row.there}")
    if asked.write:
        put("lengths of models", table(), PAGE)


if __name__ == "__main__":
    main()
