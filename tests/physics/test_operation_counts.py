"""Upper bounds on the operations (+ - * /) of generated functions: what has been reached must not be lost.

The chains are those of ``benchmark_chain``; "link offset and first moment along one axis" can mean an axis that every
joint is perpendicular to (z) or one that every other joint turns about (x). The bounds hold for both.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import files
from pathlib import Path

import pytest

from mbsym.formats.registry import LoadOptions, load
from mbsym.model.system import CoordinateOrder, Model
from mbsym.pipeline import GenerationOptions, derive, express, read
from mbsym.symbolic.program import OperationCount
from mechanisms.benchmark_chains import benchmark_chain
from mechanisms.examples import some
from mechanisms.told import assert_as_told

FUNCTIONS = ("inverse_dynamics", "forward_dynamics")

BOUNDS = {7: (505, 1250), 30: (2575, 7350)}
"""Inverse and forward dynamics by number of joints."""

REACHED = {
    ("z", 7): (458, 967),
    ("x", 7): (352, 741),
    ("z", 30): (2395, 6842),
    ("x", 30): (2110, 6009),
    "ur5": (252, 441),
}
"""What the derivation needs today; fewer is progress and belongs here, more is a loss."""


def robot(name: str) -> Path:
    """The URDF file of that name."""
    return next(Path(file.locate()) for file in files("example-robot-data") or () if file.name == name)


UR5 = robot("ur5_robot.urdf")

ROBOTS = {
    ("ur5_robot.urdf", False): (252, 441, 127),
    ("panda.urdf", False): (639, 1198, 343),
    ("solo12.urdf", True): (1051, 2552, 489),
    ("talos_reduced.urdf", True): (3436, 8601, 3037),
}
"""Inverse dynamics, forward dynamics and mass matrix by file and whether the base floats."""


def counts(model: Model) -> dict[str, OperationCount]:
    options = GenerationOptions(functions=FUNCTIONS)
    derivation = derive(express(read(model), options), options)
    return {program.name: program.operation_count() for program in derivation.programs}


def arithmetic(found: dict[str, OperationCount]) -> tuple[int, int]:
    inverse, forward = (found[name].arithmetic for name in FUNCTIONS)
    return inverse, forward


@pytest.mark.parametrize("joints", BOUNDS)
@pytest.mark.parametrize("along", ["z", "x"])
def test_chain_of_revolute_joints_with_symbolic_parameters(along: str, joints: int) -> None:
    found = counts(benchmark_chain(joints, "x" if along == "x" else "z"))
    inverse, forward = arithmetic(found)
    assert inverse <= BOUNDS[joints][0]
    assert forward <= BOUNDS[joints][1]
    assert_as_told(inverse, REACHED[along, joints][0])
    assert_as_told(forward, REACHED[along, joints][1])
    # One sine and cosine a joint, and one division a joint for its articulated inertia.
    assert found["forward_dynamics"].sincos == found["inverse_dynamics"].sincos == joints
    assert found["inverse_dynamics"].div == 0
    assert found["forward_dynamics"].div <= joints


def test_the_count_grows_linearly_along_a_chain() -> None:
    """Equal steps from 14 to 16 and from 16 to 18 joints: no subexpression is carried outward twice."""
    found = {n: arithmetic(counts(benchmark_chain(n, "z"))) for n in (14, 16, 18)}
    for k in (0, 1):
        assert found[18][k] - found[16][k] == found[16][k] - found[14][k]


def test_ur5_from_its_urdf() -> None:
    inverse, forward = arithmetic(counts(read(UR5)))
    assert inverse <= 400
    assert forward <= 760
    assert_as_told(inverse, REACHED["ur5"][0])
    assert_as_told(forward, REACHED["ur5"][1])


@pytest.mark.parametrize(
    ("name", "floating"), some(ROBOTS, [each for each in ROBOTS if each[0] != "talos_reduced.urdf"])
)
def test_robots_with_all_parameters_in_numbers(name: str, floating: bool) -> None:
    options = GenerationOptions(functions=(*FUNCTIONS, "mass_matrix"))
    model = load(robot(name), LoadOptions(floating=floating))
    programs = {program.name: program for program in derive(express(model, options), options).programs}
    found = tuple(programs[name].operation_count().arithmetic for name in options.functions)
    for now, told in zip(found, ROBOTS[name, floating], strict=True):
        assert_as_told(now, told)


def test_no_function_of_ur5_costs_more_than_forward_dynamics() -> None:
    """But for the joint wrenches, which need it, and the Jacobians of all bodies at once."""
    options = GenerationOptions()
    programs = derive(express(read(UR5), options), options).programs
    found = {program.name: program.operation_count().arithmetic for program in programs}
    largest = found["forward_dynamics"]
    assert {name for name, count in found.items() if count > largest} <= {"joint_wrenches", "body_jacobians"}


ACTUATED = {"five_bar": 134, "four_bar": 118, "slider_crank": 61, "stewart_platform": 2649}
"""Motor forces of closed loops; what has no motor is eliminated in the order that costs less."""


@pytest.mark.parametrize("name", ACTUATED)
@pytest.mark.parametrize("order", ["file", "labels"])
def test_motor_forces_of_closed_loops(name: str, order: CoordinateOrder) -> None:
    options = GenerationOptions(functions=("actuated_inverse_dynamics",))
    derivation = derive(express(replace(read(name), coordinate_order=order), options), options)
    (program,) = (program for program in derivation.programs if program.name == "actuated_inverse_dynamics")
    assert program.operation_count().arithmetic == ACTUATED[name]
