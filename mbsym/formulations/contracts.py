"""Functions as contracts: what each is called, takes and returns, in which words, and what it is checked with.

A formulation returns entries. The contract makes the Program of them, and with it header, manifest and documents; the
certificate reads in it what the function must agree with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from mbsym.codegen.statuses import Failure
from mbsym.errors import DerivationError
from mbsym.kinematics.coordinates import common_unit
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar

Entries: TypeAlias = "Scalar | Sequence[Entries]"
"""Entries of an array, row-major, flat or nested in any way."""

Size: TypeAlias = (
    "int | Literal['nq', 'nv', 'nb', '6nb', 'nj', 'held', 'unknowns', 'nf', '6nf', 'nu', 'ny', 'nx', 'rows', 'gaps', "
    "'independent', 'np', 'nbase', 'state', 'states', 'ends', 'ends + 1']"
)
"""A length, or whose number it is: coordinates, speeds, bodies, entries of their twists, joints, constraint forces of
these, all unknowns of a formulation, frames, entries of their twists, control inputs, outputs, states of drives,
closure rows that are independent, or all, speeds that they leave independent, standard parameters, base parameters;
entries of a state vector, of those of all elements, of a position, and with a right side."""


TIMED: Final = ("t", "u", "x")
"""Time, control inputs and states of drives, which only some models use."""


@dataclass(frozen=True, slots=True)
class Result:
    """An array that a function returns.

    Attributes:
        name: identifier.
        shape: of the array; () for a scalar.
        unit: of its entries, or "" where they differ.
        description: one line for headers and documentation.
        kind: of its entries; integers come from fixed text.
    """

    name: str
    shape: tuple[Size, ...] = ()
    unit: str = ""
    description: str = ""
    kind: Literal["real", "int"] = "real"


@dataclass(frozen=True, slots=True)
class Display:
    """How documents show the function's first result.

    Attributes:
        letter: in formulas.
        title: heading.
        sentence: what it is, with its place in the equations of motion.
        symmetric: True where entries below the diagonal are left out.
    """

    letter: str
    title: str
    sentence: str
    symmetric: bool = False


@dataclass(frozen=True, slots=True)
class Contract:
    """What a function is to everyone who does not derive it.

    Attributes:
        name: identifier.
        inputs: names of the arguments in order; q, v, vdot and tau are the mechanism's, t, u and x (time,
            control inputs, states of drives) too in models that use them, others are the derivation's.
        results: in order.
        description: one line for headers, manifest and documentation.
        display: how documents show it; None where they do not.
        reference: method of ``mbsym.reference.Reference`` that returns the first result, or METHOD.ATTRIBUTE of what
            it returns; "" where there is none.
        identities: names of the checks in ``mbsym.verification.identities`` that it must pass besides.
        solves: it solves for accelerations, which magnifies rounding by the condition of the mass matrix.
        failures: what it may return besides OK by its fixed text; derived code answers for its own divisions.
    """

    name: str
    inputs: tuple[str, ...]
    results: tuple[Result, ...]
    description: str
    display: Display | None = None
    reference: str = ""
    identities: tuple[str, ...] = ()
    solves: bool = False
    failures: tuple[Failure, ...] = ()

    def program(self, mechanism: Mechanism, found: Entries | Derived) -> Program:
        """The function as a Program over the mechanism's graph.

        Raises:
            DerivationError: an argument or a size is nobody's, or a result lacks its entries.
            SymbolicError: a result has more or fewer entries than its shape.
        """
        derived = found if isinstance(found, Derived) else Derived(found)
        entries = derived.entries
        if not isinstance(entries, Mapping):
            entries = {self.results[0].name: entries}
        if list(entries) != [result.name for result in self.results]:
            raise DerivationError(
                f"the derivation returns {', '.join(entries)}",
                where=self.name,
                remedy=f"return {', '.join(result.name for result in self.results)}",
            )
        known = {item.name: item for item in (mechanism.q, mechanism.v, mechanism.vdot, mechanism.tau)}
        known |= {item.name: item for item in (*mechanism.extra_inputs, *derived.inputs)}
        sizes = {**sizes_of(mechanism), **derived.sizes}
        units = units_of(mechanism)
        description = derived.description or self.description
        try:
            inputs = tuple(known[name] for name in self.inputs if name in known or name not in TIMED)
            shapes = [tuple(sizes[n] if isinstance(n, str) else n for n in result.shape) for result in self.results]
        except KeyError as error:
            raise DerivationError(
                f"nothing is known of {error}", where=self.name, remedy="let the derivation give it"
            ) from None
        return Program(
            self.name,
            mechanism.graph,
            inputs,
            tuple(
                Output(
                    result.name,
                    shape,
                    references(entries[result.name]),
                    result.unit or units.get(result.name, ""),
                    result.description,
                )
                for result, shape in zip(self.results, shapes, strict=True)
            ),
            mechanism.parameters,
            f"{description} ({derived.how})" if derived.how else description,
        )


_HEAD: Final = re.compile(r"(?:(\w+) = )?(\w+)(?:\((.*)\))?(?:\[(.*)\])?")


def head_of(text: str) -> tuple[str, str, tuple[str, ...], Any]:
    """Letter, name, inputs and shape by a head such as ``V = partial_velocities(q)[6nb, nv]``.

    Where the letter is the name it goes without saying, and so do no inputs and the shape of a scalar.
    """
    found = _HEAD.fullmatch(text)
    assert found is not None, text
    letter, name, inputs, shape = found.groups()
    words, lengths = (tuple(filter(None, (part or "").split(", "))) for part in (inputs, shape))
    return letter or name, name, words, tuple(int(each) if each.isdecimal() else each for each in lengths)


def contract(
    head: str,
    description: str,
    *results: Result | str,
    display: Display | None = None,
    reference: str = "",
    identities: tuple[str, ...] = (),
    solves: bool = False,
    failures: tuple[Failure, ...] = (),
) -> Contract:
    """A contract by its head, such as ``mass_matrix(q)``, those of results with what they are: ``M[nv, nv]: all``.

    A result of which nothing is said has the description of the function.
    """
    _, name, inputs, _ = head_of(head)
    made = tuple(_result(item, description) if isinstance(item, str) else item for item in results)
    return Contract(name, inputs, made, description, display, reference, identities, solves, failures)


def _result(text: str, description: str) -> Result:
    head, _, told = text.partition(": ")
    _, name, _, shape = head_of(head)
    return Result(name, shape, "", told or description)


def units_of(mechanism: Mechanism) -> dict[str, str]:
    """Units of results that are coordinates, speeds, rates or forces, by name; "" where entries differ."""
    force = mechanism.tau.unit
    return {
        "q_assembled": mechanism.q.unit,
        "q_closed": mechanism.q.unit,
        "q_moved": mechanism.q.unit,
        "v_consistent": mechanism.v.unit,
        "vdot": mechanism.vdot.unit,
        "tau": force,
        "bias": force,
        "gravity": force,
        "driving": force,
        "q_prescribed": mechanism.q.unit,
        "v_prescribed": mechanism.v.unit,
        "xdot": common_unit([[item.rate_unit] for item in mechanism.model.drives]),
    }


def sizes_of(mechanism: Mechanism) -> dict[str, int]:
    """What the names of lengths stand for, but for those of closure rows."""
    return {
        "nq": mechanism.nq,
        "nv": mechanism.nv,
        "nb": mechanism.nb,
        "nj": mechanism.nb + len(mechanism.cut_joints),
        "nf": len(mechanism.frames),
        "6nf": 6 * len(mechanism.frames),
        "nu": len(mechanism.model.inputs),
        "ny": len(mechanism.model.outputs),
        "nx": len(mechanism.model.drives),
    }


def references(entries: Entries) -> tuple[int, ...]:
    """References of all entries in order."""
    return tuple(_flat(entries))


def _flat(entries: Entries) -> Iterator[int]:
    if isinstance(entries, Scalar):
        yield entries.ref
    else:
        for entry in entries:
            yield from _flat(entry)


@dataclass(frozen=True, slots=True)
class Derived:
    """What a derivation returns where entries alone do not say enough.

    Attributes:
        entries: of the only result, or of each result by name.
        how: the way they were derived, in words; stands in brackets behind the contract's description.
        description: takes the place of the contract's.
        inputs: arguments that are not the mechanism's.
        sizes: those that the mechanism does not know, such as "rows", "gaps", "independent", "np" and "nbase".
    """

    entries: Entries | Mapping[str, Entries]
    how: str = ""
    description: str = ""
    inputs: tuple[Input, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)


Derivation: TypeAlias = Callable[[Mechanism], "Entries | Derived"]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that can be generated: its contract, and a derivation of its entries."""

    contract: Contract
    derive: Derivation

    @property
    def name(self) -> str:
        """Of the contract."""
        return self.contract.name

    def __call__(self, mechanism: Mechanism) -> Program:
        """The Program for a mechanism.

        Raises:
            DerivationError: the derivation does not cover the mechanism.
        """
        return self.contract.program(mechanism, self.derive(mechanism))


def functions_by_name(*functions: Function) -> Mapping[str, Function]:
    """Functions that a formulation derives in its own way."""
    return {function.name: function for function in functions}


# ---- the functions of every tree ------------------------------------------------------------------------------------

FORWARD_DYNAMICS: Final = contract(
    "forward_dynamics(q, v, tau, t, u, x)",
    "rates of the speeds under the generalised forces tau",
    "vdot[nv]: rates of the speeds",
    reference="solve.vdot",
    solves=True,
)

INVERSE_DYNAMICS: Final = contract(
    "inverse_dynamics(q, v, vdot, t, u, x)",
    "generalised forces that produce the rates vdot",
    "tau[nv]: generalised forces",
    reference="inverse_dynamics",
    identities=("tau of forward_dynamics",),
)

MASS_MATRIX: Final = contract(
    "mass_matrix(q)",
    "mass matrix",
    "M[nv, nv]",
    display=Display("M", "Mass matrix", "M(q), the factor of vdot in the equations of motion.", symmetric=True),
    reference="mass_matrix",
)

BIAS_FORCE: Final = contract(
    "bias_force(q, v, t, u, x)",
    "velocity, gravity and force element terms: M(q) vdot + bias(q, v) = tau",
    "bias[nv]: bias forces",
    display=Display("h", "Bias forces", "h(q, v): velocity, gravity and force element terms."),
    reference="bias_force",
)

GRAVITY_FORCE: Final = contract(
    "gravity_force(q)",
    "generalised forces that hold the mechanism against gravity",
    "gravity[nv]: gravity forces",
    display=Display("g", "Gravity forces", "g(q): the forces that hold the mechanism against gravity."),
    reference="gravity_force",
    identities=("power of potential",),
)

KINETIC_ENERGY: Final = contract(
    "kinetic_energy(q, v)",
    "kinetic energy with rotor inertias",
    Result("energy", (), "J", "kinetic energy with rotor inertias"),
    reference="kinetic_energy",
    identities=("v.M v / 2",),
)

POTENTIAL_ENERGY: Final = contract(
    "potential_energy(q)",
    "potential energy of gravity and springs",
    Result("energy", (), "J", "potential energy of gravity and springs"),
    reference="potential_energy",
)

POSITION_RATE: Final = contract(
    "position_rate(q, v)", "rates of the coordinates", "qdot[nq]", reference="position_rate"
)

BODY_POSES: Final = contract(
    "body_poses(q)", "homogeneous matrices from body frames to the base frame", "poses[nb, 4, 4]", reference="poses"
)

BODY_VELOCITIES: Final = contract(
    "body_velocities(q, v)",
    "[omega; v] of body frames in body axes at the frames' origins",
    "velocities[nb, 6]",
    reference="velocities",
)

BODY_JACOBIANS: Final = contract(
    "body_jacobians(q)",
    "Jacobians of body frames in body axes at the frames' origins",
    "jacobians[nb, 6, nv]",
    reference="jacobians",
    identities=("difference of poses",),
)

JOINT_WRENCHES: Final = contract(
    "joint_wrenches(q, v, tau, t, u, x)",
    "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the successor",
    "wrenches[nb, 6]: joint wrenches",
    reference="solve.wrenches",
    solves=True,
)

CENTER_OF_MASS: Final = contract(
    "center_of_mass(q)",
    "centre of mass in base axes",
    Result("com", (3,), "m", "centre of mass in base axes"),
    reference="center_of_mass",
)

MOMENTUM: Final = contract(
    "momentum(q, v)", "[angular about the centre of mass; linear] in base axes", "momentum[6]", reference="momentum"
)
