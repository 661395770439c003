"""The transfer matrices of a mechanism by name: of elements, from any point to one beyond it, and the overall equation.

    Z_out = U Z_in,   T(A, B) = U(B) ... from the output end of A to that of B,   U_all Q + u = 0

Each in steps of time and, with the suffix _a, of accelerations. ``element_matrices`` derives the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from mbsym.errors import DerivationError
from mbsym.formulations.contracts import Derived, Size
from mbsym.formulations.quantity import Quantity, quantities_by_name
from mbsym.kinematics.mechanism import Mechanism
from mbsym.transfer_matrix.element_matrices import SCHEME, ElementMatrices, Matrix
from mbsym.transfer_matrix.overall import Level

_LI: Final = "Li, Rui 2005, equations (4) to (10)"
_NEW: Final = "Rui et al. 2016, accelerations as state variables"
_SIGNS: Final = "M and Q are those of the inboard on the outboard element, at both ends"
_INPUTS: Final[Mapping[Level, tuple[str, ...]]] = {
    "steps": ("q", "v", "tau", "t", "u", "x", SCHEME),
    "accelerations": ("q", "v", "tau", "t", "u", "x"),
}
_STATES: Final[Mapping[Level, str]] = {
    "steps": "Z = [x, y, theta, M, Qx, Qy, 1] at the end of a step about the iterate q, with A, B, C, D of the scheme, "
    "zdot = A z + B and zddot = C z + D",
    "accelerations": "Z = [second derivatives of x, y, theta; M, Qx, Qy, 1] at q and v, in space 13 entries, all "
    "forces being loads on the bodies",
}


Entries: TypeAlias = Callable[[ElementMatrices], Matrix]


def _sizes(require: Callable[[ElementMatrices], object], level: Level, mechanism: Mechanism) -> Mapping[str, int]:
    found = ElementMatrices(mechanism, level)
    require(found)
    ends = found.system.layout.dimension
    return {"state": found.size, "states": found.size * len(found.elements), "ends": ends, "ends + 1": ends + 1}


def _derived(entries: Entries, level: Level, mechanism: Mechanism) -> Derived:
    found = ElementMatrices(mechanism, level)
    return Derived(entries(found), inputs=(found.scheme,) if level == "steps" else ())


# ---- elements --------------------------------------------------------------------------------------------------------


def _element(number: int, is_hinge: bool, found: ElementMatrices) -> Matrix:
    return found.hinge(number) if is_hinge else found.body(number)


def _of_element(level: Level, own: Quantity, mechanism: Mechanism, name: str) -> Quantity:
    """U(NAME) of a body, or of the hinge of that name."""
    found = ElementMatrices(mechanism, level)
    bodies = {member: number for number, body in enumerate(found.system.bodies, 1) for member in body.members}
    hinges = {known: number for known, number, is_hinge in found.elements if is_hinge}
    if name not in bodies and name not in hinges:
        cut = any(cut.name == name for cut in found.system.cuts)
        raise DerivationError(
            f"{name} closes a loop and is no element on a way" if cut else f"no element is called {name!r}",
            where=mechanism.model.name,
            remedy=f"there are {', '.join(known for known, _, _ in found.elements)}",
        )
    number, is_hinge = (bodies[name], False) if name in bodies else (hinges[name], True)
    return _part(own, level, name, lambda found: _element(number, is_hinge, found), lambda found: None)


def _part(
    own: Quantity, level: Level, what: str, entries: Entries, require: Callable[[ElementMatrices], object]
) -> Quantity:
    """A matrix of the kind of another for what stands in brackets."""
    return replace(
        own,
        name=f"{own.name}({what})",
        title=f"{own.title}: {what}",
        shape=("state", "state"),
        derive=partial(_derived, entries, level),
        sizes=partial(_sizes, require, level),
        part=None,
    )


# ---- products --------------------------------------------------------------------------------------------------------


def _whole_way(found: ElementMatrices) -> Matrix:
    return found.transfer(0, found.main.bodies[-1])


def _between(level: Level, own: Quantity, mechanism: Mechanism, names: str) -> Quantity:
    """T(FROM, TO), both bodies, or ground at first."""
    found = ElementMatrices(mechanism, level)
    known = {mechanism.model.ground, *(member for body in found.system.bodies for member in body.members)}
    parts = names.split(",")
    pairs = ((",".join(parts[:k]).strip(), ",".join(parts[k:]).strip()) for k in range(1, len(parts)))
    ends = next((pair for pair in pairs if known.issuperset(pair)), None)
    if ends is None:
        raise DerivationError(
            f"a transfer leads from one element to another: {names!r} is no two of them",
            where=mechanism.model.name,
            remedy=f"say {own.name}(FROM, TO) with two of {', '.join(sorted(known))}",
        )
    first, last = map(found.number, ends)
    return _part(
        own,
        level,
        ", ".join(ends),
        lambda found: found.transfer(first, last),
        lambda found: found.require_way(first, last),
    )


def _printed(found: ElementMatrices) -> Matrix:
    """Rows of Q at the end with the other sign."""
    return [[-x for x in row] if found.force <= k < found.size - 1 else row for k, row in enumerate(_whole_way(found))]


def _conditions(level: Level, mechanism: Mechanism) -> tuple[str, ...]:
    """The way, its ends, and what holds there."""
    found = ElementMatrices(mechanism, level)
    names = [found.system.bodies[k - 1].name for k in found.main.bodies]
    root = found.system.bodies[found.main.bodies[0] - 1].hinge.joint.name
    place = "its place" if level == "steps" else "zero"
    cut = next((cut.name for cut in found.system.cuts if not cut.is_spring), "")
    end = (
        f"at {cut}, the end of {names[-1]}, the position is {place}"
        if found.main.is_loop
        else f"at the free end of {names[-1]}, its centre of mass, M = 0 and Q = 0"
    )
    return (
        f"The way is {' -> '.join((mechanism.model.ground, *names))}.",
        f"At {root} the position is {place} and M = 0; {end}.",
        f"Q is the force of {mechanism.model.ground} on {names[0]}; all states follow from it by T and U.",
    )


def _at(level: Level, suffix: str, source: str) -> tuple[Quantity, ...]:
    """The quantities of a level."""
    when = "in steps" if level == "steps" else "of accelerations"

    def quantity(name: str, title: str, sentence: str, shape: tuple[Size, ...], entries: Entries) -> Quantity:
        derive, sizes = partial(_derived, entries, level), partial(_sizes, lambda found: found.main, level)
        return Quantity(name, name, f"{title}, {when}", sentence, shape, _INPUTS[level], source, derive, sizes)

    elements = quantity(
        f"U{suffix}",
        "Transfer matrices U of the elements",
        f"Z_out = U Z_in for {_STATES[level]}: U{suffix}(NAME) of the body or the hinge of that name; {_SIGNS}. "
        "Without a name those of all elements one below the other, each hinge before its body, by label. A body that "
        "nothing hangs on ends at its centre of mass; kappa = 0.",
        ("states", "state"),
        lambda found: [row for _, number, is_hinge in found.elements for row in _element(number, is_hinge, found)],
    )
    products = quantity(
        f"T{suffix}",
        "Transfer T along the path",
        f"T{suffix}(A, B) takes Z at the output end of A, or of ground, to the output end of B, branches that end free "
        "absorbed where they hang; without names from ground to the end of the main path. For "
        f"{_STATES[level]}; {_SIGNS}.",
        ("state", "state"),
        _whole_way,
    )
    return (
        replace(elements, part=partial(_of_element, level), sizes=partial(_sizes, lambda found: None, level)),
        replace(products, part=partial(_between, level), told=partial(_conditions, level)),
        replace(
            quantity(
                f"overall{suffix}",
                "Overall transfer equation",
                "Rows of [U_all u], U_all Q + u = 0 for the force Q at the root: T with what holds at both ends.",
                ("ends", "ends + 1"),
                ElementMatrices.overall,
            ),
            told=partial(_conditions, level),
        ),
    )


_STEPS: Final = _at("steps", "", _LI)

TRANSFER_QUANTITIES: Final = quantities_by_name(
    *_STEPS,
    replace(
        _STEPS[1],
        name="T_printed",
        letter="T",
        title="Transfer T in the signs of equation (4) as it is printed, in steps",
        sentence="Z_end = T Z_root where Q at the end counts as the force on the inboard element, as equation (4) is "
        "printed, with + Q_O; equation (5), U and our T count it on the outboard one: rows of Q have the other sign.",
        derive=partial(_derived, _printed, "steps"),
        part=None,
    ),
    *_at("accelerations", "_a", _NEW),
)
"""Elements, products and the overall equation, in steps and of accelerations."""
