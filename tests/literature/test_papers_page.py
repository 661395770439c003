"""Every row of docs/papers.md names a command and a test that exist, and no cell of it is empty; what else it says."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.cli.application import VERBS, command_of
from mbsym.simulation.options import Accuracy
from mechanisms.paper_rows import HEADER, PAGE, PLACES, ROOT, rounded_up, rows


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
    _, _, name = text.partition("::")
    defined = functions_of(text)
    assert name in defined if name else any(each.startswith("test_") for each in defined), text


@cache
def functions_of(test: str) -> dict[str, tuple[str, ...]]:
    """Arguments of the functions of a test's file, by name."""
    head, _, rest = test.partition("::")[0].partition("/")
    tree = ast.parse((ROOT / PLACES[head] / rest).read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return {node.name: tuple(item.arg for item in node.args.args) for node in functions}


def test_all_five_documents_are_there() -> None:
    headings = re.findall(r"^## (.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert [heading.split(":")[0].split(",")[0] for heading in headings] == ["Qi", "Yuan", "Slides", "Li", "Liu"]
    assert len(rows()) >= 71


def test_no_cell_is_empty() -> None:
    for row in rows():
        assert len(row.cells) == len(HEADER) and all(row.cells), f"line {row.line}"


def test_every_command_and_test_exists() -> None:
    for row in rows():
        for kind, check, cell in (("command", check_command, row.cells[1]), ("test", check_test, row.cells[2])):
            assert re.fullmatch(r"`[^`]+`", cell), f"line {row.line}: the {kind}"
            check(cell.strip("`"))


def test_every_figure_is_what_the_named_test_measures() -> None:
    """The test takes the fixture that fails where it measures more: at most one number stands in a cell."""
    for row in rows():
        test = row.cells[2].strip("`")
        measures = "agreement" in functions_of(test).get(test.partition("::")[2], ())
        assert len(row.figures) <= measures, f"line {row.line}: {row.cells[3]}"
        assert len(re.findall(r"\de-\d", row.cells[3])) == len(row.figures), f"line {row.line}: {row.cells[3]}"


@pytest.mark.parametrize(("measured", "figure"), [(0.0, "6e-16"), (1.01e-13, "4e-13"), (3.2e-9, "1e-8")])
def test_figures_are_rounded_up(measured: float, figure: str) -> None:
    assert rounded_up(measured) == figure
    assert float(figure) >= 3 * measured


def test_a_figure_that_is_too_good_is_found(
    agreement: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MBSYM_FIGURES", raising=False)
    monkeypatch.setattr("mechanisms.paper_rows.told", lambda test: 1e-9)
    agreement(1e-9)
    with pytest.raises(AssertionError, match="tells 1e-09 of"):
        agreement(1.1e-9)


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


def test_equal_bars_run_to_the_end_at_tight_tolerance(agreement: Callable[[object], None]) -> None:
    # Angles of bars 2 and 8 at 10 s by extended precision; double precision reaches 1e-9 there and 1e-5 at 20 s.
    result = mbsym.simulate("rhombus_planar", 20.0, output_step=10.0, accuracy=Accuracy(1e-11))
    assert result.t[-1] == 20.0
    angle_2, angle_8 = result.q[:, 0], result.q[:, :4].sum(axis=1)
    turn = 2 * np.pi
    error = max(abs(angle_2[1] + 1.682302948482), abs((angle_8[1] - 0.932144098603 + np.pi) % turn - np.pi))
    assert error < 1e-8
    agreement(error)
    assert abs(angle_2[2] + 1.909619037298) < 1e-3
    assert len(result.singular) == 31
