"""Every row of docs/papers.md names a command and a test that exist, and no cell of it is empty; what else it says."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.cli.application import VERBS, command_of
from mbsym.simulation.options import Accuracy

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "papers.md"
HEADER = ("what", "command", "test", "agreement", "deviation")
PLACES = {"golden": "tests/golden", "lit": "tests/literature", "phys": "tests/physics", "unit": "tests/unit"}


def rows() -> list[tuple[int, list[str]]]:
    """Line number and cells of each row of the tables of items."""
    found: list[tuple[int, list[str]]] = []
    inside = False
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), start=1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if tuple(cells) == HEADER:
            inside = True
        elif not cells:
            inside = False
        elif inside and not set(line) <= set("|-"):
            found.append((number, cells))
    return found


@cache
def options_of(verb: str) -> frozenset[str]:
    """What the verb takes besides the model."""
    assert verb in VERBS, verb
    return frozenset(name for parameter in command_of(verb).params for name in parameter.opts)


def check_command(text: str) -> None:
    words = shlex.split(text)
    if words[0] == "python":
        assert (ROOT / words[1]).is_file(), words[1]
        return
    assert words[0] == "mbsym"
    options = [word for word in words[2:] if word.startswith("-")]
    assert not [option for option in options if option not in options_of(words[1])], text
    if words[2] in examples.names() or (ROOT / words[2]).is_file():
        return
    pytest.fail(f"{words[2]} is no bundled model, and no file")


def check_test(text: str) -> None:
    path, _, name = text.partition("::")
    head, _, rest = path.partition("/")
    file = ROOT / PLACES[head] / rest
    tree = ast.parse(file.read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name in defined if name else any(each.startswith("test_") for each in defined), text


def test_all_five_documents_are_there() -> None:
    headings = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [heading.split(":")[0].split(",")[0] for heading in headings] == ["Qi", "Yuan", "Slides", "Li", "Liu"]
    assert len(rows()) >= 71


def test_no_cell_is_empty() -> None:
    for number, cells in rows():
        assert len(cells) == len(HEADER) and all(cells), f"line {number}"


def test_every_command_and_test_exists() -> None:
    for number, (_, command, test, _, _) in rows():
        for kind, check, cell in (("command", check_command, command), ("test", check_test, test)):
            assert re.fullmatch(r"`[^`]+`", cell), f"line {number}: the {kind}"
            check(cell.strip("`"))


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (check_command, "mbsym label qi_small --ordre input"),
        (check_command, "python tests/benchmarks/nothing.py"),
        (check_test, "lit/test_qi_topology.py::test_nothing"),
    ],
)
def test_a_name_that_is_gone_is_found(check: object, text: str) -> None:
    assert callable(check)
    with pytest.raises(AssertionError):
        check(text)


def test_the_stanford_arm_is_a_chain_of_six() -> None:
    labelling = examples.load("stanford_arm").label()
    assert labelling.inboard == (0, 1, 2, 3, 4, 5)
    assert labelling.joint_names == ("H1", "H2", "H3", "H4", "H5", "H6")
    assert not labelling.cut_joints


def test_the_space_robot_is_a_base_with_two_arms() -> None:
    labelling = examples.load("space_robot").label()
    children = [labelling.inboard.count(body) for body in range(labelling.nb + 1)]
    assert sorted(children, reverse=True)[:2] == [2, 1]
    assert [len(level) for level in labelling.levels] == [1, 2, 2, 2, 2, 2, 2]


def test_equal_bars_run_to_the_end_at_tight_tolerance() -> None:
    # Angles of bars 2 and 8 at 10 s by extended precision; double precision reaches 1e-9 there and 1e-5 at 20 s.
    result = mbsym.simulate("rhombus_planar", 20.0, output_step=10.0, accuracy=Accuracy(1e-11))
    assert result.t[-1] == 20.0
    angle_2, angle_8 = result.q[:, 0], result.q[:, :4].sum(axis=1)
    turn = 2 * np.pi
    np.testing.assert_allclose(angle_2[1], -1.682302948482, rtol=0, atol=1e-8)
    np.testing.assert_allclose((angle_8[1] - 0.932144098603 + np.pi) % turn, np.pi, rtol=0, atol=1e-8)
    assert abs(angle_2[2] + 1.909619037298) < 1e-3
    assert len(result.singular) == 31
