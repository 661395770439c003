"""What is going to be printed is held against another derivation before a file is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import mbsym
import mbsym.stages
from mbsym.codegen import lower, lower_loops, lowered
from mbsym.codegen.c import pieces, placing
from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import Argument
from mbsym.codegen.expressions import (
    Array,
    Call,
    Constant,
    Element,
    Expression,
    Place,
    Quotient,
    Span,
    Sum,
    Variable,
    combined,
    operands,
)
from mbsym.codegen.lowered import LoweredFunction, LoweredStep
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.statements import For, Function, Invoke, Statement, Store, Threads
from mbsym.consumers.export import export
from mbsym.errors import ProofError, SymbolicError
from mbsym.forces.joint_friction import JointFriction
from mbsym.kinematics import regrouping, sliding
from mbsym.model.system import Model
from mbsym.proof import printed
from mbsym.proof.printed import _Scene
from mbsym.proof.steps import Steps
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import OperationCount
from mechanisms.benchmark_chains import benchmark_chain
from mechanisms.trees import chain, tree_model


def proof_of(directory: Path) -> dict[str, Any]:
    """What the manifest of the only module in a directory says was proven."""
    (manifest,) = directory.glob("*.json")
    found: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))["proof"]
    return found


def test_every_function_of_a_tree_is_proven(tmp_path: Path) -> None:
    mbsym.generate("puma560", tmp_path)
    proof = proof_of(tmp_path)
    assert proof["not_proven"] == {}
    assert proof["equal_to"]["forward_dynamics"] == "kane"
    assert len(proof["equal_to"]) == 14


def test_what_iterates_is_named(tmp_path: Path) -> None:
    mbsym.generate("four_bar", tmp_path)
    proof = proof_of(tmp_path)
    assert "iterates" in proof["not_proven"]["project_position"]
    assert proof["equal_to"]["constraint_jacobian"] == "plain"
    assert not set(proof["equal_to"]) & set(proof["not_proven"])


PREPARED: dict[str, Any] = {"prepare": True, "symbolic_parameters": "all"}
GIVEN: dict[str, Any] = {"trigonometry": "argument"}
INLINE: dict[str, Any] = {"trigonometry": "inline", "batch": ("all",)}
SHARED: dict[str, Any] = {"style": "shared", "functions": ("inverse_dynamics", "mass_matrix", "momentum")}
COMPRESSED: dict[str, Any] = {"derivatives": (("inverse_dynamics", ("q", "v")),), "compressed": True}
IN_LANES: dict[str, Any] = {"formulation": "cfa-serial", "functions": ("forward_dynamics",)}


@pytest.mark.parametrize("options", [PREPARED, GIVEN, INLINE, SHARED, COMPRESSED, {"formulation": "kane"}], ids=str)
def test_functions_are_proven_however_they_are_written(options: dict[str, Any], tmp_path: Path) -> None:
    mbsym.generate("planar_3r" if options is COMPRESSED else "puma560", tmp_path, **options)
    proof = proof_of(tmp_path)
    assert proof["not_proven"] == {} and proof["equal_to"]


def test_exports_and_compiled_models_are_proven(tmp_path: Path) -> None:
    export("double_pendulum", "casadi", tmp_path)
    assert proof_of(tmp_path)["equal_to"]
    assert mbsym.compile("double_pendulum", ["mass_matrix"]).manifest["proof"]["equal_to"] == {"mass_matrix": "kane"}


def test_functions_that_the_field_does_not_know_need_equal_arguments_alone(tmp_path: Path) -> None:
    model = mbsym.examples.load("cart_pole")
    friction = JointFriction("rubbing", "rail", 3)
    mbsym.generate(replace(model, forces=(*model.forces, friction)), tmp_path)
    assert proof_of(tmp_path)["not_proven"] == {}


# ---- faults -------------------------------------------------------------------------------------------------------


def refused(tmp_path: Path, model: Model | str, options: dict[str, Any]) -> ProofError:
    """The error that a generation ends with; nothing is written."""
    with pytest.raises(ProofError) as caught:
        mbsym.generate(model, tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()
    return caught.value


def changed(monkeypatch: pytest.MonkeyPatch, place: Any, name: str, change: Callable[[Any], Any]) -> None:
    """Changes what a function returns."""
    function = getattr(place, name)
    monkeypatch.setattr(place, name, lambda *given, **named: change(function(*given, **named)))


def test_the_least_that_shows_a_fault_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regrouping, "_difference", lambda own, moved: own)  # what moves stays there as well
    error = refused(tmp_path, "puma560", {**INLINE, "functions": ("mass_matrix",)})
    assert "simplify=('regroup',)" in str(error)
    assert not any(other in str(error) for other in ("inline", "batch", "slide"))
    assert error.exit_status == 1


def test_a_fault_in_sliding_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, sliding, "_slid_body", lambda body: replace(body, inertia=body.inertia + body.inertia))
    assert "simplify=('slide',)" in str(refused(tmp_path, "puma560", {"functions": ("mass_matrix",)}))


def test_a_fault_in_a_pass_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, mbsym.stages.simplify, "optimise", lambda pair: (another_sign(pair[0]), pair[1]))
    assert refused(tmp_path, "double_pendulum", {"functions": ("bias_force",)}).function == "bias_force"


def another_sign(program: Any) -> Any:
    """The program with the sign of its last entry turned round."""
    *others, last = program.outputs
    return replace(program, outputs=(*others, replace(last, values=(*last.values[:-1], -last.values[-1]))))


def test_a_fault_in_preparing_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(
        monkeypatch, mbsym.stages.signatures, "prepared", lambda programs: (another_sign(programs[0]), *programs[1:])
    )
    assert "prepare=True" in str(refused(tmp_path, "puma560", {**PREPARED, "functions": ("inverse_dynamics",)}))


def test_a_fault_in_given_sines_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(
        monkeypatch,
        mbsym.stages.signatures,
        "with_given_sines",
        lambda programs: (another_sign(programs[0]), *programs[1:]),
    )
    assert "trigonometry='argument'" in str(refused(tmp_path, "double_pendulum", GIVEN))


def test_a_fault_in_compressing_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, mbsym.stages.signatures, "compress", another_sign)
    error = refused(tmp_path, "planar_3r", COMPRESSED)
    assert error.function == "inverse_dynamics_by_q_v" and "compressed=True" in str(error)


def test_a_fault_in_lowering_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, lower, "ordered_sum", lambda total: Sum(total.terms[:-1]) if total.terms[2:] else total)
    refused(tmp_path, "puma560", {"functions": ("inverse_dynamics",)})


def test_a_fault_with_results_beyond_all_floats_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reciprocals that are none make numbers grow from body to body: no state has a finite result."""
    changed(monkeypatch, lower._Lowering, "_quotient", lambda found: (Quotient(*operands(found[0])[::-1]), *found[1:]))
    refused(tmp_path, "space_robot", {"functions": ("forward_dynamics",)})


def test_a_fault_in_shared_steps_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, lower_loops._Lowering, "_places", lambda places: (*places[:-1], max(places[-1] - 1, 0)))
    with pytest.raises((ProofError, SymbolicError)):
        mbsym.generate("quadruped", tmp_path / "new", style="shared", functions=("inverse_dynamics",))
    assert not (tmp_path / "new").exists()


def test_a_fault_in_lanes_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_sign(loop: pieces.Loop) -> pieces.Loop:
        first, *others = loop.statements
        return replace(loop, statements=(replace(first, expression=lower.negated(first.expression)), *others))

    changed(monkeypatch, placing.Placing, "_loop", other_sign)
    assert ", in C," in str(refused(tmp_path, benchmark_chain(8), {**IN_LANES, "simplify": "none"}))


def test_lanes_read_what_they_wrote_themselves() -> None:
    """Entries are read where they stand: after a statement that fills them, what that put there."""
    graph = Graph()
    loop = pieces.Loop(
        title="two alike sections",
        lanes=2,
        width=2,
        table=((Constant(Fraction(7)), Constant(Fraction(9))),),
        common=(),
        statements=(
            lowered.Store(pieces.SHARED, 0, Element(pieces.NUMBERS, 0)),
            lowered.Store(pieces.SHARED, 2, Element(pieces.SHARED, 0)),
        ),
        operations=0,
    )
    shared: list[Any] = [graph.const(Fraction(1)), graph.const(Fraction(2)), None, None]
    printed._run_lanes(loop, _Scene(graph), shared)
    assert shared == [graph.const(Fraction(number)) for number in (7, 9, 7, 9)]


def test_constants_of_a_result_fill_all_of_it() -> None:
    """C copies them over every entry, those that were stored before included."""
    graph = Graph()
    result = lowered.Result("M", (2,), (Variable("m"), Constant(Fraction(3))))
    m, zero, three = graph.symbol("m"), graph.const(Fraction(0)), graph.const(Fraction(3))
    constants, entry = lowered.StoreConstants(result), lowered.Store("M", 0, Variable("m"))
    for statements, expected in (([constants, entry], [m, three]), ([entry, constants], [zero, three])):
        found: list[Any] = [None, None]
        printed._run(statements, _Scene(graph, {"m": m}), {"M": found})
        assert found == expected


def test_a_sum_inside_a_sum_is_read_as_it_is_written() -> None:
    a, b, c = (Variable(name) for name in "abc")
    scene = _Scene(Graph())
    scene.variables = {name: scene.graph.symbol(name) for name in "abc"}
    nested = Sum(((False, a), (True, Sum(((False, b), (False, c))))))
    assert CPrinter("double").expression(nested) == "a - (b + c)"
    total = scene.graph.add(scene.variables["b"], scene.variables["c"])
    assert scene.value(nested) == scene.graph.add(scene.variables["a"], -total)


def test_steps_are_followed_over_residues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No node for any call, and none for what it is held against."""
    monkeypatch.setattr(printed, "_followed", None)
    mbsym.generate("puma560", tmp_path, style="shared")
    proof = proof_of(tmp_path)
    assert proof["not_proven"] == {} and proof["equal_to"]["mass_matrix"] == "kane" and proof["points"] == 1


def test_a_wrong_entry_of_a_matrix_with_too_many_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = lower_loops._Lowering._table

    def other_table(self: Any, name: str, rows: Any, *about: Any) -> Any:
        return table(self, name, other_start(rows) if name == "inner_items" else rows, *about)

    monkeypatch.setattr(lower_loops._Lowering, "_table", other_table)
    assert refused(tmp_path, "planar_3r", {**SHARED, "functions": ("mass_matrix",)}).function == "mass_matrix"


def other_start(items: list[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Items of pairs of which the first goes where the second one goes."""
    first, *others = items
    return ((first[0], *items[1][1:3], *first[3:]), *others)


def test_steps_with_functions_that_the_field_does_not_know_are_followed_over_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = mbsym.examples.load("cart_pole")
    asked: list[object] = []
    followed = printed._followed

    def noted(*given: Any) -> Any:
        asked.append(given)
        return followed(*given)

    monkeypatch.setattr(printed, "_followed", noted)
    rubbing = replace(model, forces=(*model.forces, JointFriction("rubbing", "rail", 3)))
    mbsym.generate(rubbing, tmp_path, style="shared", functions=("inverse_dynamics",))
    assert proof_of(tmp_path)["equal_to"] == {"inverse_dynamics": "kane"} and asked


@pytest.mark.parametrize("faulty", ["straight", "in C"])
def test_each_way_of_what_others_take_is_held(faulty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace that is right in one language and wrong in the other."""
    ways = printed._ways

    def with_fault(module: Any, function: Any, scene: Any, languages: Any) -> Iterator[tuple[str, Any]]:
        found = dict(ways(module, function, scene, languages))
        if function.name == "prepare":
            found.setdefault("in C", found["straight"])
        for way, results in found.items():
            ((name, entries),) = results.items() if function.name == "prepare" else [("", [])]
            yield way, {name: [-entries[0], *entries[1:]]} if name and way == faulty else results

    monkeypatch.setattr(printed, "_ways", with_fault)
    options = {**PREPARED, "trigonometry": "inline", "functions": ("gravity_force",)}
    assert "is not what" in str(refused(tmp_path, "puma560", options))


@pytest.mark.more
def test_what_rounding_moves_as_far_is_not_called_a_defect(tmp_path: Path) -> None:
    """Bodies get heavier outward, so that moments that were moved inward cancel: six digits are left of sixteen."""
    options: dict[str, Any] = {**SHARED, "functions": ("forward_dynamics",)}
    mbsym.generate(tree_model(chain(120), ["revolute"] * 120), tmp_path, **options)
    assert "rounding moves its results as far" in proof_of(tmp_path)["not_proven"]["forward_dynamics"]


@pytest.mark.more
def test_a_defect_among_rounded_numbers_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heavier = tree_model(chain(24), ["revolute"] * 24)
    options: dict[str, Any] = {**SHARED, "functions": ("mass_matrix",), "simplify": ("regroup",)}
    mbsym.generate(heavier, tmp_path / "right", **options)
    assert "were rounded" in proof_of(tmp_path / "right")["not_proven"]["mass_matrix"]
    monkeypatch.setattr(regrouping, "_difference", lambda own, moved: own)
    assert refused(tmp_path, heavier, options).function == "mass_matrix"


def _unfollowed() -> list[Statement]:
    """A sum into a result, and rounds from the last to the first, by one thread and by several."""
    entry = Place(Array("tau", (1,), writable=True), (Span(Constant(0, "int"), Constant(1, "int"), is_whole=True),))
    down = For(Variable("k"), Constant(2, "int"), Constant(0, "int"), True, (), is_shared=True)
    return [Store(entry, "+=", entry), replace(down, is_shared=False), Threads(2, (down,))]


def _steps(statements: tuple[Statement, ...], size: int = 1, **asked: Any) -> Steps:
    """A function of one result whose loops are these; its one step returns what it is given."""
    nothing = LoweredFunction((), (), frozenset(), (), OperationCount(), 0)
    body = replace(nothing, loops=Function(body=statements), steps=(LoweredStep("same", (), (), nothing),))
    function = ModuleFunction("f", "f", "", (), (Argument("tau", "out", (size,)),), ("tau",), body)
    return Steps(body, function, Graph(), {"given": [1]}, {}, **asked)


@pytest.mark.parametrize("statement", _unfollowed(), ids=["sum", "down", "down, shared"])
@pytest.mark.parametrize("last_first", [False, True])
def test_what_would_be_followed_in_another_way_is_refused(statement: Statement, last_first: bool) -> None:
    with pytest.raises(SymbolicError, match=r"(Store|For) cannot be followed"):
        _steps((statement,), last_first=last_first).results(lambda step: lambda inputs: (), abreast=True)


@pytest.mark.parametrize(("first", "others", "beside"), [(0, (1, 3), "-"), (2, (0, 2), "+")])
@pytest.mark.parametrize("last_first", [False, True])
def test_rounds_for_threads_wait_for_none_before_them_or_behind(
    first: int, others: tuple[int, int], beside: str, last_first: bool
) -> None:
    """Each entry is the one beside it, whose round comes before or behind: only one order of rounds does without."""

    def entry(array: str, size: int, place: Expression) -> Place:
        stop = combined("+", place, Constant(1, "int"))
        return Place(Array(array, (size,), writable=True), (Span(place, stop, is_whole=False),))

    def copied(goal: Expression, source: Place) -> Invoke:
        return Invoke((entry("tau", 3, goal),), "=", Call("same", (source,)))

    k = Variable("k", "int")
    start, stop = (Constant(number, "int") for number in others)
    body = copied(k, entry("tau", 3, combined(beside, k, Constant(1, "int"))))
    begin = copied(Constant(first, "int"), entry("given", 1, Constant(0, "int")))
    steps = _steps(
        (begin, Threads(2, (For(k, start, stop, False, (body,), is_shared=True),))), 3, last_first=last_first
    )
    if (beside == "+") == last_first:
        assert steps.results(lambda step: lambda inputs: inputs, abreast=True) == {"tau": [1, 1, 1]}
    else:
        with pytest.raises(SymbolicError, match="tau is read before it is written"):
            steps.results(lambda step: lambda inputs: inputs, abreast=True)


def test_functions_for_threads_are_followed_in_both_orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders: list[bool] = []

    class Noted(Steps):
        def __init__(self, *given: Any, last_first: bool) -> None:
            orders.append(last_first)
            super().__init__(*given, last_first=last_first)

    monkeypatch.setattr(printed, "Steps", Noted)
    options: dict[str, Any] = {**SHARED, "formulation": "cfa-parallel", "functions": ("forward_dynamics",)}
    mbsym.generate("quadruped", tmp_path / "one", **options)
    assert orders and not any(orders)
    mbsym.generate("quadruped", tmp_path / "two", threads=2, **options)
    assert any(orders)
