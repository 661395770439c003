"""All speeds of closed loops from the independent ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbsym
from mbsym import examples
from mbsym.codegen.load import load_numpy
from mbsym.derivatives.loop_functions import INDEPENDENT_DERIVATIVES
from mbsym.loops.assembly import assemble
from mbsym.loops.independent import DEPENDENT_SPEEDS
from mbsym.loops.redundancy import analyse_loops
from mbsym.symbolic.equality import compare
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar, symbol
from mechanisms.mechanism import mechanism_of
from mechanisms.random_mechanisms import random_closed_loops


@pytest.mark.parametrize("name", ["four_bar", "five_bar", "slider_crank", 0, 3])
def test_they_are_the_motions_of_independent_speeds(name: str | int) -> None:
    """N v_i, exactly, with N as the derivatives in independent coordinates have it."""
    points = ("distance", "point_on_line")
    model = examples.load(name) if isinstance(name, str) else random_closed_loops(name, constraints=points)[0]
    mechanism = mechanism_of(model)
    loops, graph = analyse_loops(mechanism), mechanism.graph
    found = DEPENDENT_SPEEDS(mechanism, loops)
    (motion,) = [item for item in INDEPENDENT_DERIVATIVES[0](mechanism, loops).outputs if item.name == "N"]
    count = motion.shape[1]
    given = [symbol(graph, f"v_independent[{k}]") for k in range(count)]
    wanted = []
    for row in range(mechanism.nv):
        entries = (Scalar(graph, ref) for ref in motion.values[row * count : (row + 1) * count])
        wanted.append(sum((x * y for x, y in zip(entries, given, strict=True)), Scalar(graph, 0)).ref)
    expected = Program(found.name, graph, found.inputs, (Output("v", (mechanism.nv,), tuple(wanted)),))
    assert compare(found, expected)


def test_a_platform_moves_as_its_six_motors_do(tmp_path: Path) -> None:
    """They are taken as independent, and told."""
    mbsym.generate("stewart_platform", tmp_path, functions=["dependent_speeds", "constraint_jacobian"])
    module = load_numpy(tmp_path / "stewart_platform.py")
    function = module.functions["dependent_speeds"]
    assert [item.shape for item in function.inputs][1] == (6,)
    manifest = next(item for item in module.manifest["functions"] if item["name"] == "dependent_speeds")
    motors = [joint.name for joint in examples.load("stewart_platform").joints if joint.actuated]
    assert f"(independent: {', '.join(f'v_{name}' for name in motors)})" in manifest["description"]
    q = assemble(examples.load("stewart_platform")).q
    v = function(q, np.arange(6.0))
    assert np.abs(module.functions["constraint_jacobian"](q) @ v).max() < 1e-12
    assert set(np.arange(6.0)) <= set(v)


def test_held_speeds_count_like_loops(tmp_path: Path) -> None:
    """A bicycle that goes straight on: rates of lean and steering and the spin of the rear wheel tell the rest."""
    mbsym.generate("bicycle", tmp_path, functions=["dependent_speeds"])
    module = load_numpy(tmp_path / "bicycle.py")
    q = np.array([1, 0, 0, 0, 0, 0, 0.3, 0, 0, 0])
    v = module.functions["dependent_speeds"](q, np.array([0.0, 5.0, 0.0]))
    assert v == pytest.approx([0, 0, 0, 1.5, 0, 0, 5, 0, 1.5 / 0.35])


def test_structures_have_none(tmp_path: Path) -> None:
    path = tmp_path / "held.yaml"
    path.write_text(
        "name: held\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {p: {type: revolute, from: ground, to: a}}\n"
        "constraints: {c: {type: expression, expression: q_p - 0.3, unit: rad}}\n",
        encoding="utf-8",
    )
    with pytest.raises(mbsym.MbsymError, match="has no function 'dependent_speeds'"):
        mbsym.generate(path, tmp_path / "build", functions=["dependent_speeds"])
