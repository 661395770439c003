"""Frames on bodies: against differences, Pinocchio and MuJoCo, and as the place where a wrench enters."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import files
from pathlib import Path
from typing import Any, get_args

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import mbsym
from mbsym.codegen.load import LoadedModule, load_numpy
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.frame_functions import FRAME_FUNCTIONS
from mbsym.model.body import Placement
from mbsym.model.frame import Frame, FrameAxes
from mbsym.model.frame_ends import with_frames
from mbsym.model.system import Model
from mbsym.model.wrench_inputs import WrenchAxes, with_wrench_inputs
from mbsym.pipeline import generate, optimise, read
from mbsym.reference import Reference
from mbsym.symbolic.interpret import interpret
from mbsym.verification.certificate import verify
from mbsym.verification.random_state import random_state
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_tree

Array = NDArray[Any]

AGREEMENT = 1e-12
"""Relative to the largest entry: rounding on both sides, in chains of a dozen joints."""

ROBOTS = {Path(str(file)).name: Path(str(file.locate())) for file in files("example-robot-data") or ()
          if file.suffix == ".urdf"}  # fmt: skip

SITES = """<mujoco><option gravity="0.3 -0.2 -9.8"/><worldbody><site name="mark" pos="1 2 3"/>
<body name="base" pos="0 0 1"><joint name="free" type="ball"/><geom size="0.1" density="1000"/>
 <site name="stick" type="capsule" size="0.01" fromto="0.1 0.2 0.3 0.5 -0.2 0.1"/>
 <body name="arm" pos="0.3 0.1 0" euler="10 20 30"><joint name="turn" axis="0 1 0.5" pos="0.1 0 0"/>
  <joint name="slide" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.2 0.3" pos="0 0.1 0"/>
  <site name="tool" pos="0.1 0 0.2" euler="10 20 30"/>
  <body name="hand" pos="0 0.3 0" quat="1 1 0 0"><geom size="0.05"/><site name="tip" pos="0.3 0 0"/></body>
 </body></body></worldbody></mujoco>"""


def with_random_frames(seed: int) -> Model:
    """A random tree with frames on its first, last and some other body, and on ground, in all axes."""
    model, rng = random_tree(seed, bodies=5), np.random.default_rng(seed)
    hosts = [model.ground, *(model.bodies[k].name for k in (0, 2, 4))]
    frames = [
        Frame(
            f"{axes} on {host}",
            host,
            Placement(tuple(rng.uniform(-1, 1, 3)), (("z", 0.3), ("x", float(rng.uniform(-1, 1))))),
            axes,
        )
        for host in hosts
        for axes in get_args(FrameAxes)
    ]
    return replace(model, frames=tuple(frames))


@pytest.mark.parametrize("seed", range(6))
def test_pose_velocity_and_acceleration_belong_together(seed: int) -> None:
    model = with_random_frames(seed)
    mechanism = mechanism_of(model)
    reference = Reference(model, mechanism.labelling)
    q, v, _ = random_state(model, mechanism.labelling, np.random.default_rng(seed))
    vdot = np.random.default_rng(seed + 1).normal(size=reference.nv)
    numbers = {"q": q, "v": v, "vdot": vdot}
    found = {}
    for name, function in FRAME_FUNCTIONS.items():
        program, _ = optimise(function(mechanism.afresh()))
        arguments = {item.name: numbers[item.name] for item in program.inputs if item.name in numbers}
        assert len(arguments) == len(program.inputs)
        found[name] = interpret(program, arguments)[program.outputs[0].name]
    J, rate = found["frame_jacobian"], found["frame_jacobian_rate_v"]
    assert np.allclose(J @ v, found["frame_velocity"], atol=1e-12)
    assert np.allclose(J @ vdot + rate, found["frame_acceleration"], atol=1e-11)
    h = 1e-4
    after, before = (reference.frame_poses(reference.integrate_position(q, v, step)) for step in (h, -h))
    for place, frame in enumerate(model.frames):
        R, x = found["frame_pose"][place, :3, :3], found["frame_pose"][place, :3, 3]
        omega, v_frame = np.split(found["frame_velocity"][place], 2)
        if frame.axes == "local":
            omega, v_frame = R @ omega, R @ v_frame
        spin = (after[place, :3, :3] - before[place, :3, :3]) / (2 * h) @ R.T
        turned = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        moved = (after[place, :3, 3] - before[place, :3, 3]) / (2 * h)
        point = v_frame + np.cross(omega, x) if frame.axes == "base" else v_frame
        # The error of central differences is h^2 times third derivatives.
        assert np.allclose(turned, omega, atol=1e-5)
        assert np.allclose(moved, point, atol=1e-5)


@pytest.mark.parametrize("name", ["four_bar", "quadruped"])
def test_the_certificate_covers_frames(name: str, tmp_path: Path) -> None:
    model = mbsym.load(name)
    last = model.bodies[-1].name
    tool = Frame("tool", last, Placement((0.1, "1/5", 0), quaternion=(1, 2, 0, 1)), "aligned")
    generate(replace(model, frames=(tool,)), tmp_path, frames=["tool", last], functions=list(FRAME_FUNCTIONS))
    certificate = verify(tmp_path, states=3)
    assert certificate.passed
    assert {check.function for check in certificate.checks if not check.is_beyond} == set(FRAME_FUNCTIONS)


def module_with(path: Path, directory: Path, frames: list[str], axes: FrameAxes) -> LoadedModule:
    functions = list(FRAME_FUNCTIONS)
    generate(read(path), directory, languages=["numpy"], functions=functions, frames=frames, frame_axes=axes)
    (file,) = directory.glob("*.py")
    return load_numpy(file)


def close(ours: Array, theirs: Array) -> bool:
    return bool(np.abs(ours - theirs).max() <= AGREEMENT * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize(
    ("axes", "theirs"),
    [("local", pin.LOCAL), ("aligned", pin.LOCAL_WORLD_ALIGNED), ("base", pin.WORLD)],
)
def test_frames_of_the_panda_against_pinocchio(axes: FrameAxes, theirs: Any, tmp_path: Path) -> None:
    names = ["panda_hand_tcp", "panda_link8", "panda_link3", "panda_hand"]
    path = ROBOTS["panda.urdf"]
    module = module_with(path, tmp_path, names, axes)
    robot = pin.buildModelFromUrdf(str(path))
    data = robot.createData()
    # The second finger follows the first in the file and is free to Pinocchio.
    fingers = np.eye(9, 8)
    fingers[8, 7] = 1.0
    rng = np.random.default_rng(1)
    swap = [3, 4, 5, 0, 1, 2]  # theirs are linear first
    for _ in range(20):
        q, v, vdot = rng.uniform(-2, 2, (3, 8))
        pin.forwardKinematics(robot, data, fingers @ q, fingers @ v, fingers @ vdot)
        pin.computeJointJacobiansTimeVariation(robot, data, fingers @ q, fingers @ v)
        pin.updateFramePlacements(robot, data)
        poses = module.functions["frame_pose"](q)
        velocities = module.functions["frame_velocity"](q, v)
        jacobians = module.functions["frame_jacobian"](q)
        accelerations = module.functions["frame_acceleration"](q, v, vdot)
        rates = module.functions["frame_jacobian_rate_v"](q, v)
        for place, name in enumerate(names):
            frame = robot.getFrameId(name)
            jacobian = pin.getFrameJacobian(robot, data, frame, theirs)[swap] @ fingers
            assert close(poses[place], data.oMf[frame].homogeneous)
            assert close(velocities[place], pin.getFrameVelocity(robot, data, frame, theirs).vector[swap])
            assert close(jacobians[place], jacobian)
            if axes == "base":
                expected = pin.getFrameAcceleration(robot, data, frame, theirs)
            else:
                expected = pin.getFrameClassicalAcceleration(robot, data, frame, theirs)
            assert close(accelerations[place], expected.vector[swap])
            if axes != "local":
                variation = pin.getFrameJacobianTimeVariation(robot, data, frame, theirs)[swap] @ fingers
                assert close(rates[place], variation @ v)


def test_sites_against_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "sites.xml"
    path.write_text(SITES, encoding="utf-8")
    model = read(path)
    names = ["mark", "stick", "tool", "tip"]
    assert [model.frame(name).body for name in (*names, "hand")] == ["world", "base", "arm", "arm", "arm"]
    module = module_with(path, tmp_path / "code", names, "aligned")
    robot = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(robot)
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = rng.normal(size=robot.nq)
        q[:4] /= np.linalg.norm(q[:4])
        v = rng.normal(size=robot.nv)
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(robot, data)
        poses, jacobians = (module.functions[name](q) for name in ("frame_pose", "frame_jacobian"))
        rates = module.functions["frame_jacobian_rate_v"](q, v)
        vdot = rng.normal(size=robot.nv)
        accelerations = module.functions["frame_acceleration"](q, v, vdot)
        for place, name in enumerate(names):
            site = data.site(name)
            turning, moving = np.zeros((2, 3, robot.nv))
            mujoco.mj_jacSite(robot, data, moving, turning, site.id)
            assert close(poses[place, :3, 3], site.xpos)
            assert close(poses[place, :3, :3], site.xmat.reshape(3, 3))
            assert close(jacobians[place], np.concatenate([turning, moving]))
            body = robot.site_bodyid[site.id]
            mujoco.mj_jacDot(robot, data, moving, turning, site.xpos, body)
            assert close(rates[place], np.concatenate([turning, moving]) @ v)
            mujoco.mj_jacSite(robot, data, moving, turning, site.id)
            point = np.concatenate([turning, moving]) @ vdot + rates[place]
            assert close(accelerations[place], point)


@pytest.mark.parametrize("axes", get_args(WrenchAxes))
@pytest.mark.parametrize("seed", range(3))
def test_a_wrench_enters_by_the_transposed_jacobian(seed: int, axes: WrenchAxes) -> None:
    model = with_random_frames(seed)
    name = model.frames[-3].name
    loaded = with_wrench_inputs(with_frames(model, [name], axes), [name], axes)
    mechanism = mechanism_of(loaded)
    q, v, _ = random_state(loaded, mechanism.labelling, np.random.default_rng(seed))
    wrench = np.random.default_rng(seed).normal(size=6)
    bias = TREE_FUNCTIONS["bias_force"](mechanism)
    given = {"q": q, "v": v, "t": np.float64(0)}
    free, pulled = (
        interpret(bias, {**given, "u": np.concatenate([np.zeros(len(loaded.inputs) - 6), load])})["bias"]
        for load in (np.zeros(6), wrench)
    )
    (jacobian,) = interpret(FRAME_FUNCTIONS["frame_jacobian"](mechanism), {"q": q})["jacobians"]
    assert np.allclose(free - pulled, jacobian.T @ wrench, atol=1e-11)


def test_one_frame_of_the_ur5_costs_less_than_all_bodies() -> None:
    model = read(ROBOTS["ur5_robot.urdf"])

    def cost(name: str, frames: list[str]) -> int:
        mechanism = mechanism_of(with_frames(model, frames, "local"))
        functions = {**TREE_FUNCTIONS, **FRAME_FUNCTIONS}
        return optimise(functions[name](mechanism))[0].operation_count().arithmetic

    assert cost("body_jacobians", []) == 96  # nearly all of it for the last body
    assert cost("frame_jacobian", ["wrist_3_link"]) == 94
    assert cost("frame_jacobian", ["tool0"]) == 108
    assert cost("inverse_dynamics", []) == 342
    assert cost("inverse_dynamics", ["all"]) == 342
