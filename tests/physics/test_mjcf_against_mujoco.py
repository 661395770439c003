"""Models of others in MJCF, as their files are: mass, mass matrix, bias, a frame and its Jacobian against MuJoCo.

Coordinates stand in the order of the file on both sides. MuJoCo writes a free joint's position first and its speeds in
base axes; ours has the quaternion first and speeds in the body's axes, so one block of the speeds is turned here.

Run this file as a script for the table of all models.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from mbsym.errors import FormatError
from mbsym.formats.load_options import LoadOptions
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.frame import Frame
from mbsym.model.system import Model
from mbsym.pipeline import GenerationOptions, derive, express, read
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Program
from mechanisms.examples import some

Array = NDArray[Any]

STATES = 20
AGREEMENT = 1e-10
"""Relative to the largest entry: angles in degrees and sizes come from the file through different roundings."""

ROOT = Path(mujoco.__file__).parents[1]
FOLDERS = ("dm_control/suite", "gymnasium/envs/mujoco/assets", "mujoco/testdata")
MODELS = {str(path.relative_to(ROOT)): path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.xml"))}

DEFECTS = {
    "mujoco/testdata/msh.xml": "the model has no <worldbody>",
}
"""Files that cannot be read, and why."""

WITHOUT_BODIES = {"dm_control/suite/lqr.xml"}
"""Bodies are added by a program."""

WITH_MESHES = {"dm_control/suite/dog.xml"}
"""Masses come from files of meshes."""


@dataclass
class Pair:
    """One model on both sides."""

    model: Model
    mechanism: Mechanism
    theirs: Any
    data: Any
    free: list[tuple[int, int]]  # where the coordinates and the speeds of free joints start
    differences: str  # what of the file is not compared

    @classmethod
    def of(cls, path: Path) -> Pair:
        # Couplings stay open on both sides.
        given = read(path)
        model = replace(given, couplings=(), constraints=())
        theirs = mujoco.MjModel.from_xml_path(str(path))
        # Fluids, compensated gravity, tendons and dry friction are left out of the dynamics here, as the reader says.
        theirs.opt.density = theirs.opt.viscosity = 0
        theirs.body_gravcomp[:] = 0
        theirs.tendon_stiffness[:] = theirs.tendon_damping[:] = 0
        theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        named = (body.name for body in reversed(model.bodies))
        body = next(name for name in named if mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, name) > 0)
        model = replace(model, frames=(Frame(body, body, axes="aligned"),))  # not a site that has its name
        mechanism = build_mechanism(model, model.label())
        free = [(b.q_range[0], b.v_range[0]) for b in mechanism.bodies_by_coordinates if b.joint.type == "free"]
        return cls(model, mechanism, theirs, mujoco.MjData(theirs), free, differences(given))

    def state(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Our q and v at a random state, which is set on their side."""
        q, v = np.zeros(self.mechanism.nq), rng.uniform(-1, 1, self.mechanism.nv)
        for body in self.mechanism.bodies_by_coordinates:
            own = rng.uniform(-1, 1, body.joint.shape.nq)
            if body.joint.kind.quaternion is not None:
                own[:4] /= np.linalg.norm(own[:4])
            q[slice(*body.q_range)] = own
        self.data.qpos[:], self.data.qvel[:] = q, self.turned(q) @ v
        for start, _ in self.free:
            own = q[start : start + 7]
            self.data.qpos[start : start + 7] = np.concatenate([own[4:], own[:4]])
        mujoco.mj_forward(self.theirs, self.data)
        return q, v

    def turned(self, q: Array) -> Array:
        """Takes our speeds to theirs."""
        T = np.eye(self.mechanism.nv)
        for start, first in self.free:
            rotation = np.zeros(9)
            mujoco.mju_quat2Mat(rotation, q[start : start + 4])
            block = np.zeros((6, 6))
            block[:3, 3:], block[3:, :3] = rotation.reshape(3, 3), np.eye(3)
            T[first : first + 6, first : first + 6] = block
        return T

    def program(self, name: str) -> Program:
        return {**TREE_FUNCTIONS, **FRAME_FUNCTIONS}[name](self.mechanism.afresh())


def differences(model: Model) -> str:
    """What MuJoCo has and the tree of the model has not, in words."""
    cut = len(model.label().cut_joints)
    closing = cut + len(model.couplings) + len(model.constraints)
    opened = [f"{closing} equality constraints are rigid here, soft there: open on both sides"] if closing else []
    return "; ".join([*opened, *model.warnings])


def errors(pair: Pair, states: int) -> dict[str, float]:
    """The largest relative difference of each quantity; couplings and loops stay open on both sides."""
    theirs, data = pair.theirs, pair.data
    assert (pair.mechanism.nq, pair.mechanism.nv) == (theirs.nq, theirs.nv)
    programs = {name: pair.program(name) for name in ("mass_matrix", "bias_force", "frame_pose", "frame_jacobian")}
    # Bodies that are fixed to the world are no part of the mechanism.
    fixed = sum(theirs.body_mass[k] for k in range(1, theirs.nbody) if theirs.body_weldid[k] == 0)
    found = {"mass": abs(sum(float(body.mass) for body in pair.model.bodies) - (theirs.body_mass.sum() - fixed))}
    frame = pair.model.frames[0]
    body = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, frame.name)
    rng = np.random.default_rng(0)
    for _ in range(states):
        q, v = pair.state(rng)
        T = pair.turned(q)
        numbers = {"q": q, "v": v}
        ours = {
            name: interpret(program, {item.name: numbers[item.name] for item in program.inputs})[
                program.outputs[0].name
            ]
            for name, program in programs.items()
        }
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(theirs, data, M)
        moved = np.zeros(theirs.nv)
        for _, first in pair.free:
            omega, velocity = np.split(v[first : first + 6], 2)
            moved[first + 3 : first + 6] = np.cross(omega, velocity)
        bias = T.T @ (data.qfrc_bias - data.qfrc_passive + M @ (T @ moved))
        turning, moving = np.zeros((2, 3, theirs.nv))
        mujoco.mj_jacBody(theirs, data, moving, turning, body)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
        expected = {
            "mass_matrix": T.T @ M @ T,
            "bias_force": bias,
            "frame_pose": pose,
            "frame_jacobian": np.concatenate([turning, moving]) @ T,
        }
        for name, array in expected.items():
            one = ours[name][0] if name.startswith("frame") else ours[name]
            error = float(np.abs(one - array).max() / max(1.0, np.abs(array).max()))
            found[name] = max(found.get(name, 0.0), error)
    return found


READ = sorted(set(MODELS) - set(DEFECTS) - WITHOUT_BODIES)


LONG = ("/dog.xml", "/humanoid_CMU.xml", "/humanoidstandup.xml", "suite/humanoid.xml", "/stacker.xml")


@pytest.mark.parametrize("name", some(READ, [name for name in READ if not name.endswith(LONG)]))
def test_the_file_means_the_same(name: str) -> None:
    if name in WITH_MESHES:
        pytest.importorskip("trimesh")
    found = errors(Pair.of(MODELS[name]), STATES)
    assert max(found.values()) < AGREEMENT, found


DRIVEN = [
    "dm_control/suite/cheetah.xml", "dm_control/suite/humanoid.xml", "dm_control/suite/walker.xml",
    "gymnasium/envs/mujoco/assets/ant.xml", "gymnasium/envs/mujoco/assets/pusher.xml",
]  # fmt: skip
SERVOS = """<mujoco><worldbody><body name="b"><joint name="x" type="slide" ref="0.1"/><geom size="0.1"/>
<body name="c"><joint name="y" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body></body></worldbody><actuator>
<position name="p" joint="x" kp="20" kv="3" gear="2" ctrlrange="-1 1" ctrllimited="true"/>
<velocity joint="y" kv="0.7"/><motor name="m" joint="y" gear="-5"/>
<general name="g" joint="x" gear="0.5" gainprm="4" biastype="affine" biasprm="0.3 -2 -0.1"/></actuator></mujoco>"""


def check_actuators(path: Path) -> Model:
    model = read(path, LoadOptions(actuators="inputs"))
    pair = Pair.of(path)
    mechanism = build_mechanism(model, model.label())
    bias = TREE_FUNCTIONS["bias_force"](mechanism)
    assert len(model.inputs) == pair.theirs.nu
    rng = np.random.default_rng(1)
    for _ in range(3):
        u = rng.uniform(-0.4, 0.4, pair.theirs.nu)
        pair.data.ctrl[:] = u
        q, v = pair.state(rng)
        still, driven = (
            interpret(bias, {"q": q, "v": v, "t": np.float64(0), "u": given})["bias"] for given in (0 * u, u)
        )
        pair.data.ctrl[:] = 0
        force = np.array(pair.data.qfrc_actuator)
        mujoco.mj_forward(pair.theirs, pair.data)
        expected = pair.turned(q).T @ (force - pair.data.qfrc_actuator)
        assert np.abs(still - driven - expected).max() < AGREEMENT * max(1.0, np.abs(expected).max())
        own = TREE_FUNCTIONS["bias_force"](pair.mechanism.afresh())
        free = interpret(own, {"q": q, "v": v})["bias"]
        offset = pair.turned(q).T @ pair.data.qfrc_actuator
        assert np.abs(free - still - offset).max() < AGREEMENT * max(1.0, np.abs(offset).max())
    return model


@pytest.mark.parametrize("name", DRIVEN)
def test_motors_are_inputs(name: str) -> None:
    check_actuators(MODELS[name])


def test_servos_are_inputs(tmp_path: Path) -> None:
    path = tmp_path / "servos.xml"
    path.write_text(SERVOS, encoding="utf-8")
    model = check_actuators(path)
    assert [item.name for item in model.inputs] == ["p", "y_velocity", "m", "g"]
    assert (model.inputs[0].lower, model.inputs[0].upper) == (-1, 1)
    assert model.inputs[1].lower is None


@pytest.mark.parametrize("name", ["acrobot", "cheetah", "hopper", "walker"])
def test_derivatives_are_differences_of_their_inverse_dynamics(name: str) -> None:
    """Central differences of fourth order in steps of 1e-3: their error is 1e-12 times a fifth derivative."""
    pair = Pair.of(MODELS[f"dm_control/suite/{name}.xml"])
    assert not pair.free
    options = GenerationOptions(functions=("inverse_dynamics_derivatives",))
    (program,) = derive(express(pair.model, options), options).programs
    state = dict(zip(("q", "v"), pair.state(np.random.default_rng(3)), strict=True))
    state["vdot"] = np.random.default_rng(4).uniform(-1, 1, pair.mechanism.nv)

    def torque(given: dict[str, Array]) -> Array:
        pair.data.qpos[:], pair.data.qvel[:], pair.data.qacc[:] = given["q"], given["v"], given["vdot"]
        mujoco.mj_inverse(pair.theirs, pair.data)
        return np.array(pair.data.qfrc_inverse)

    ours = interpret(program, {item.name: state[item.name] for item in program.inputs})
    steps = np.array([-2, -1, 1, 2]) * 1e-3
    weights = np.array([1, -8, 8, -1]) / 12e-3
    for output, varied in (("dtau_dq", "q"), ("dtau_dv", "v")):
        columns = [
            sum(w * torque({**state, varied: state[varied] + h * unit}) for w, h in zip(weights, steps, strict=True))
            for unit in np.eye(pair.mechanism.nv)
        ]
        expected = np.stack(columns, axis=1)
        assert np.abs(expected).max() > 0.1
        assert np.abs(ours[output] - expected).max() < 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_named(name: str) -> None:
    with pytest.raises(FormatError, match=DEFECTS[name]):
        read(MODELS[name])


def test_every_model_is_there() -> None:
    assert len(MODELS) == 35
    assert set(DEFECTS) <= set(MODELS)


if __name__ == "__main__":
    titles = ("model", "bodies", "nv", "mass", "M", "bias", "pose", "Jacobian", "not compared")
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    for name, path in sorted(MODELS.items()):
        if name in DEFECTS or name in WITHOUT_BODIES:
            print(f"| {name} | {DEFECTS.get(name, 'no bodies')} |")
            continue
        pair = Pair.of(path)
        row = " | ".join(f"{value:.1e}" for value in errors(pair, STATES).values())
        print(f"| {name} | {len(pair.model.bodies)} | {pair.mechanism.nv} | {row} | {pair.differences} |")
