"""Robot descriptions of others: generated code against Pinocchio, and where it takes the file also against MuJoCo.

Both read the same URDF with their own parsers and are given every joint as a free one; joints that mimic others are
coupled here, by q = A q' + b with A and b read from the file. Joints are matched by name: Pinocchio numbers them depth
first and alphabetically (its composite-body algorithm wants depth-first numbers), writes the angle of an unlimited
joint as a cosine and a sine, and has quaternions scalar-last and spatial vectors linear first.

Angles within 1e-8 rad of a multiple of 90 degrees are that multiple to mbsym, so the others are given them exactly.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

from mbsym.codegen.build import WARNINGS
from mbsym.codegen.load import LoadedModule, load_c, load_numpy
from mbsym.errors import DerivationError, FormatError
from mbsym.formats.registry import LoadOptions
from mbsym.model.system import Model
from mbsym.pipeline import generate, read
from mechanisms.examples import further, some

Array = NDArray[Any]

FUNCTIONS = (
    "forward_dynamics", "inverse_dynamics", "mass_matrix", "bias_force", "gravity_force", "body_jacobians",
    "center_of_mass",
)  # fmt: skip

STATES = 5
"""Functions of a few sines: what differs at all differs at nearly every state."""

AGREEMENT = 1e-12
"""Relative to the largest entry of the result; times the condition of the mass matrix where it is inverted.

The rounding of both sides together was 1e-14 at most when this was written.
"""

ROBOTS = {
    str(file).partition("/robots/")[2]: Path(file.locate())
    for file in files("example-robot-data") or ()
    if file.suffix == ".urdf"
}

DEFECTS = {
    "alex_description/urdf/alex_psyonic_hands.urdf": "mimics joint 'index_q1', which does not exist",
    "ur_description/urdf/ur3.urdf": "the robot has no <link>",
}
"""Files that cannot be read, and why."""

MASSLESS = {
    "romeo_description/urdf/romeo.urdf": "RHand",
    "romeo_description/urdf/romeo_laas_small.urdf": "r_gripper_joint",
}
"""Files in which a joint moves nothing but massless bodies, so that accelerations are not determined."""

FREE_FLOATING = {
    "hector_description/robots/quadrotor_base.urdf",
    "iris_description/robots/iris_simple.urdf",
}
"""Single rigid bodies."""

VARIANTS = {
    "alex_description/urdf/alex_nub_hands.urdf",
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "icub_description/robots/icub_reduced.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "simple_humanoid_description/urdf/simple_humanoid_classical.urdf",
    "talos_data/robots/talos_full_v2_box.urdf",
    "talos_data/robots/talos_reduced_box.urdf",
    "talos_data/robots/talos_reduced_corrected.urdf",
    "tiago_description/robots/tiago.urdf",
}
"""Large robots of which another file is taken here: what these say is compared in test_urdf_in_their_order."""

WHOLE = [name for name in ROBOTS if name not in DEFECTS and name not in VARIANTS]
ON_A_FREE_BASE = [
    "a1_description/urdf/a1.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "panda_description/urdf/panda.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_reduced.urdf",
]
IN_C = [
    "a1_description/urdf/a1.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "baxter_description/urdf/baxter.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "iris_description/robots/iris_simple.urdf",
    "kinova_description/robots/kinova.urdf",
    "panda_description/urdf/panda.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "solo_description/robots/solo12.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "xarm_description/urdf/xarm7.urdf",
]
IN_MUJOCO = [
    "a1_description/urdf/a1.urdf",
    "centauro_description/urdf/centauro.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "kinova_description/robots/kinova.urdf",
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "xarm_description/urdf/xarm7.urdf",
]
"""Ten that MuJoCo takes: it refuses impossible inertias."""

LARGE = {
    "a1_description/urdf/a1.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "baxter_description/urdf/baxter.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "centauro_description/urdf/centauro.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
}
EVERY_RUN = [
    *(name for name in IN_C if name not in LARGE),
    *(name for name in IN_MUJOCO if name not in IN_C and name not in LARGE),
    *FREE_FLOATING,
]
"""The others are further examples; every file is read each time, and every second one compared with itself in another
order."""


def description(path: Path) -> ElementTree.Element:
    """The robot without what has no part in dynamics, right angles exact."""
    robot = ElementTree.parse(path).getroot()
    for element in list(robot):
        if element.tag not in ("link", "joint"):
            robot.remove(element)
        for part in list(element):
            if part.tag in ("visual", "collision", "dynamics", "safety_controller"):
                element.remove(part)
    for origin in robot.iter("origin"):
        if "rpy" in origin.attrib:
            origin.set("rpy", " ".join(repr(right_angle(float(word))) for word in origin.get("rpy", "").split()))
    return robot


def right_angle(angle: float) -> float:
    quarters = round(angle / (math.pi / 2))
    return quarters * (math.pi / 2) if abs(angle - quarters * (math.pi / 2)) <= 1e-8 else angle


@dataclass
class Coupling:
    """Speeds v and coordinates q of joints by name from those of the module: v = A v', q = A q' + b."""

    rows: dict[str, Array]
    offsets: dict[str, float]

    @classmethod
    def of(cls, robot: ElementTree.Element, module: LoadedModule) -> Coupling:
        nv = module.manifest["nv"]
        rows: dict[str, Array] = {}
        offsets: dict[str, float] = {}
        for joint in module.manifest["joints"]:
            start, stop = joint["v"]
            if stop - start == 1:
                rows[joint["name"]], offsets[joint["name"]] = np.eye(nv)[start], 0.0
        following = {}
        for joint in robot.findall("joint"):
            mimic = joint.find("mimic")
            if mimic is not None and joint.get("type") != "fixed":
                following[joint.get("name", "")] = mimic
        while following:
            for name, mimic in list(following.items()):
                source = mimic.get("joint", "")
                if source not in following:
                    ratio, offset = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
                    assert name not in rows
                    rows[name] = ratio * rows[source]
                    offsets[name] = ratio * offsets[source] + offset
                    del following[name]
        return cls(rows, offsets)


def states(module: LoadedModule, rng: np.random.Generator) -> dict[str, Array]:
    """Random q (quaternions of unit length), v, vdot and tau."""
    nq, nv = module.manifest["nq"], module.manifest["nv"]
    q = rng.uniform(-3, 3, (STATES, nq))
    for joint in module.manifest["joints"]:
        if joint["type"] == "free":
            start = joint["q"][0]
            quaternion = rng.normal(size=(STATES, 4))
            q[:, start : start + 4] = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    v, vdot, tau = (size * rng.uniform(-1, 1, (STATES, nv)) for size in (2, 5, 10))
    return {"q": q, "v": v, "vdot": vdot, "tau": tau}


class Twin:
    """Pinocchio's model of a robot, with the module's q and v."""

    def __init__(self, robot: ElementTree.Element, module: LoadedModule) -> None:
        self.free = [joint for joint in module.manifest["joints"] if joint["type"] == "free"]
        text = ElementTree.tostring(robot, encoding="unicode")
        roots = (pin.JointModelFreeFlyer(),) if self.free else ()
        self.model = pin.buildModelFromXML(text, *roots)
        self.data = self.model.createData()
        self.coupling = Coupling.of(robot, module)
        self.bodies = [body["name"] for body in sorted(module.manifest["bodies"], key=lambda body: body["label"])]
        self.bodies = [name for name in self.bodies if name != "ground"]
        self.rows = np.zeros((self.model.nv, module.manifest["nv"]))
        """v of Pinocchio from v of the module."""
        for index, name in enumerate(self.model.names):
            joint = self.model.joints[index]
            if index and name == "root_joint":
                start = self.free[0]["v"][0]
                self.rows[joint.idx_v : joint.idx_v + 6, start : start + 6] = np.roll(np.eye(6), 3, axis=0)
            elif index:
                assert joint.nv == 1
                self.rows[joint.idx_v] = self.coupling.rows[name]

    def q(self, q: Array) -> Array:
        found = np.zeros(self.model.nq)
        speeds = self.speed_like(q)
        for index, name in enumerate(self.model.names):
            joint = self.model.joints[index]
            if index and name == "root_joint":
                w, x, y, z, *position = q[slice(*self.free[0]["q"])]
                found[joint.idx_q : joint.idx_q + 7] = (*position, x, y, z, w)
            elif index:
                angle = self.coupling.rows[name] @ speeds + self.coupling.offsets[name]
                found[joint.idx_q : joint.idx_q + joint.nq] = (
                    angle if joint.nq == 1 else (math.cos(angle), math.sin(angle))
                )
        return found

    def speed_like(self, q: Array) -> Array:
        """Coordinates of joints of one freedom at the places of their speeds."""
        if not self.free:
            return q
        (a, b), (c, d) = self.free[0]["q"], self.free[0]["v"]
        return np.concatenate([q[:a], np.zeros(d - c), q[b:]])

    def results(self, state: dict[str, Array]) -> dict[str, Array]:
        m, data, rows = self.model, self.data, self.rows
        q, v, vdot, tau = self.q(state["q"]), rows @ state["v"], rows @ state["vdot"], state["tau"]
        pin.crba(m, data, q)
        full = np.triu(data.M) + np.triu(data.M, 1).T
        found = {"mass_matrix": rows.T @ full @ rows}
        found["inverse_dynamics"] = rows.T @ pin.rnea(m, data, q, v, vdot)
        found["bias_force"] = rows.T @ pin.nonLinearEffects(m, data, q, v)
        found["gravity_force"] = rows.T @ pin.computeGeneralizedGravity(m, data, q)
        if rows.shape[0] == rows.shape[1]:
            found["forward_dynamics"] = rows.T @ pin.aba(m, data, q, v, rows @ tau)
        elif rows.shape[1]:
            found["forward_dynamics"] = np.linalg.lstsq(found["mass_matrix"], tau - found["bias_force"])[0]
        found["center_of_mass"] = pin.centerOfMass(m, data, q).copy()
        pin.computeJointJacobians(m, data, q)
        pin.updateFramePlacements(m, data)
        jacobians = []
        for name in self.bodies:
            frame = m.getFrameId(name, pin.FrameType.BODY)
            local = pin.getFrameJacobian(m, data, frame, pin.ReferenceFrame.LOCAL) @ rows
            jacobians.append(np.concatenate([local[3:], local[:3]]))
        found["body_jacobians"] = np.array(jacobians).reshape(len(jacobians), 6, rows.shape[1])
        return found


class Comparison:
    """Compares all functions of a module with those of somebody else, state by state."""

    def __init__(self, module: LoadedModule, seed: int = 1) -> None:
        self.states = states(module, np.random.default_rng(seed))
        self.found = {
            name: np.asarray(function(*(self.states[item.name] for item in function.inputs)), dtype=float)
            for name, function in module.functions.items()
        }

    def state(self, number: int) -> dict[str, Array]:
        return {name: values[number] for name, values in self.states.items()}

    def check(self, number: int, expected: dict[str, Array]) -> None:
        matrix = expected["mass_matrix"]
        condition = float(np.linalg.cond(matrix)) if matrix.size else 1.0
        for name, right in expected.items():
            if name not in self.found:
                continue
            left = self.found[name][number]
            assert left.shape == right.shape, name
            size = np.abs(right).max(initial=0.0)
            allowed = AGREEMENT * max(size, 1e-6) * (condition if name == "forward_dynamics" else 1.0)
            error = np.abs(left - right).max(initial=0.0)
            # A comparison that is false for nan.
            assert error <= allowed, (name, number, error / max(size, 1e-6), condition)


def module_of(model: Model, directory: Path, functions: tuple[str, ...] = FUNCTIONS) -> LoadedModule:
    generate(model, directory, languages=["numpy"], functions=functions)
    (manifest,) = directory.glob("*.json")
    return load_numpy(manifest.with_suffix(".py"))


def against_pinocchio(name: str, *modules: LoadedModule) -> None:
    """Compares modules of one manifest."""
    twin = Twin(description(ROBOTS[name]), modules[0])
    assert {joint["name"] for joint in modules[0].manifest["joints"] if joint["type"] != "free"} == {
        joint for joint in twin.model.names[1:] if joint != "root_joint"
    }
    comparisons = [Comparison(module) for module in modules]
    for number in range(STATES):
        expected = twin.results(comparisons[0].state(number))
        for module, comparison in zip(modules, comparisons, strict=True):
            assert set(module.functions) <= set(expected)
            comparison.check(number, expected)


def test_all_descriptions_are_there() -> None:
    assert len(ROBOTS) >= 60
    assert {*DEFECTS, *MASSLESS, *FREE_FLOATING, *ON_A_FREE_BASE, *VARIANTS} <= set(ROBOTS)
    assert {*IN_C, *IN_MUJOCO} <= set(WHOLE)


@pytest.mark.parametrize("name", some(WHOLE, EVERY_RUN))
def test_generated_code_agrees_with_others(name: str, tmp_path: Path) -> None:
    """What is derived once, in NumPy and C, against Pinocchio and MuJoCo."""
    functions = tuple(item for item in FUNCTIONS if name not in MASSLESS or item != "forward_dynamics")
    languages = ["numpy", "c"] if name in IN_C else ["numpy"]
    generate(read(ROBOTS[name]), tmp_path, languages=languages, functions=functions)
    (manifest,) = tmp_path.glob("*.json")
    module = load_numpy(manifest.with_suffix(".py"))
    compiled = [load_c(tmp_path, manifest.stem, (*WARNINGS, "-O0"))] if name in IN_C else []
    assert any(joint["type"] == "free" for joint in module.manifest["joints"]) == (name in FREE_FLOATING)
    against_pinocchio(name, module, *compiled)
    if name in IN_MUJOCO:
        against_mujoco(name, module)


@pytest.mark.parametrize("name", some(ON_A_FREE_BASE, ON_A_FREE_BASE[:3]))
def test_floating_robots_agree_with_pinocchio(name: str, tmp_path: Path) -> None:
    module = module_of(read(ROBOTS[name], LoadOptions(floating=True)), tmp_path)
    assert module.manifest["nq"] == module.manifest["nv"] + 1
    against_pinocchio(name, module)


def against_mujoco(name: str, module: LoadedModule) -> None:
    robot = description(ROBOTS[name])
    coupling = Coupling.of(robot, module)
    for joint in robot.findall("joint"):
        for part in ("mimic", "limit"):
            for element in joint.findall(part):
                joint.remove(element)
        if joint.get("type") == "revolute":
            joint.set("type", "continuous")
    # Static bodies stay bodies, so that none of the mass is lost; inertias are taken as they stand.
    settings = ElementTree.SubElement(ElementTree.SubElement(robot, "mujoco"), "compiler")
    settings.attrib |= {"fusestatic": "false", "balanceinertia": "false"}
    model = mujoco.MjModel.from_xml_string(ElementTree.tostring(robot, encoding="unicode"))
    data = mujoco.MjData(model)
    rows = np.zeros((model.nv, module.manifest["nv"]))
    offsets = np.zeros(model.nv)
    for index in range(model.njnt):
        rows[model.jnt_dofadr[index]] = coupling.rows[model.joint(index).name]
        offsets[model.jnt_dofadr[index]] = coupling.offsets[model.joint(index).name]
    assert model.nq == model.nv == model.njnt
    comparison = Comparison(module)
    moving = [index for index in range(model.nbody) if model.body_weldid[index] != 0]
    for number in range(STATES):
        state = comparison.state(number)
        data.qpos, data.qvel, data.qacc = rows @ state["q"] + offsets, rows @ state["v"], rows @ state["vdot"]
        mujoco.mj_inverse(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        expected = {"inverse_dynamics": rows.T @ data.qfrc_inverse, "bias_force": rows.T @ data.qfrc_bias}
        expected["mass_matrix"] = rows.T @ full @ rows
        expected["forward_dynamics"] = np.linalg.solve(expected["mass_matrix"], state["tau"] - expected["bias_force"])
        masses = model.body_mass[moving]
        expected["center_of_mass"] = masses @ data.xipos[moving] / masses.sum()
        comparison.check(number, expected)


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_named_with_its_place(name: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(ROBOTS[name])
    assert DEFECTS[name] in str(caught.value)
    path, line, column = caught.value.where.rsplit(":", 2)
    assert path == str(ROBOTS[name])
    assert int(line) > 0
    assert int(column) > 0
    assert caught.value.remedy
    # The defect is the file's: nobody could read it.
    robot = ElementTree.parse(ROBOTS[name]).getroot()
    joints = [joint.get("name") for joint in robot.findall("joint")]
    assert not robot.findall("link") or "index_q1" not in joints


@pytest.mark.parametrize("name", MASSLESS)
def test_a_joint_that_moves_no_mass_is_named(name: str, tmp_path: Path) -> None:
    model = read(ROBOTS[name])
    with pytest.raises(DerivationError) as caught:
        generate(model, tmp_path, functions=["forward_dynamics"])
    assert caught.value.where == f"joint {MASSLESS[name]}"
    assert not list(tmp_path.iterdir())
    # The defect is the file's: Pinocchio finds no inertia there either.
    module = module_of(model, tmp_path, ("mass_matrix",))
    matrix = Twin(description(ROBOTS[name]), module).results(Comparison(module).state(0))["mass_matrix"]
    (start,) = (joint["v"][0] for joint in module.manifest["joints"] if joint["name"] == MASSLESS[name])
    assert np.abs(matrix).max() > 0
    assert np.abs(matrix[start]).max() < 1e-14


@pytest.mark.parametrize("name", ["panda_description/urdf/panda.urdf", *further("solo_description/robots/solo12.urdf")])
def test_derivatives_of_floating_robots_agree_with_pinocchio(name: str, tmp_path: Path) -> None:
    """Its tangent of a free joint is ours, in the moving frame's axes, linear first; mimic joints follow."""
    functions = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
    module = module_of(read(ROBOTS[name], LoadOptions(floating=True)), tmp_path, functions)
    twin = Twin(description(ROBOTS[name]), module)
    rows, square = twin.rows, twin.rows.shape[0] == twin.rows.shape[1]
    every = states(module, np.random.default_rng(2))
    for number in range(STATES):
        state = {key: values[number] for key, values in every.items()}
        q, v = twin.q(state["q"]), rows @ state["v"]
        # Arrays of Pinocchio's are views of its data, which the next call writes.
        derived = pin.computeRNEADerivatives(twin.model, twin.data, q, v, rows @ state["vdot"])
        expected = [matrix.copy() for matrix in derived[:2]]
        found = [*module.functions[functions[0]](state["q"], state["v"], state["vdot"])]
        sizes = [1.0, 1.0]
        if square:
            # Rounding of accelerations is magnified by the condition of the mass matrix.
            condition = float(np.linalg.cond(twin.results(state)["mass_matrix"]))
            derived = pin.computeABADerivatives(twin.model, twin.data, q, v, rows @ state["tau"])
            expected += [matrix.copy() for matrix in derived]
            expected[-1] = np.triu(expected[-1]) + np.triu(expected[-1], 1).T
            found += [*module.functions[functions[1]](state["q"], state["v"], state["tau"])]
            sizes += [condition] * 3
        for left, right, size in zip(found, expected, sizes, strict=True):
            right = rows.T @ right @ rows
            assert np.abs(left - right).max() <= AGREEMENT * size * np.abs(right).max()
