"""What the user wants to know of a motion: the outputs of a model, in modules of models that have some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Function, contract
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.kinematics.scene import MechanismInMotion
from mbsym.records import Registry
from mbsym.symbolic.scalar import Scalar
from mbsym.values.frame_quantities import value_frames
from mbsym.values.parameter import Value


def named_values(mechanism: Mechanism, expressions: Sequence[Value]) -> list[Scalar]:
    """Expressions of what a model names, evaluated in motion."""
    frames = any(map(value_frames, expressions))
    scene = MechanismInMotion(mechanism, joint_speeds(mechanism), with_bodies=frames)
    return [scene.value(expression) for expression in expressions]


def _outputs(mechanism: Mechanism) -> list[Scalar]:
    with mechanism.graph.section("outputs"):
        return named_values(mechanism, [item.expression for item in mechanism.model.outputs])


OUTPUT_FUNCTIONS: Final = Registry(
    "function",
    (
        Function(
            contract(
                "outputs(q, v, t, u, x)",
                "outputs of the model, in its order",
                "y[ny]: outputs of the model",
                reference="outputs",
            ),
            _outputs,
        ),
    ),
    DerivationError,
)
"""Over the outputs of a model; they cost nothing where there are none."""
