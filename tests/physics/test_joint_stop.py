"""A stop throws a body back as Hunt and Crossley have it."""

from __future__ import annotations

from math import log, pi, sqrt
from pathlib import Path

import numpy as np
import pytest

import mbsym

MASS, STIFFNESS = 2.0, 5000.0
MODEL = """\
name: buffer
gravity: [0, 0, 0]
bodies: {{cart: {{mass: {mass}, inertia: [1, 1, 1]}}}}
joints: {{rail: {{type: prismatic, from: ground, to: cart, axis: x}}}}
forces:
  stop: {{type: joint_stop, joint: rail, side: {side}, limit: {at}, stiffness: {stiffness}, damping: {damping}}}
"""


def thrown_back(path: Path, side: str, damping: float, speed: float) -> tuple[float, np.ndarray, np.ndarray]:
    sign = 1 if side == "upper" else -1
    path.write_text(
        MODEL.format(mass=MASS, side=side, at=0.1 * sign, stiffness=STIFFNESS, damping=damping), encoding="utf-8"
    )
    accuracy = mbsym.Accuracy(rtol=1e-10, atol=1e-12)
    motion = mbsym.simulate(path, 0.3, initial={"v_rail": sign * speed}, accuracy=accuracy, output_step=1e-3)
    return float(-sign * motion.v[-1, 0]), motion.t, sign * motion.q[:, 0]


@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("damping", [0.0, 0.05, 0.4])
def test_speeds_after_a_stop(tmp_path: Path, side: str, damping: float) -> None:
    """c v (1 + e) = ln((1 + c v) / (1 - c e v)), with e = 1 where nothing is damped."""
    speed = 1.5
    back, _, place = thrown_back(tmp_path / "buffer.yaml", side, damping, speed)
    if damping == 0.0:
        assert back == pytest.approx(speed, rel=1e-7)
        assert place.max() == pytest.approx(0.1 + speed * sqrt(MASS / STIFFNESS), abs=1e-5)
    else:
        assert 0 < back < speed
        cv, cev = damping * speed, damping * back
        assert cv + cev == pytest.approx(log((1 + cv) / (1 - cev)), rel=1e-6)


def test_how_long_it_is_in_touch(tmp_path: Path) -> None:
    """Half a period without damping."""
    _, t, place = thrown_back(tmp_path / "buffer.yaml", "upper", 0.0, 1.0)
    inside = t[place > 0.1]
    assert inside[-1] - inside[0] == pytest.approx(pi * sqrt(MASS / STIFFNESS), abs=2.1e-3)


def test_it_never_pulls(tmp_path: Path) -> None:
    """Torn out quickly, it lets go: the force is zero and not towards the stop."""
    thrown_back(tmp_path / "buffer.yaml", "upper", 0.4, 1.0)
    mbsym.generate(tmp_path / "buffer.yaml", tmp_path / "build", languages=["numpy"])
    module = mbsym.codegen.load.load_numpy(tmp_path / "build" / "buffer.py").functions
    force = module["bias_force"](np.array([[0.2]] * 3 + [[0.05]]), np.array([[0.0], [-2.5], [-9.0], [3.0]]))
    assert force[:, 0] == pytest.approx([STIFFNESS * 0.1, 0, 0, 0])


def test_a_stop_is_certified(tmp_path: Path) -> None:
    thrown_back(tmp_path / "buffer.yaml", "lower", 0.4, 1.0)
    certificate = mbsym.verify(tmp_path / "buffer.yaml", states=6)
    assert certificate.passed, certificate.summary()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("side: upper", "side: above"), "'above' is not known here; say upper or lower"),
        (("joint: rail", "joint: rial"), "'rial', which does not exist; did you mean 'rail'"),
        (("limit: 0.1", "limit: 5deg"), "deg"),
    ],
)
def test_mistakes(tmp_path: Path, change: tuple[str, str], what: str) -> None:
    text = MODEL.format(mass=1, side="upper", at=0.1, stiffness=1, damping=0).replace(*change)
    (tmp_path / "buffer.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(mbsym.MbsymError, match=what):
        mbsym.load(tmp_path / "buffer.yaml")
