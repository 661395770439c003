"""Random trees with equal limbs: the same joints, and other numbers, mirrored ones and other zeros among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbsym.model.body import Body, Placement
from mbsym.model.joint import Joint
from mbsym.model.system import Model

KINDS = ("revolute", "revolute", "revolute", "prismatic", "universal", "spherical", "cylindrical", "fixed")


def limbed(seed: int, limbs: int = 0) -> Model:
    """A trunk, free or on ground, a torso on it, and on each of both, or on ground, groups of equal limbs.

    Args:
        seed: of NumPy's default generator.
        limbs: of each group; 0 draws two to five.
    """
    rng = np.random.default_rng(seed)
    bodies = [_body(rng, "trunk"), _body(rng, "torso")]
    root = str(rng.choice(["free", "free", "revolute"]))
    joints = [_joint(rng, "root", root, "ground", "trunk"), _joint(rng, "waist", "revolute", "trunk", "torso")]
    for group, carrier in enumerate(rng.permutation(["trunk", "torso", "ground"])[: int(rng.integers(1, 3))]):
        kinds = ["revolute", *map(str, rng.choice(KINDS, int(rng.integers(1, 4))))]
        tree = [max(k - int(rng.integers(1, 3)), -1) if k else -1 for k in range(len(kinds))]
        flipped, zeros = rng.random(len(kinds)) < 0.3, rng.random((len(kinds), 16)) < 0.4
        for limb in range(limbs or int(rng.integers(2, 6))):
            own = zeros if rng.random() < 0.7 else rng.random(zeros.shape) < 0.4
            names = [f"{group}{limb}{place}" for place in range(len(kinds))]
            for place, kind in enumerate(kinds):
                inner = str(carrier) if tree[place] < 0 else names[tree[place]]
                bodies.append(_body(rng, names[place], own[place]))
                ends = (names[place], inner) if flipped[place] else (inner, names[place])
                joints.append(_joint(rng, f"j{names[place]}", kind, *ends, own[place]))
    return Model(f"limbed_{seed}", tuple(bodies), tuple(joints))


def _number(rng: np.random.Generator, is_zero: Any = False) -> float:
    return 0.0 if is_zero else round(float(rng.choice([-1, 1]) * rng.uniform(0.05, 0.3)), 2)


def _body(rng: np.random.Generator, name: str, zeros: Any = (False,) * 16) -> Body:
    x, y, z = (_number(rng, is_zero) for is_zero in zeros[:3])
    products = [0.1 * _number(rng, is_zero) for is_zero in zeros[3:6]]
    principal = [round(float(rng.uniform(0.2, 0.3)), 3) for _ in range(3)]
    return Body(name, round(float(rng.uniform(0.5, 3)), 2), (x, y, z), (*principal, *products))


def _joint(rng: np.random.Generator, name: str, kind: str, inner: str, outer: str, zeros: Any = (False,) * 16) -> Joint:
    x, y, z = (_number(rng, is_zero) for is_zero in zeros[6:9])
    turns = (("x", _number(rng)),) if zeros[9] else (("z", "pi/2" if zeros[10] else "-pi/2"),)
    armature = 0 if zeros[11] or kind == "fixed" else abs(_number(rng))
    axes: dict[str, Any] = {"axis": (1, 0, 0), "second_axis": (0, 1, 0)} if kind == "universal" else {}
    return Joint(name, kind, inner, outer, predecessor_placement=Placement((x, y, z), turns), armature=armature, **axes)
