"""The example controllers drive a UR5 whose motion the reference computes, and run on an emulated Cortex-M7."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from mbsym.model.body import Body
from mbsym.model.frame_ends import with_frames
from mbsym.model.inertial_parameters import inertial_values
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.reference import Reference
from mechanisms.cortex_m import M7
from mechanisms.generated_c import leave_out, require, run

Array = np.ndarray[Any, Any]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "controllers"
UR5 = next((str(file.locate()) for file in files("example-robot-data") or () if file.name == "ur5_robot.urdf"), "")
STEP: Final = 1e-3
START: Final = np.array([0.3, -1.2, 1.4, -0.7, 0.9, 0.2])
DRY: Final = np.array([4.0, 4.0, 3.0, 0.8, 0.8, 0.6])
VISCOUS: Final = np.array([8.0, 8.0, 6.0, 1.0, 1.0, 0.8])
AROUND: Final = 0.05

PAYLOAD: Final = (2.0, np.array([0.02, 0.12, 0.01]))
"""A mass [kg] at a point of the last link [m]."""


class Friction(ctypes.Structure):
    _fields_ = (("dry", ctypes.c_float * 6), ("viscous", ctypes.c_float * 6), ("around", ctypes.c_float))


class Target(ctypes.Structure):
    _fields_ = (("q", ctypes.c_float * 6), ("v", ctypes.c_float * 6), ("vdot", ctypes.c_float * 6))


class ToolTarget(ctypes.Structure):
    _fields_ = (
        ("rotation", ctypes.c_float * 9),
        ("position", ctypes.c_float * 3),
        ("stiffness", ctypes.c_float * 6),
        ("damping", ctypes.c_float * 6),
    )


def numbers(values: Any) -> Any:
    flat = np.ravel(values).astype(np.float32)
    return (ctypes.c_float * len(flat))(*flat)


def built(place: Path, *options: str) -> Path:
    """The example, configured and built by CMake."""
    require("cmake", "gcc")
    if not UR5:
        leave_out("the UR5 is in the package example-robot-data")
    tool = Path(sys.executable).parent / "mbsym"
    for command in (
        ("cmake", "-S", str(EXAMPLE), "-B", str(place), f"-DUR5={UR5}", f"-DMBSYM={tool}", *options),
        ("cmake", "--build", str(place)),
    ):
        done = run(*command)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        assert "warning:" not in re.sub("warning: link 'world' is the root.*", "", done.stderr)
    return place


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return ctypes.CDLL(os.fspath(built(tmp_path_factory.mktemp("host")) / "libcontrollers_shared.so"))


def carrying(model: Model) -> tuple[Model, list[float]]:
    """The robot with the payload in its hand, and the ten numbers that say so."""
    mass, place = PAYLOAD
    link = model.body("wrist_3_link")
    ten = [float(x) for x in inertial_values(model)(link)]
    square = mass * (place @ place * np.eye(3) - np.outer(place, place))
    ten[0] += mass
    ten[1:4] = (np.array(ten[1:4]) + mass * place).tolist()
    ten[4:] = (np.array(ten[4:]) + square[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]).tolist()
    m, hx, hy, hz, *inertia = ten
    loaded = Body(link.name, m, (0, 0, 0), tuple(inertia), "frame", (hx, hy, hz))  # type: ignore[arg-type]
    return replace(model, bodies=tuple(loaded if body is link else body for body in model.bodies)), ten


@dataclass
class Arm:
    """The plant: the reference's equations with friction, in steps of a millisecond."""

    empty: Model

    def __post_init__(self) -> None:
        self.q, self.v = START.copy(), np.zeros(6)
        self.reference = Reference(self.empty)
        self.tau = (ctypes.c_float * 6)()

    def step(self, pull: Array | float = 0.0, friction: bool = False) -> None:
        torque = np.array(self.tau[:], dtype=float) + pull
        if friction:
            torque -= DRY * np.tanh(self.v / AROUND) + VISCOUS * self.v
        self.v = self.v + STEP * self.reference.forward_dynamics(self.q, self.v, torque)
        self.q = self.q + STEP * self.v


@pytest.fixture(scope="module")
def robot() -> Model:
    return read(UR5)


def ten_numbers(model: Model) -> list[float]:
    return [float(x) for x in inertial_values(model)(model.body("wrist_3_link"))]


def test_gravity_compensation_holds_the_arm_and_lets_it_be_led(library: ctypes.CDLL, robot: Model) -> None:
    arm, tool = Arm(robot), numbers(ten_numbers(robot))

    def control() -> None:
        library.gravity_compensation(tool, numbers(arm.q), numbers(arm.v), ctypes.c_float(2.0), arm.tau)

    for _ in range(150):
        control()
        arm.step()
    assert np.abs(arm.q - START).max() < 1e-5  # rounding of torques over 0.15 s
    for _ in range(100):
        control()
        arm.step(pull=np.array([5.0, 0, 0, 0, 0, 0]))
    assert arm.q[0] > START[0] + 1e-3
    arm.tau = (ctypes.c_float * 6)()
    for _ in range(100):
        arm.step()
    assert np.abs(arm.v).max() > 0.5  # without it the arm falls


def motion(t: float) -> tuple[Array, Array, Array]:
    """All joints swing by 0.3 rad within 0.6 s, at rest at both ends."""
    s, w = t / 0.6, 1 / 0.6
    turn = 0.3 * np.array([1, -1, 1, 1, -1, 1])
    return (
        START + turn * (10 * s**3 - 15 * s**4 + 6 * s**5),
        turn * w * (30 * s**2 - 60 * s**3 + 30 * s**4),
        turn * w * w * (60 * s - 180 * s**2 + 120 * s**3),
    )


def largest_errors(library: ctypes.CDLL, robot: Model, friction: Friction, told: bool) -> tuple[float, float]:
    """The largest error of a joint before and after the payload is taken, at half time [rad]."""
    arm = Arm(robot)
    loaded, ten = carrying(robot)
    tool = numbers(ten_numbers(robot))
    errors = [0.0, 0.0]
    for step in range(600):
        if step == 300:
            arm.reference = Reference(loaded)
            tool = numbers(ten) if told else tool
        target = Target(*(numbers(x) for x in motion(step * STEP)))
        library.computed_torque(
            tool,
            ctypes.byref(friction),
            ctypes.byref(target),
            ctypes.c_float(20.0),
            numbers(arm.q),
            numbers(arm.v),
            arm.tau,
        )
        arm.step(friction=True)
        late = step >= 300
        errors[late] = max(errors[late], float(np.abs(arm.q - motion((step + 1) * STEP)[0]).max()))
    return errors[0], errors[1]


def test_computed_torque_follows_through_a_change_of_payload(library: ctypes.CDLL, robot: Model) -> None:
    friction = Friction(numbers(DRY), numbers(VISCOUS), AROUND)
    before, after = largest_errors(library, robot, friction, told=True)
    # A step of a millisecond late, at 10 rad/s^2: some 1e-5 rad, and friction near rest, which has tanh for its sign.
    assert before < 3e-3 and after < 3e-3
    assert largest_errors(library, robot, friction, told=False)[1] > 3 * after
    assert largest_errors(library, robot, Friction(around=AROUND), told=True)[0] > 3 * before


def test_impedance_is_the_spring_that_was_asked_for(library: ctypes.CDLL, robot: Model) -> None:
    """A force at the tool moves it by force over stiffness, in the tool's axes, and it comes back."""
    framed = with_frames(robot, ("tool0",), "")
    arm, tool = Arm(framed), numbers(ten_numbers(robot))
    start = arm.reference.frame_poses(START)[0]
    stiffness = np.array([40.0, 40, 40, 600, 900, 1200])
    damping = np.array([4.0, 4, 4, 120, 120, 120])
    target = ToolTarget(numbers(start[:3, :3]), numbers(start[:3, 3]), numbers(stiffness), numbers(damping))
    force = np.array([0, 0, 0, 6.0, -4.0, 5.0])

    def held(pull: Callable[[], Array], steps: int) -> Array:
        for _ in range(steps):
            library.tool_impedance(tool, ctypes.byref(target), numbers(arm.q), numbers(arm.v), arm.tau)
            arm.step(pull=pull() - 0.5 * arm.v)
        here = arm.reference.frame_poses(arm.q)[0]
        return np.asarray(here[:3, :3].T @ (here[:3, 3] - start[:3, 3]))

    moved = held(lambda: arm.reference.frame_jacobians(arm.q)[0].T @ force, 700)
    np.testing.assert_allclose(moved, force[3:] / stiffness[3:], rtol=0.05)  # it creeps to rest within 0.7 s
    assert np.abs(held(lambda: np.zeros(6), 700)).max() < 5e-4


def test_they_run_on_a_cortex_m7(tmp_path: Path) -> None:
    require("arm-none-eabi-gcc", "qemu-system-arm", "arm-none-eabi-nm")
    place = built(tmp_path, f"-DCMAKE_TOOLCHAIN_FILE={EXAMPLE / 'cortex_m7.cmake'}")
    ran = M7.ran(place / "on_target.elf", "-icount", "shift=0,align=off,sleep=off")
    assert ran.returncode == 0, ran.stdout
    assert re.findall(r"^(\w+): held, \d+ instructions$", ran.stdout, re.MULTILINE) == [
        "gravity_compensation",
        "computed_torque",
        "tool_impedance",
    ]
    symbols = run("arm-none-eabi-nm", str(place / "libcontrollers.a")).stdout
    # Single precision throughout: no arithmetic of doubles is called, and nothing is allocated.
    assert not re.search(r"__aeabi_d\w+|\bmalloc\b|\bsin$|\bcos$", symbols, re.MULTILINE)
