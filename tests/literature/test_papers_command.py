"""``python tests/benchmarks/papers.py PAPER`` prints and draws what the documents print and draw.

Of liu the figures and the differences of ten seconds are in ``test_liu_space_robot.py``.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from mbsym.codegen.build import find_compiler
from mbsym.errors import ToolchainError

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def papers() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module("papers")
    sys.path.remove(str(BENCHMARKS))


def test_topology_is_printed_and_drawn(papers: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    papers.main(["qi", "yuan", "slides", "--plot", str(tmp_path)])
    text = capsys.readouterr().out
    # Connected bodies after the first four steps, as Qi, Huang and Shao print them.
    for sets in ("{0, 3}", "{0, 1, 3}", "{0, 1, 3}  {2, 4}", "{0, 1, 2, 3, 4}"):
        assert re.search(rf" [abcd] +{re.escape(sets)}\n", text), sets
    assert "3 cut joints: 5, 7, 8" in text
    for rule in ("weight", "ground-first", "depth-first"):
        assert re.search(rf"  {rule} +b e l m t u\n", text), rule
    assert "breadth-first  c d h i p q\n" in text
    assert "omega_5 = omega_0 + Omega_1 + Omega_3 + Omega_5\n" in text
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == [
        "qi_figure_3.svg", "qi_figure_4.svg", "slides_five_bodies.svg", "slides_stanford_arm.svg",
        "slides_virtual_joint.svg", "yuan_figure_1.svg",
    ]  # fmt: skip


@pytest.mark.more
def test_methods_on_the_six_bars_are_compared(
    papers: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        find_compiler()
    except ToolchainError as error:
        pytest.skip(str(error))
    papers.main(["li", "--quick", "--plot", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    gaps: dict[str, list[float]] = {}
    for line in lines:
        found = re.match(r"(.*?), h = \S+ +([\d.]+) s +(\S+) m", line)
        if found:
            gaps.setdefault(found[1].split(",")[0], []).append(float(found[3]))
            # Fox-Euler is of first order and leaves the motion at 0.9 s.
            assert float(found[2]) == papers.QUICK or "Fox-Euler" in line, line
    assert len(gaps["ordinary"]) == 7 and len(gaps["transfer matrices"]) == 16
    # Loops stay closed without correction, but for Wilson's scheme.
    assert sorted(gaps["transfer matrices"])[-2] < 1e-13 < min(gaps["ordinary"][:1])
    assert [path.name.split("_")[1] for path in sorted(tmp_path.iterdir())] == ["2", "3", "4", "5", "6"]


def test_a_name_that_is_none(papers: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as found:
        papers.main(["lee"])
    assert found.value.code == 2 and "use qi, yuan, slides, li, liu" in capsys.readouterr().err
