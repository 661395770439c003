"""What can be identified of a model: its base parameters, and what rows measured forces and motions give for these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from mbsym.doors import Array
from mbsym.errors import IdentificationError
from mbsym.forces.element import ForceElement
from mbsym.identification.measurements import column_names, column_units
from mbsym.identification.smoothing import Motion
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.observables import body_jacobian_columns
from mbsym.loops.actuation import actuated_columns
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.names import TIME
from mbsym.model.system import Model
from mbsym.options.generation import GenerationOptions
from mbsym.pipeline import express, read
from mbsym.regressors.base_parameters import BaseParameters, base_parameters_of
from mbsym.regressors.columns import dense, force_columns, of_element
from mbsym.regressors.parameters import linear_places
from mbsym.regressors.sampled import sampled_program
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.values.numbers import value_names

_DRIVES: Final = 1e-6
"""Determinant of the motors' motions along the free ones, relative to their sizes, below which motors do not drive."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A model ready for identification.

    Attributes:
        mechanism: of the model without forces that depend on inputs or time: those are part of the measured ones; and
            without laws in which no parameter stands as a factor: those are known.
        loops: closed ones, if there are any.
        found: its base parameters.
        program: base regressor, known forces, and G of closed loops.
        forces: columns of v whose forces are measured.
        known: names of force elements that are taken as the model has them.
    """

    mechanism: Mechanism
    loops: LoopAnalysis | None
    found: BaseParameters
    program: Program
    forces: tuple[int, ...]
    known: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the forces."""
        tau = column_names(self.mechanism).tau
        return tuple(tau[k] for k in self.forces)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the forces."""
        units = column_units(self.mechanism)
        return tuple(units[name] for name in self.names)

    def rows(self, motion: Motion) -> tuple[Array, Array]:
        """Regressor (n, forces, nbase), and measured forces (n, forces) less the known ones, at each sample."""
        values = self._values(motion.q, motion.v, motion.vdot)
        known = self._seen(values, "known", len(motion.q))[:, :, 0]
        return self._seen(values, "Y", len(motion.q)), motion.tau[:, list(self.forces)] - known

    def regressor(self, q: Array, v: Array, vdot: Array) -> Array:
        """(n, forces, nbase) at each sample."""
        return self._seen(self._values(q, v, vdot), "Y", len(q))

    def _values(self, q: Array, v: Array, vdot: Array) -> Mapping[str, Array]:
        given = {"q": q, "v": v, "vdot": vdot}
        return interpret(self.program, {item.name: given[item.name] for item in self.program.inputs})

    def _seen(self, values: Mapping[str, Array], name: str, count: int) -> Array:
        """Columns over all speeds (nv, k) as the measured forces see them (count, forces, k)."""
        whole: Array = np.broadcast_to(values[name], (count, *values[name].shape[-2:]))
        if self.loops is None:
            return whole[:, list(self.forces)]
        return np.asarray(np.einsum("nvf,nvb->nfb", self._free(values["G"], self.loops.mobility), whole))

    def _free(self, G: Array, freedom: int) -> Array:
        """Motions (n, nv, forces) that the loops leave, each with one motor going at speed one and the others still."""
        null = np.swapaxes(np.linalg.svd(G)[2], 1, 2)[:, :, -freedom:]
        driven = null[:, list(self.forces), :]
        if np.abs(np.linalg.det(driven)).min(initial=1.0) < _DRIVES:
            raise IdentificationError(
                "in some samples the motors do not drive the loops",
                where=self.mechanism.model.name,
                remedy="leave out samples near singular positions, or measure other joints",
            )
        return np.asarray(null @ np.linalg.inv(driven))


def base_parameters(
    source: Model | str | Path, *, symbolic_parameters: str | Sequence[str] = "", order: str = "weight"
) -> BaseParameters:
    """The fewest sums of standard parameters that the forces of a model depend on.

    Args:
        source: a model, a model file, or the name of a bundled example.
        symbolic_parameters: those that stay symbols in coefficients: "" as the model says, "all", "none", or names.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.

    Raises:
        MbsymError: the model or a name is unusable, loops cannot be closed, or nothing can move.
    """
    asked = symbolic_parameters if isinstance(symbolic_parameters, str) else tuple(symbolic_parameters)
    mechanism = express(read(source), GenerationOptions(symbolic_parameters=asked, order=order))
    return base_parameters_of(mechanism, _loops_of(mechanism))


def regression_of(model: Model) -> Regression:
    """Base parameters of a model and the program of their regressor.

    Raises:
        IdentificationError: motors and freedoms of closed loops differ in number, or nothing can move.
        MbsymError: the model is unusable.
    """
    mechanism = express(_passive(model), GenerationOptions(symbolic_parameters="none"))
    loops = _loops_of(mechanism)
    forces = tuple(range(mechanism.nv))
    if loops is not None:
        forces = tuple(actuated_columns(mechanism))
        if len(forces) != loops.mobility:
            raise IdentificationError(
                f"the loops leave {loops.mobility} freedoms, and {len(forces)} joints are actuated",
                where=model.name,
                remedy="mark as many joints (actuated: true) as there are freedoms",
            )
    found = base_parameters_of(mechanism, loops)
    columns = force_columns(mechanism)
    zero = Scalar(mechanism.graph, 0)
    known = _known(model)
    jacobians = body_jacobian_columns(mechanism)
    held = [of_element(mechanism, element, jacobians) for element in known]
    total = tuple(sum(row, zero).ref for row in dense(mechanism, held))
    more = [Output("known", (mechanism.nv, 1), total)]
    if loops is not None:
        entries = tuple(row.jacobian.get(k, zero).ref for row in loops.rows for k in range(mechanism.nv))
        more.append(Output("G", (len(loops.rows), mechanism.nv), entries))
    program = sampled_program(mechanism, [columns[item.column] for item in found.base], more)
    return Regression(mechanism, loops, found, program, forces, tuple(element.name for element in known))


def _loops_of(mechanism: Mechanism) -> LoopAnalysis | None:
    """The closed loops, None for a tree.

    Raises:
        DerivationError: they cannot be closed.
        IdentificationError: nothing can move.
    """
    closed = mechanism.cut_joints or mechanism.model.constraints
    loops = analyse_loops(mechanism) if closed else None
    if not mechanism.nv or (loops is not None and loops.is_structure):
        raise IdentificationError(
            "a structure, which tells nothing of its parameters" + (": its loops leave no freedom" if loops else ""),
            where=mechanism.model.name,
            remedy="give the model something that moves: a joint that is not fixed, or loops with a freedom",
        )
    return loops


def _known(model: Model) -> tuple[ForceElement, ...]:
    """Force elements that count as a whole and that coordinates and speeds decide."""
    given = {TIME, *(item.name for item in model.inputs), *(item.name for item in model.drives)}
    return tuple(
        element
        for element in model.forces
        if not linear_places(model, element)
        and not element.named("input")
        and not any(given.intersection(value_names(each)) for each in element.expressions)
    )


def _passive(model: Model) -> Model:
    """The model without motions and force elements that count as a whole or take inputs; joints that they drive stay
    actuated."""
    kept = tuple(element for element in model.forces if linear_places(model, element) and not element.named("input"))
    joints = tuple(replace(joint, actuated=joint.name in model.motors) for joint in model.joints)
    return replace(model, forces=kept, inputs=(), motions=(), drives=(), joints=joints)
