"""Tables of a model: how they are read, written and joined, what is refused, and pieces beside SciPy's."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import Model, Table
from mbsym.cli.application import main
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.errors import CodegenError, FormatError, ModelError, SymbolicError
from mbsym.formats.native import read_native
from mbsym.formats.native.text import dump_native
from mbsym.formats.text_source import TextSource
from mbsym.model.submodels import with_submodel
from mbsym.model.validate import require_valid
from mbsym.reference.tables import table_values
from mbsym.symbolic.differentiate import gradient
from mbsym.symbolic.equality import compare
from mbsym.symbolic.evaluator import Evaluator
from mbsym.symbolic.given_functions import PieceNumber
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.values import table_pieces
from mbsym.values.table import Between
from mbsym.values.table_pieces import coefficients, definitions
from mbsym.verification.beyond import check_tables
from mbsym.verification.checks import Worst
from mechanisms.curves import EVEN, UNEVEN, scipys, slider, tables

CART = """name: cart
bodies:
  cart: {mass: 2e-3}
joints:
  rail: {type: prismatic, from: ground, to: cart, axis: x, coordinates: s, speeds: v}
tables:
  gas: {x: [0, 0.001, 0.002, 0.004], y: [0.3, 0.1, 0.05, 0.02], between: cubic}
  spring: {x: [-pi/1000, 0, 0.001, 0.003], y: [-1, 0, 0.5, 3], between: spline, outside: extrapolate}
  drag: {x: [-1, 0, 1], y: [0, 0.01], z: [[-1, -2], [0, 0], [1, 2]]}
forces:
  push: {type: joint_force, joint: rail, expression: "gas(s) - 2*spring(s) - drag(v, abs(s))"}
outputs:
  pressure: gas(s)/3
"""


def cart(text: str = CART) -> Model:
    return read_native(TextSource("cart.yaml", text))


def program(table: Table) -> Program:
    """A table of one argument with its derivatives up to the third."""
    graph = Graph()
    graph.definitions = definitions((table,))
    x = graph.symbol("x")
    values = [graph.function(table.name, x)]
    for _ in range(3):
        values += gradient(graph, values[-1], [x])
    return Program("curve", graph, (Input("x", (), (x,)),), (Output("y", (4,), tuple(values)),))


# ---- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [item for item in tables() if not item.z], ids=str)
def test_derivatives_are_those_of_the_pieces(table: Table) -> None:
    x = np.concatenate([np.random.default_rng(2).uniform(-3, 4, 300), [-1.0 - 1e-12, 2.0 + 1e-12]])
    found = interpret(program(table), {"x": x})["y"]
    alone = Evaluator(program(table))
    assert np.array_equal([alone([each])["y"] for each in x], found)
    for order in range(4):
        if order > 1 and table.between == "linear":
            assert not found[:, order].any()
            continue
        expected = scipys(table, x, x, order) if len(table.x) > 2 or order < 2 else np.zeros_like(x)
        allowed = 1e-13 * max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(found[:, order], expected, rtol=0, atol=allowed)


@pytest.mark.parametrize("between", ["linear", "cubic"])
def test_points_that_nearly_meet(between: Between) -> None:
    """Points are the doubles that code compares with, not the decimals they print: slopes of short pieces feel that."""
    random = np.random.default_rng(3)
    x = 1000 + np.sort(random.uniform(0, 1, 30))
    x[7] = x[6] + 1e-8
    table = Table("f", x, random.uniform(-1, 1, 30), between=between, outside="extrapolate")
    at = np.concatenate([random.uniform(1000, 1001, 300), x[6] + np.linspace(0, 1e-8, 9)])
    np.testing.assert_allclose(
        interpret(program(table), {"x": at})["y"][:, 0], scipys(table, at, at), rtol=0, atol=1e-14
    )


def test_a_certificate_looks_at_every_piece() -> None:
    """Also at those that no random state meets; a coefficient that is off is seen."""
    given, worst = tables(), Worst()
    check_tables(worst, given, "c")
    assert len(worst.found) == len(given)
    assert all(check.passed for check in worst.found.values())
    wrong = Worst()
    spline = next(item for item in given if item.between == "spline" and len(item.x) > 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_pieces, "_smooth", lambda lengths, slopes: [*slopes, slopes[-1]])
        coefficients.cache_clear()
        check_tables(wrong, (spline,), "c")
    coefficients.cache_clear()
    assert not next(iter(wrong.found.values())).passed


def test_a_monotone_cubic_overshoots_nowhere_and_a_spline_does() -> None:
    points, steps = (0, 1, 2, 3, 4), (0, 0, 1, 1, 1)
    x = np.linspace(0, 4, 1001)
    cubic, spline = (
        interpret(program(Table("f", points, steps, between=between)), {"x": x})["y"][:, 0]
        for between in ("cubic", "spline")
    )
    assert cubic.min() == 0.0
    assert cubic.max() == 1.0
    assert spline.max() > 1.05


def test_numbers_of_other_tables_are_told_apart() -> None:
    """In the field a table is an unknown function, and its numbers are part of which one."""
    one, other = (program(Table("f", (0, 1, 2), values)) for values in ((0, 1, 3), (0, 1, 4)))
    assert compare(one, one)
    assert not compare(one, other)


def test_even_points_are_found_out() -> None:
    for points, is_even in ((EVEN, True), (UNEVEN, False), (np.arange(0, 7, 0.1), True), ((0, 1, 2.001, 3), False)):
        assert (PieceNumber("f_piece", tuple(map(float, points)), "f_start").spacing is not None) == is_even


def test_step_functions_travel_to_other_processes() -> None:
    given = program(Table("f", (0, 1, 3), (0, 1, 3), between="spline"))
    again = pickle.loads(pickle.dumps(given))
    assert np.array_equal(interpret(again, {"x": [0.4, 2.0]})["y"], interpret(given, {"x": [0.4, 2.0]})["y"])


def test_closed_forms_name_them() -> None:
    """Formulas that people read say gas(s); numbers follow all the same, derivatives do not."""
    equations = mbsym.derive(cart())
    assert str(equations.bias_force[0]) == "drag(v, Abs(s)) - gas(s) + 2*spring(s)"
    form = equations.form("bias_force").program
    state = {"q": [[0.0015], [0.5]], "v": [[0.3], [-7.0]]}
    found = interpret(form, {item.name: state[item.name] for item in form.inputs})
    gas, spring, drag = (table_values(item) for item in cart().tables)
    expected = [drag(v, s) - gas(s) + 2 * spring(s) for s, v in ((0.0015, 0.3), (0.5, -7.0))]
    np.testing.assert_allclose(next(iter(found.values())).ravel(), expected, rtol=1e-13)
    graph = form.graph
    with pytest.raises(SymbolicError, match="no derivative is known of"):
        gradient(graph, form.outputs[0].values[0], form.inputs[0].symbols)


# ---- models ----------------------------------------------------------------------------------------------------------


def test_they_are_read_and_written() -> None:
    model = cart()
    assert model.tables[0] == Table("gas", (0, 0.001, 0.002, 0.004), (0.3, 0.1, 0.05, 0.02), between="cubic")
    assert model.tables[1].x[0] == -np.pi / 1000
    assert model.tables[2].arguments == 2
    assert cart(dump_native(model)) == model
    many = replace(
        model, tables=tuple(Table(item.name, item.x * 1, item.y, item.z) for item in tables()), forces=(), outputs=()
    )
    text = dump_native(many)
    assert cart(text) == many
    assert max(map(len, text.splitlines())) < 120


def test_points_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "gas.csv").write_text(
        "# measured in June\nt, angle , pressure\n0, 0, 0.3\n1, 0.001, 0.1\n\n2, 2e-3, 5e-2\n"
    )
    file = tmp_path / "cart.yaml"
    given = "gas: {x: [0, 0.001, 0.002, 0.004], y: [0.3, 0.1, 0.05, 0.02], between: cubic}"
    for entry in ("{csv: gas.csv, columns: [angle, pressure], between: cubic}", "{csv: gas.csv, columns: [t, angle]}"):
        file.write_text(CART.replace(given, f"gas: {entry}"))
        x, y = ((0, 0.001, 0.002), (0.3, 0.1, 0.05)) if "cubic" in entry else ((0, 1, 2), (0, 0.001, 0.002))
        assert mbsym.load(file).tables[0] == Table("gas", x, y, between="cubic" if "cubic" in entry else "linear")
    text = dump_native(mbsym.load(file))
    assert "csv" not in text
    assert cart(text) == mbsym.load(file)


def test_they_are_repeated_with_an_index() -> None:
    repeated = "repeat: {to: 2, tables: {c<i>: {x: [0, <i>], y: [0, 1]}}, outputs: {y<i>: c<i>(s)}}"
    model = cart(f"{CART}{repeated}\n")
    assert [(item.name, item.x) for item in model.tables[3:]] == [("c1", (0, 1)), ("c2", (0, 2))]


def test_their_numbers_are_part_of_the_hash(tmp_path: Path) -> None:
    hashes = set()
    for number in ("0.02", "0.02000000000000001"):
        mbsym.generate(cart(CART.replace("0.02]", f"{number}]")), tmp_path, languages=("c",), force=True)
        hashes.add(read_manifest(tmp_path)["model_sha256"])
    assert len(hashes) == 2


def test_of_a_part_they_have_its_prefix(tmp_path: Path) -> None:
    whole = with_submodel(Model("whole"), cart(), "left_")
    whole = with_submodel(whole, cart(), "right_")
    assert [item.name for item in whole.tables][:3] == ["left_gas", "left_spring", "left_drag"]
    assert whole.forces[1].expressions == (
        "right_gas(right_s) - 2*right_spring(right_s) - right_drag(right_v, abs(right_s))",
    )
    require_valid(whole)
    (tmp_path / "cart.yaml").write_text(CART)
    (tmp_path / "whole.yaml").write_text("name: whole\ninclude: {left: cart.yaml, right: cart.yaml}\n")
    assert mbsym.load(tmp_path / "whole.yaml").tables == whole.tables
    (tmp_path / "cart.yaml").write_text(CART.replace("0.002, 0.004]", "0.002, 0.001]"))
    with pytest.raises(FormatError) as refused:
        mbsym.load(tmp_path / "whole.yaml")
    assert re.search(r"cart\.yaml:7:30$", refused.value.where)


def test_they_are_certified_in_the_mechanisms_own_units(tmp_path: Path) -> None:
    """A cart of two grams on a rail of millimetres; arguments and values of its tables stay in SI."""
    mbsym.generate(cart(), tmp_path, derivatives=(("outputs", ("q",)), ("inverse_dynamics", ("q", "v"))))
    certificate = mbsym.verify(tmp_path)
    assert certificate.passed
    assert {check.language for check in certificate.checks if check.function == "tables"} == {"c", "numpy"}


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [("cart.c", "cart_gas_value[3] = {\n    0.3, 0.1", "cart_gas_value[3] = {\n    0.3, 0.10000000000000002"),
     ("cart.py", "    [0.3, 0.1, 0.05],", "    [0.3, 0.10000000000000002, 0.05],")],
)  # fmt: skip
def test_another_number_in_a_text_is_no_certified_one(tmp_path: Path, file: str, before: str, after: str) -> None:
    """Random states meet few pieces of a long table, so that all of its numbers are read back."""
    mbsym.generate(cart(), tmp_path)
    text = (tmp_path / file).read_text()
    assert before in text
    (tmp_path / file).write_text(text.replace(before, after))
    wrong = [check.function for check in mbsym.verify(tmp_path).checks if not check.passed]
    assert [name for name in wrong if re.search(r"gas_value", name)]


def test_info_tells_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cart.yaml"
    file.write_text(CART)
    assert main(["info", str(file)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"gas\(x\) +0 to 0.004 +4 +cubic +hold\n", out)
    assert re.search(r"drag\(x, y\) +-1 to 1 and 0 to 0.01 +3 x 2 +linear +hold\n", out)
    assert main(["info", str(file), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["tables"]
    assert listed[0] == {"name": "gas", "arguments": [[0, 0.004]], "points": 4, "between": "cubic", "outside": "hold"}


def test_two_names_that_become_one_in_code_are_refused(tmp_path: Path) -> None:
    both = (Table("α", (0, 1, 3), (0, 1, 7)), Table("alpha", (0, 1, 3), (0, 2, 7)))
    with pytest.raises(CodegenError, match="two tables become 'alpha_"):
        mbsym.generate(slider(both), tmp_path)


# ---- mistakes --------------------------------------------------------------------------------------------------------

GAS = "{x: [0, 0.001, 0.002, 0.004], y: [0.3, 0.1, 0.05, 0.02], between: cubic}"


@pytest.mark.parametrize(
    ("entry", "place", "what"),
    [
        ("{x: [0, 1, 1], y: [1, 2, 3]}", "7:19", "the points of table 'gas' do not increase: 1 follows 1"),
        ("{x: [0], y: [1]}", "7:12", "table 'gas' has 1 point"),
        ("{x: [], y: []}", "7:12", "table 'gas' has no points"),
        ("{x: [0, 1, 2], y: [1, 2]}", "7:26", "table 'gas' has 3 points and 2 values"),
        ("{x: [0, .inf, 2], y: [1, 2, 3]}", "7:16", ".inf is not a finite number"),
        ("{x: [0, a, 2], y: [1, 2, 3]}", "7:16", "unknown name a"),
        ("{x: 3, y: [4]}", "7:12", "no list where numbers belong"),
        ("{y: [1, 2]}", "7:8", "a table without points"),
        ("{x: [0, 1], y: [1, 2], between: cubics}", "7:40", "'cubics' is not known here"),
        ("{x: [0, 1], y: [1, 2], outside: keep}", "7:40", "'keep' is not known here"),
        ("{x: [0, 1], y: [1, 2], z: [[1, 2]]}", "7:34", "table 'gas' has 2 points of its first argument and 1 rows"),
        ("{x: [0, 1], y: [1, 2], z: [[1, 2], [1]]}", "7:43", "row 2 of table 'gas' has 2 points and 1 values"),
        ("{x: [0, 1], y: [1, 2], z: [[1, 2], [1, 2]], between: spline}", "7:61", "takes two arguments and is spline"),
        ("{x: [0, 1], y: [1, 2], columns: [a, b]}", "7:31", "'columns' without a file"),
        ("{csv: none.csv}", "7:14", "there is no file"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_place(entry: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as refused:
        cart(CART.replace(GAS, entry))
    assert refused.value.where == f"cart.yaml:{place}"
    assert what in refused.value.what
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("entry", "place", "what"),
    [
        ("{csv: gas.csv, columns: [angle, presure]}", "cart.yaml:7:40", "gas.csv has no column 'presure'"),
        ("{csv: gas.csv, columns: [angle]}", "cart.yaml:7:32", "1 columns where two belong"),
        ("{csv: gas.csv, x: [1]}", "cart.yaml:7:23", "'x' beside a file"),
        ("{csv: gas.csv, columns: [angle, note]}", "gas.csv:4:1", "'warm' where a number belongs"),
        ("{csv: gas.csv, columns: [angle, late]}", "gas.csv:5:1", "no number in column 5"),
        ("{csv: gas.csv, columns: [noise, angle]}", "gas.csv:5:1", "do not increase: 0.5 follows 1"),
        ("{csv: gas.csv, columns: [angle, noise]}", "", ""),
        ("{csv: one.csv}", "one.csv:1:1", "table 'gas' has 1 point"),
    ],
)  # fmt: skip
def test_mistakes_in_files_of_values_are_told_there(tmp_path: Path, entry: str, place: str, what: str) -> None:
    rows = ("angle,pressure,noise,note,late", "0,1,0,0,0", "# half", "1,2,1,warm,1", "2,3,0.5,3")
    (tmp_path / "gas.csv").write_text("\n".join(rows))
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    (tmp_path / "cart.yaml").write_text(CART.replace(GAS, entry))
    if not what:
        assert len(mbsym.load(tmp_path / "cart.yaml").tables[0].x) == 3
        return
    with pytest.raises(FormatError) as refused:
        mbsym.load(tmp_path / "cart.yaml")
    assert refused.value.where == f"{tmp_path}/{place}"
    assert what in refused.value.what
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("before", "after", "place", "what"),
    [
        ("gas(s) -", "gas(s, v) -", "11:54", "gas of 2 arguments"),
        ("drag(v, abs(s))", "drag(v)", "11:78", "drag of 1 arguments"),
        ("gas(s) -", "gas -", "11:54", "function gas lacks its argument"),
        ("gas(s) -", "gaz(s) -", "11:54", "unknown function gaz"),
        ("mass: 2e-3", "mass: gas(1)", "3:16", "unknown function gas"),
        ("  gas: {", "  sin: {", "7:3", "the name 'sin' of a table has a meaning"),
        ("  gas: {", "  position: {", "7:3", "table 'position' has the name of a quantity of frames"),
        ("tables:", "parameters: {gas: 3}\ntables:", "8:3", "table 'gas' has the name of a parameter"),
        ("  pressure: gas(s)/3", "  gas: 2*s", "13:3", "output 'gas' has the name of a table"),
        (", coordinates: s, speeds: v}", "}", "11:59", "unknown name s"),
    ],
)  # fmt: skip
def test_mistakes_about_their_names(before: str, after: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as refused:
        cart(CART.replace(before, after))
    assert (refused.value.where, what) == (f"cart.yaml:{place}", what)
    assert what in refused.value.what
    assert refused.value.remedy


def test_mistakes_in_python() -> None:
    with pytest.raises(ModelError, match="table 'f' holds what is no number"):
        Table("f", ["a"], [1])  # type: ignore[arg-type, list-item]
    with pytest.raises(ModelError) as refused:
        require_valid(replace(cart(), tables=(*cart().tables, Table("q_rail", (0, np.nan), (1, 2)))))
    assert refused.value.where == "cart: tables[3].x[1]"
    with pytest.raises(ModelError, match="between of table 'f' is 'akima'"):
        require_valid(slider((Table("f", (0, 1), (1, 2), between="akima"),)))  # type: ignore[arg-type]
