"""Faults that checks themselves could have: what is no number, a side that is skipped, a tolerance that is ignored."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbsym.codegen.description import Argument
from mbsym.codegen.load import LoadedFunction, LoadedModule
from mbsym.codegen.lowered_module import ModuleFunction
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.statuses import Status
from mbsym.errors import VerificationError
from mbsym.formats.native import read_native
from mbsym.formats.text_source import TextSource
from mbsym.pipeline import generate
from mbsym.symbolic.domains import Guard
from mbsym.symbolic.graph import Graph
from mbsym.symbolic.program import Input, Output, Program
from mbsym.verification.anew import Anew, derived_anew
from mbsym.verification.certificate import verify
from mbsym.verification.checks import OWN_EQUATIONS, READ_BACK, Check, Worst, relative_error, require_checked
from mbsym.verification.conditions import Condition, conditions_of, squares
from mbsym.verification.coverage import Coverage, sentences
from mbsym.verification.edge_states import EdgeSearch
from mbsym.verification.far_states import FAR, far_states, not_finite_states, spoilt_states
from mbsym.verification.loop_checks import check_loops, singular_positions
from mbsym.verification.loop_solutions import Terms, solution
from mbsym.verification.read_back import read_back_c, read_back_numpy
from mbsym.verification.text_checks import Texts, check_texts, compare_texts, expect, over_allowance
from mechanisms.examples import further
from mechanisms.overconstrained import parallel_cranks
from mechanisms.random_mechanisms import random_closed_loops
from mechanisms.scaled import scaled

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("found", [NAN, INF, -INF])
def test_what_is_not_finite_equals_nothing(found: float) -> None:
    assert relative_error([found], np.array([1.0])) == INF
    assert relative_error([1.0], np.array([found])) == INF
    assert over_allowance(np.abs(np.array([found])), np.array([1.0]))[0] == INF
    assert not Check("f", "c", "reference", NAN, 1.0, 0).passed
    worst = Worst()
    worst.note("f", "c", "reference", NAN, 1e-10, 3)
    worst.note("f", "c", "reference", 0.0, 1e-10, 4)
    (check,) = worst.found.values()
    assert not check.passed and check.state == 3


def test_errors_count_by_what_is_allowed_for_each() -> None:
    """The worst is the one farthest beyond its own allowance, not the largest."""
    worst = Worst()
    worst.note("f", "c", "reference", 1e-3, 1.0, 0)
    worst.note("f", "c", "reference", 1e-8, 1e-10, 1)
    (check,) = worst.found.values()
    assert check.state == 1 and not check.passed
    assert relative_error([1e6], np.array([1e6 + 1])) == pytest.approx(1e-6, rel=1e-3)
    assert relative_error([1e-12], np.array([0.0])) == 1e-12


def test_a_text_that_is_as_its_equations_has_not_been_checked() -> None:
    function = LoadedFunction("f", (), (), (), lambda inputs, parameters: np.zeros(0))
    module = LoadedModule("c", {}, {"f": function})
    with pytest.raises(VerificationError, match="f has no check"):
        require_checked([module], [Check("f", "c", OWN_EQUATIONS, 0.0, 1.0, 0)])
    require_checked([module], [Check("f", "c", "reference", 0.0, 1.0, 0)])


def test_sides_of_conditions() -> None:
    values = np.array([-2.0, -0.5, 0.0, 0.5, 2.0, NAN])
    sides = {
        "select": [False, False, False, True, True, False],
        "nonzero": [True, False, False, False, True, False],
        "not negative": [False, False, True, True, True, False],
        "within one": [False, True, True, True, False, False],
    }
    for kind, above in sides.items():
        condition = Condition(5, kind, 1.0 if kind == "nonzero" else 0.0, "")  # type: ignore[arg-type]
        assert condition.is_above(values).tolist() == above, kind
    divisor = Condition(5, "nonzero", 1.0, "")
    doubtful = divisor.is_doubtful(np.array([0.5, 0.9, 1.1, 1.5]), np.zeros(4))
    assert doubtful.tolist() == [False, True, True, False]
    zero = Condition(5, "select", 0.0, "")
    assert zero.is_doubtful(np.array([0.0, 1e-9]), np.array([0.0, 1e-8])).tolist() == [False, True]


def _branching() -> Program:
    """x where x - 1/2 > 0, else x^2; and the length of (x, y)."""
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    chosen = graph.select(graph.sub(x, graph.const(Fraction(1, 2))), x, graph.mul(x, x))
    length = graph.function("sqrt", graph.add(graph.mul(x, x), graph.mul(y, y)))
    return Program(
        "f", graph, (Input("q", (2,), (x, y)),), (Output("r", (2,), (chosen, graph.div(chosen, length))),), ()
    )


def test_states_are_found_on_both_sides_of_each_condition() -> None:
    from mbsym.symbolic.domains import guards

    program = _branching()
    found = conditions_of(program, guards(program))
    assert [condition.kind for condition in found] == ["select", "nonzero"]
    coverage = Coverage()
    for condition in found:
        states = EdgeSearch(program, np.random.default_rng(0)).states(condition)
        assert len(states["q"]) > 2
        values = _values(program, condition, states)
        assert set(condition.is_above(values).tolist()) == {True, False}
        nearest = np.abs(np.abs(values) - condition.bound)[condition.is_above(values)].min()
        assert nearest < 1e-5 if condition.kind == "select" else nearest < condition.bound
        # Beside the border itself there are two states on each side.
        assert min((values != values[0])[condition.is_above(values) == side].sum() for side in (True, False)) >= 1
        coverage.note_conditions("f", [condition], values[:, None])
    (own,) = coverage.functions()
    assert (own.sides, own.taken, own.left) == (4, 4, ())
    # A length touches zero without crossing it: both of its parts must vanish.
    (length,) = (condition for condition in found if condition.kind == "nonzero")
    assert len(squares(program.graph, length.value)) == 2


def test_where_a_value_is_the_same_everywhere_no_border_is_found() -> None:
    """Without a slope no step is made: only a value that is zero there already is at its border."""
    graph = Graph()
    x = graph.symbol("x")
    level = graph.add(graph.const(4), graph.mul(graph.const(Fraction(1, 10**12)), x))
    far = graph.function("max", graph.sub(x, graph.const(10)), graph.const(0))
    program = Program("f", graph, (Input("q", (1,), (x,)),), (Output("r", (2,), (level, far)),), ())
    search = EdgeSearch(program, np.random.default_rng(0))
    assert len(search.states(Condition(level, "select", 0.0, ""))["q"]) == 0
    assert search.reason == "it is 4 everywhere"
    assert len(search.states(Condition(far, "select", 0.0, ""))["q"]) > 0
    assert search.reason == "beside its border nothing was clearly on that side"


def _values(program: Program, condition: Condition, states: dict[str, Any]) -> Any:
    from mbsym.symbolic.interpret import interpret
    from mbsym.verification.conditions import with_values

    return interpret(with_values(program, [condition.value]), states)["values"][:, 0]


def test_what_is_not_reached_is_told() -> None:
    coverage = Coverage()
    condition = Condition(5, "select", 0.0, "force elements")
    coverage.note_conditions("f", [condition], np.array([[1.0], [2.0], [NAN]]))
    coverage.require_statuses("f", ["OK", "SINGULAR", "NOT_FINITE"])
    coverage.note_statuses("f", [Status.OK, -1, Status.NOT_CLOSED])
    (own,) = coverage.functions()
    assert (own.sides, own.taken, own.met) == (2, 1, ("OK",))
    assert own.left == ("select at or below zero in force elements", "status SINGULAR", "status NOT_FINITE")
    assert sentences((own,))[0] == "branches: 1 of 2 taken; statuses: 1 of 3 met"


def test_far_states_are_far_one_by_one_too_and_zeros_have_signs() -> None:
    inputs = [Argument("q", "in", (3,)), Argument("v", "in", (3,))]
    states = far_states(inputs, np.random.default_rng(0))
    q, v = states["q"], states["v"]
    for low, high in pairwise(FAR):
        assert ((np.abs(q).max(axis=1) > low / 4) & (np.abs(q).max(axis=1) <= 4 * high)).any()
    alone = (np.abs(q) > 1e6).sum(axis=1) == 1
    assert set(np.abs(q[alone]).argmax(axis=1)) == {0, 1, 2}
    assert (np.abs(v) > 1e5).any() and (np.abs(v) <= 1e-29).all(axis=1).any()
    negative = (q == 0) & np.signbit(q)
    assert negative.all(axis=1).any() and ((q == 0) & ~np.signbit(q)).all(axis=1).any()
    assert (negative.sum(axis=1) == 1).any()
    lost = not_finite_states(inputs, np.random.default_rng(0))
    for array in lost.values():
        assert np.isnan(array[:, 0]).any() and np.isnan(array[:, -1]).any()
        assert (array == INF).any() and (array == -INF).any()


def test_statuses_of_guards_take_precedence_as_in_the_texts() -> None:
    from mbsym.symbolic.domains import guards

    program = _branching()
    own = guards(program)
    inputs = (Argument("q", "in", (2,)), Argument("r", "out", (2,)))
    function = ModuleFunction("f", "f", "", (), inputs, ("q", "r"), None, guards=own)
    states = {"q": np.array([[1.0, 1.0], [0.0, 0.0], [NAN, 0.0], [1.0, INF], [1e-14, 0.0], [1e-6, 0.0]])}
    said = expect(program, function, conditions_of(program, own), states, {}, single=False).status
    assert said.tolist() == [0, 1, 4, 4, 1, 0]


def test_no_number_is_no_fault_where_rounding_is_all_that_a_result_has() -> None:
    """1 / ((x^2 + y^2) - x^2), as pivots of far positions are: far off the divisor may be zero as well."""
    graph = Graph()
    x, y = graph.symbol("x"), graph.symbol("y")
    square = graph.mul(x, x)
    pivot = graph.mul(graph.sub(graph.function("sqrt", graph.add(square, graph.mul(y, y))), x), y)
    program = Program("f", graph, (Input("q", (2,), (x, y)),), (Output("r", (), (graph.div(y, pivot),)),), ())
    inputs = (Argument("q", "in", (2,)), Argument("r", "out", ()))
    own = (Guard(square, "not negative", 1.0, ""),)
    function = ModuleFunction("f", "f", "", (), inputs, ("q", "r"), None, guards=own)
    states = {"q": np.array([[1.0, 1.0], [1e9, 1.0]])}
    expected = expect(program, function, conditions_of(program, own), states, {}, single=False)
    assert expected.status.tolist() == [0, 0] and expected.faint.tolist() == [False, True]

    def passes(lost: int, statuses: tuple[str, ...] = ("OK",)) -> bool:
        said = np.where(np.arange(2) == lost, int(Status.NOT_FINITE), int(Status.OK))
        found = np.where(said == Status.OK, expected.results["r"], np.nan)
        text = LoadedFunction("f", inputs[:1], inputs[1:], (), lambda *_: found, statuses, lambda *_: (found, said))
        worst = Worst()
        compare_texts(worst, LoadedModule("numpy", {"real": "double"}, {"f": text}), "f", states, expected, {})
        return all(check.passed for check in worst.found.values())

    for statuses in (("OK",), ()):
        assert passes(1, statuses) and not passes(0, statuses)


@pytest.mark.more
def test_far_loops_whose_pivots_are_rounding_are_certified(tmp_path: Path) -> None:
    """Seven sliding joints 1e7 m out: wrenches have a divisor of their own that vanishes there, and so may pivots."""
    model, _ = random_closed_loops(0)
    generate(model, tmp_path, functions=["joint_wrenches"], languages=["numpy"])
    assert verify(tmp_path, states=1).failures == ()


def test_what_is_no_number_is_so_beside_each_guard_too() -> None:
    inputs = [Argument("q", "in", (2,)), Argument("branch", "in", ())]
    states = spoilt_states(inputs, {"q": np.array([[1.0, 2.0], [3.0, 4.0]]), "branch": np.array([5.0, 6.0])})
    assert np.isnan(states["q"]).tolist() == [[True, True], [False, False]]
    assert np.array_equal(states["branch"], [6.0, NAN], equal_nan=True) and states["q"][1].tolist() == [3.0, 4.0]
    none = spoilt_states(inputs, {"q": np.zeros((0, 2)), "branch": np.zeros(0)})
    assert none["q"].shape == (0, 2)


MODEL = """
name: swing
parameters:
  l: {value: 0.3, unit: m, symbolic: true}
bodies:
  link: {mass: 2, inertia: [0.1, 0.2, 0.15], center_of_mass: [0, 0, l]}
  tip: {mass: 1, inertia: [0.1, 0.2, 0.15], center_of_mass: [0, 0.1, l]}
joints:
  hinge: {type: revolute, from: ground, to: link, axis: x, limits: {lower: -2, upper: 2}}
  knee: {type: revolute, from: link, to: tip, axis: y, at: [0, 0, l]}
"""


@pytest.fixture(scope="module")
def swing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Anew]:
    directory: Path = tmp_path_factory.mktemp("swing")
    model = read_native(TextSource("swing.yaml", MODEL))
    generate(model, directory, functions=["inverse_dynamics", "mass_matrix"])
    return directory, derived_anew(model, read_manifest(directory))


def _module(anew: Anew, change: Any) -> LoadedModule:
    """Functions that are the Programs, but for a change of their results."""
    from mbsym.symbolic.interpret import interpret

    functions = {}
    for name, program in anew.programs.items():
        own = anew.functions[name].arguments
        inputs = tuple(item for item in own if item.direction == "in")
        outputs = tuple(item for item in own if item.direction == "out")

        def call(given: Any, parameters: Any, program: Program = program, inputs: Any = inputs) -> Any:
            arrays = dict(zip((item.name for item in inputs), map(np.asarray, given), strict=True))
            found = tuple(interpret(program, arrays, parameters).values())
            return change(arrays["q"], tuple(array.copy() for array in found), parameters)

        functions[name] = LoadedFunction(name, inputs, outputs, ("l",), call)
    return LoadedModule("numpy", {"real": "double"}, functions)


def _unchanged(q: Any, found: Any, parameters: Any) -> Any:
    return found if len(found) > 1 else found[0]


def _far_only(q: Any, found: Any, parameters: Any) -> Any:
    far = np.abs(q).max(axis=-1) > 1e4
    return np.where(far.reshape(far.shape + (1,) * (found[0].ndim - far.ndim)), found[0] * (1 + 1e-9), found[0])


def _at_zero_only(q: Any, found: Any, parameters: Any) -> Any:
    zero = ((q == 0) & np.signbit(q)).any(axis=-1)
    return np.where(zero.reshape(zero.shape + (1,) * (found[0].ndim - zero.ndim)), found[0] + 1e-6, found[0])


def _in_tails_only(q: Any, found: Any, parameters: Any) -> Any:
    if q.ndim > 1 and len(q) % 4 == 1:
        found[0][-1] *= 1 + 1e-9
    return found[0]


def _in_single_states_only(q: Any, found: Any, parameters: Any) -> Any:
    return found[0] if q.ndim > 1 else found[0] * (1 + 1e-9)


def _deaf_to_parameters(q: Any, found: Any, parameters: Any) -> Any:
    return found[0] * (1 + 1e-9) if parameters else found[0]


def _no_number_far(q: Any, found: Any, parameters: Any) -> Any:
    return np.where(np.abs(found[0]) > 1e10, NAN, found[0])


@pytest.mark.parametrize(
    "change",
    [_far_only, _at_zero_only, _in_tails_only, _in_single_states_only, _deaf_to_parameters, _no_number_far],
)
def test_texts_that_differ_somewhere_are_seen(swing: tuple[Path, Anew], change: Any) -> None:
    _, anew = swing
    for way, expected in ((_unchanged, True), (change, False)):
        worst = Worst()
        check_texts(Texts(anew, [_module(anew, way)], worst, Coverage(), 0), 0)
        assert all(check.passed for check in worst.found.values()) is expected


def test_constants_are_read_back(swing: tuple[Path, Anew]) -> None:
    directory, anew = swing
    header, source = directory / "swing.h", directory / "swing.py"
    assert all(
        check.passed for check in (*read_back_c(anew.module, directory), *read_back_numpy(anew.module, directory))
    )
    for file, old, new, told in (
        (header, "swing_NQ = 2", "swing_NQ = 3", "constants: swing_NQ"),
        (header, "swing_BODY_tip = 1", "swing_BODY_top = 1", "places BODY: swing_BODY_tip"),
        (header, "    0.3 ", "    0.3000001 ", "default parameters: l"),
        (header, "typedef double", "typedef float", "type of numbers: swing_real"),
        (header, "enum {\n", "enum {\n    swing_NX = 3,\n", "constants: swing_NX"),
        (source, "NV = 2", "NV = 1", "constants: NV"),
        (source, '"knee": 1', '"knee": 0', "places Q: Q['knee']"),
        (source, "    -math.inf,\n)", ")", "limits: q_lower"),
        (source, "ArrayLike = 0.3", "ArrayLike = 3", "default parameters: Parameters.l"),
    ):
        before = file.read_text(encoding="utf-8")
        assert old in before, old
        file.write_text(before.replace(old, new, 1), encoding="utf-8")
        read = read_back_c if file is header else read_back_numpy
        failed = [check.function for check in read(anew.module, directory) if not check.passed]
        file.write_text(before, encoding="utf-8")
        assert told in failed, (old, failed)
        assert all(check.against == READ_BACK for check in read(anew.module, directory))


def test_singular_positions_and_what_is_said_there(tmp_path: Path) -> None:
    """Closure rows of a four-bar lose rank where its links lie on one line, which no drawn state does."""
    from mbsym import examples
    from mbsym.codegen.load import load_numpy
    from mbsym.symbolic.interpret import interpret

    generate("four_bar", tmp_path, languages=["numpy"])
    model = examples.load("four_bar")
    anew = derived_anew(model, read_manifest(tmp_path))
    closed = np.array([[1.0, -0.5, 1.0], [0.9, -0.4, 1.1]])
    found = singular_positions(anew, closed, np.random.default_rng(0))
    rows = interpret(anew.programs["constraint_jacobian"], {"q": found})["G"]
    sizes = np.linalg.svd(rows, compute_uv=False)
    assert len(found) and (sizes[:, -1] < 1e-10 * sizes[:, 0]).all()
    module = load_numpy(tmp_path / "four_bar.py")
    deaf = module.functions["forward_dynamics"]

    def silent(inputs: Any, parameters: Any) -> Any:
        results, status = deaf.judged(inputs, parameters)  # type: ignore[misc]
        return results, np.where(status == Status.SINGULAR, Status.OK, status)

    other = replace(module, functions={"forward_dynamics": replace(deaf, judged=silent)})
    for given, expected in ((module, True), (other, False)):
        worst, coverage = Worst(), Coverage()
        coverage.require_statuses("forward_dynamics", ["OK", "SINGULAR", "NOT_FINITE"])
        check_loops(Texts(anew, [given], worst, coverage, 0), closed)
        assert all(check.passed for check in worst.found.values()) is expected
        assert coverage.functions()[0].left == ()


def test_what_overflows_at_a_singular_position_is_no_number_first(tmp_path: Path) -> None:
    """Cranks on one line: rows depend on each other there, which is told unless no number is left to tell it of."""
    from mbsym.codegen.load import load_numpy

    model = parallel_cranks(2, 0.0)
    generate(model, tmp_path, functions=["constrained_dynamics"], languages=["numpy"])
    states = {"q": np.zeros((2, 3)), "v": np.zeros((2, 3)), "tau": np.outer([1.0, np.finfo(float).max], np.ones(3))}
    expected = [Status.SINGULAR, Status.NOT_FINITE]
    anew = derived_anew(model, read_manifest(tmp_path))
    assert solution(Terms(anew), "constrained_dynamics", states).status.tolist() == expected
    text = load_numpy(tmp_path / f"{model.name}.py").functions["constrained_dynamics"]
    assert [text.with_status(*row)[1] for row in zip(*states.values(), strict=True)] == expected


@pytest.mark.parametrize("length", [1e-9, *further(1e-3, 1.0, 1e3, 1e6)])
def test_gaps_are_measured_by_the_mechanism(length: float, tmp_path: Path) -> None:
    """What is round-off in kilometres is no gap, and what is a gap in nanometres no round-off."""
    from mbsym import examples
    from mbsym.codegen.load import load_numpy

    model = scaled(examples.load("four_bar"), length)
    generate(model, tmp_path, languages=["numpy"], functions=["project_position_report"])
    anew = derived_anew(model, read_manifest(tmp_path))
    module = load_numpy(tmp_path / "four_bar.py")
    projection = module.functions["project_position_report"]

    def careless(inputs: Any, parameters: Any) -> Any:
        (closed, gap, steps), status = projection.judged(inputs, parameters)  # type: ignore[misc]
        return (closed + 1e-10, gap, steps), status

    other = replace(module, functions={"project_position_report": replace(projection, judged=careless)})
    closed = np.array([projection.with_status(np.array([angle, -0.5, 1.0]))[0][0] for angle in (0.8, 1.0)])
    for given, expected in ((module, True), (other, False)):
        for seed in range(4):
            worst = Worst()
            check_loops(Texts(anew, [given], worst, Coverage(), seed), closed)
            assert all(check.passed for check in worst.found.values()) is expected


@pytest.mark.parametrize(("more", "passes"), [(1, True), (-1, True), (2, False), (-2, False)])
def test_one_step_more_or_fewer_may_be_rounding_and_two_are_not(more: int, passes: bool, tmp_path: Path) -> None:
    """Rounding may decide whether the last step is needed."""
    from mbsym import examples
    from mbsym.codegen.load import load_numpy

    generate("four_bar", tmp_path, languages=["numpy"], functions=["project_position_report"])
    anew = derived_anew(examples.load("four_bar"), read_manifest(tmp_path))
    module = load_numpy(tmp_path / "four_bar.py")
    projection = module.functions["project_position_report"]

    def miscounted(inputs: Any, parameters: Any) -> Any:
        (closed, gap, steps), status = projection.judged(inputs, parameters)  # type: ignore[misc]
        # At least three, so that one is left where two are not told.
        return (closed, gap, np.where(steps > 2, steps + more, steps)), status

    other = replace(module, functions={"project_position_report": replace(projection, judged=miscounted)})
    closed = np.array([projection.with_status(np.array([angle, -0.5, 1.0]))[0][0] for angle in (0.8, 1.0)])
    worst = Worst()
    check_loops(Texts(anew, [other], worst, Coverage(), 0), closed)
    assert all(check.passed for check in worst.found.values()) is passes
