"""Constraints that are expressions: rows, rates and wrenches, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from mbsym.constraints import ExpressionConstraint, VelocityConstraint
from mbsym.errors import DerivationError
from mbsym.kinematics.frame_quantities import NamesInMotion
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.kinematics.observables import position_rate
from mbsym.kinematics.recursion import joint_speeds, poses, velocities
from mbsym.loops.closure_row import ClosureRow
from mbsym.loops.constraints import closures
from mbsym.loops.motion import power
from mbsym.loops.redundancy import analyse_loops
from mbsym.model.body import Body
from mbsym.model.joint import Joint
from mbsym.model.system import Model
from mbsym.reference import Reference
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.equality import compare
from mbsym.symbolic.frame_quantities import WORDS
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import evaluate_reference, to_scalar
from mechanisms.benchmark_chains import spatial_chain
from mechanisms.frame_expressions import PLACED, drawn_quantity, with_frames_placed
from mechanisms.random_trees import decimal, random_tree

TYPES = ("revolute", "prismatic", "spherical", "universal", "helical", "free", "planar", "cylindrical")


def held_words(seed: int) -> Model:
    """A random tree that holds each word of the language, alone, and all of them with coordinates and speeds."""
    rng = np.random.default_rng(seed)
    model = with_frames_placed(random_tree(seed, bodies=(3, 4), joint_types=TYPES, forces=False), rng)
    joint = next(joint for joint in model.joints if joint.shape.nv)
    named = replace(
        joint,
        coordinates=tuple(f"x{k}" for k in range(joint.shape.nq)),
        speeds=tuple(f"w{k}" for k in range(joint.shape.nv)),
    )
    model = replace(model, joints=tuple(named if each is joint else each for each in model.joints))
    held: list[ExpressionConstraint | VelocityConstraint] = []
    factors = [f"(1 + {decimal(rng.uniform(0.1, 0.5))}*sin({each}))" for each in named.coordinates]
    for kind, wanted in ((ExpressionConstraint, False), (VelocityConstraint, True)):
        words = [drawn_quantity(word, rng, PLACED).name for word in WORDS.values() if word.is_rate == wanted]
        held += [kind(f"{kind.type} {number}", word) for number, word in enumerate(words)]
        others = named.speeds if wanted else named.coordinates
        # An angle times something else than a number would jump.
        smooth = (f"sin({term})" if term.startswith("angle(") else term for term in (*words, *others))
        terms = [f"{factors[k % len(factors)]}*{term}" for k, term in enumerate(smooth)]
        held.append(kind(f"{kind.type} of all", " + ".join(terms)))
    return replace(model, constraints=tuple(held))


def rows_of(model: Model) -> Iterator[tuple[Mechanism, ClosureRow, Scalar]]:
    """Each row, and its rate from the poses and twists of all bodies in the base: another derivation of the same."""
    for element in model.constraints:
        mechanism = build_mechanism(replace(model, constraints=(element,)), model.label())
        names = NamesInMotion(mechanism, poses(mechanism), velocities(mechanism, joint_speeds(mechanism)))
        value = to_scalar(element.expressions[0], mechanism.graph, names)
        try:
            (closure,) = closures(mechanism)
        except Exception as error:
            assert "in every motion" in str(error) or "always coincide" in str(error)
            continue
        (row,) = closure.rows
        if not row.of_speeds:
            assert same(mechanism, value, row.residual)
            value = along(mechanism, value)
        yield mechanism, row, value


def same(mechanism: Mechanism, first: Scalar, second: Scalar) -> bool:
    """In GF(p), quaternions being of length one."""
    programs = (
        Program("value", mechanism.graph, (mechanism.q, mechanism.v), (Output("value", (1,), (value.ref,)),))
        for value in (first, second)
    )
    return bool(compare(*programs))


def along(mechanism: Mechanism, value: Scalar) -> Scalar:
    """The rate of a value where all vdot are zero."""
    seeds = dict(zip(mechanism.q.symbols, (rate.ref for rate in position_rate(mechanism)), strict=True))
    return Scalar(mechanism.graph, forward(mechanism.graph, [value.ref], seeds)[0])


@pytest.mark.parametrize("seed", range(6))
def test_rows_and_their_rates_are_those_of_poses_and_twists(seed: int) -> None:
    """In GF(p): G v is the rate, or the speed that is held, and gamma is what remains of the second rate."""
    seen = 0
    for mechanism, row, rate in rows_of(held_words(seed)):
        speeds, zero = mechanism.entries(mechanism.v), Scalar(mechanism.graph, 0)
        own = sum((entry * speeds[column] for column, entry in row.jacobian.items()), zero)
        assert same(mechanism, own, rate), row
        assert same(mechanism, along(mechanism, own), -row.bias), row
        seen += 1
    assert seen >= 5


@pytest.mark.parametrize("seed", range(6))
def test_loads_do_the_work_of_the_rows(seed: int) -> None:
    """Of frames alone: sum of wrench . twist over all bodies is G v."""
    for mechanism, row, rate in rows_of(held_words(seed)):
        if row.closure.endswith("of all"):
            continue
        twists = velocities(mechanism, joint_speeds(mechanism))
        done = sum((power(load, twists[label]) for label, load in row.loads.items()), Scalar(mechanism.graph, 0))
        assert same(mechanism, done, rate), row


def test_joints_before_the_first_common_body_stay_out() -> None:
    """Relative places are seen from where the ways of frames meet: other joints have no entries, not even round-off.

    The last joint turns about the place that is held.
    """
    model = spatial_chain(4)
    held_model = replace(model, constraints=(ExpressionConstraint("held", "distance(b2, b4) - 1"),))
    mechanism = build_mechanism(held_model, held_model.label())
    (closure,) = closures(mechanism)
    assert list(closure.rows[0].jacobian) == [2]
    assert closure.joints == (3, 4)


def test_rows_of_speeds_come_last_and_leave_rows_that_close_loops_as_they_are() -> None:
    model = held_words(1)
    first, *_, last = model.constraints
    swapped = replace(model, constraints=(last, first))
    mechanism = build_mechanism(swapped, swapped.label())
    assert [row.of_speeds for closure in closures(mechanism) for row in closure.rows] == [False, True]


def test_what_holds_the_same_twice_follows_from_the_others() -> None:
    """Two wheels on one axle: the rows of one direction are the same."""
    model = held_words(2)
    spin = next(item for item in model.constraints if item.name == "velocity of all")
    twice = replace(model, constraints=(spin, replace(spin, name="again")))
    mechanism = build_mechanism(twice, twice.label())
    analysis = analyse_loops(mechanism)
    assert [row.closure for row in analysis.dependent] == ["again"]
    assert analysis.mobility == mechanism.nv - 1


def arm_with(expression: str) -> Model:
    return Model(
        "arm",
        (Body("a", 1, (0.3, 0, 0), (1, 1, 1, 0, 0, 0)), Body("b", 1, (0.3, 0, 0), (1, 1, 1, 0, 0, 0))),
        (Joint("p", "revolute", "ground", "a"), Joint("s", "cylindrical", "ground", "b")),
        constraints=(ExpressionConstraint("held", expression),),
    )


def residual(expression: str, turned: float) -> float:
    model = arm_with(expression)
    mechanism = build_mechanism(model, model.label())
    (closure,) = closures(mechanism)
    names = {"q_p": turned, "q_s_angle": 0.0, "q_s_travel": 0.0}
    names |= {str(mechanism.graph.arguments[ref][0]): 0.0 for ref in mechanism.q.symbols}
    names[str(mechanism.graph.arguments[mechanism.q.symbols[0]][0])] = turned
    found = evaluate_reference(mechanism.graph, closure.rows[0].residual.ref, names)
    assert Reference(model).closure_gap(np.array([turned, 0.0, 0.0])) == pytest.approx([found], abs=1e-12)
    return found


@pytest.mark.parametrize("turned", [0.3, 3.1, 3.2, -3.2, 9.0, 40.0])
def test_an_angle_is_held_up_to_whole_turns(turned: float) -> None:
    """What it is held with goes on where the angle jumps; an angle that is pi has no border there."""
    apart = np.remainder(turned + np.pi, 2 * np.pi) - np.pi
    assert residual("angle(ground, a, about=z) - 0.25", turned) == pytest.approx(
        np.remainder(turned - 0.25 + np.pi, 2 * np.pi) - np.pi
    )
    assert residual("position(b).z - 0.1*angle(ground, a, about=z)", turned) == pytest.approx(-0.1 * apart)
    near_pi = residual("angle(ground, a, about=z) - pi", np.pi + 1e-3 * turned)
    assert near_pi == pytest.approx(1e-3 * turned)
    assert residual("sin(angle(ground, a, about=z)) - 0.2", turned) == pytest.approx(np.sin(turned) - 0.2)


@pytest.mark.parametrize(
    "expression",
    [
        "angle(ground, a, about=z)**2 - 1",
        "angle(ground, a, about=z) - 0.5*angle(ground, b, about=z)",
        "position(b).z*angle(ground, a, about=z) - 1",
    ],
)
def test_what_would_jump_with_an_angle_is_refused(expression: str) -> None:
    model = arm_with(expression)
    with pytest.raises(DerivationError, match=r"jumps where angle\(ground, a, about=z\) does, from pi to -pi"):
        closures(build_mechanism(model, model.label()))
