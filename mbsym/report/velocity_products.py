"""h as a sum of products of speeds, each coefficient in closed form, as published models of arms have it.

    h_i = sum_j b_ijj v_j^2 + 2 sum_{j < k} b_ijk v_j v_k + r_i,    b_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2

with r_i what gravity and force elements need; this holds where speeds are rates of coordinates. b_ijk are Christoffel's
symbols of the first kind; those that are equal but for a sign have one name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mbsym.errors import DerivationError
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import BIAS_FORCE
from mbsym.formulations.kane.closed_form import kane_active_forces, kane_bodies
from mbsym.kinematics.mechanism import Mechanism
from mbsym.report.closed_form import unit_coordinates
from mbsym.report.sections import StepGroup
from mbsym.report.steps import NamedSteps, Namer
from mbsym.symbolic.compose import image
from mbsym.symbolic.differentiate import forward
from mbsym.symbolic.equality import compare, is_zero
from mbsym.symbolic.graph import ONE, Graph, Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import simplify_all_trigonometric

REMEDY: Final = "take `form vectors` or `form steps`"


@dataclass(frozen=True, slots=True)
class VelocityProducts:
    """h in products of speeds.

    Attributes:
        steps: the coefficients, then the entries in their terms.
        operations: as all of it is printed, with sines and cosines as letters.
    """

    steps: NamedSteps
    operations: int


def velocity_products(
    mechanism: Mechanism, mass_matrix: Sequence[Reference], symbols: Mapping[str, Any], largest: int
) -> VelocityProducts:
    """h in products of speeds, equal exactly to the recursive derivation's.

    Args:
        mechanism: of a tree, or of one with loops, which are open then.
        mass_matrix: entries of M in closed form, row-major; none where that would fill pages.
        symbols: what stands for symbols of the graph that have no printable name.
        largest: operations of all coefficients.

    Raises:
        DerivationError: speeds are no rates of coordinates, M is too large, or the coefficients are.
    """
    where = mechanism.model.name
    if any(body.motion.position_rate != body.v for body in mechanism.bodies_by_coordinates):
        raise DerivationError("speeds are not the rates of the coordinates", where=where, remedy=REMEDY)
    if not mass_matrix:
        raise DerivationError("M has no closed form that could be read", where=where, remedy=REMEDY)
    graph = mechanism.graph
    found = _coefficients(mechanism, mass_matrix)
    shortened = simplify_all_trigonometric(graph, list(found.values()), unit_coordinates(mechanism))
    coefficients = _equal_as_one(graph, dict(zip(found, shortened, strict=True)))
    rest = _rest(mechanism)
    _require_equal(mechanism, coefficients, rest)
    sizes = PrintedSizes(graph)
    size = sizes.of_all(set(map(abs, coefficients.values()))) + sizes.of_all(rest)
    if size > largest:
        raise DerivationError(f"coefficients of h have {size} operations", where=where, remedy=REMEDY)
    namer, named = Namer(graph), dict[int, Reference]()
    written: dict[int, str] = {}
    entries = list(rest)
    for (i, j, k), ref in coefficients.items():
        if abs(ref) not in named:
            named[abs(ref)] = abs(ref)
            if sizes.of(ref):
                letters = [str(place + 1) for place in (i, j, k)]
                written[abs(ref)] = namer.unused(f"b_{('' if mechanism.nv < 10 else ',').join(letters)}")
                named[abs(ref)] = graph.symbol(written[abs(ref)])
        entries[i] = graph.add(entries[i], graph.mul(image(named, ref), _product(mechanism, j, k)))
    operations = PrintedSizes(graph, letters=True).of_all((*written, *entries))
    values = to_sympy(graph, [*written, *entries], symbols)
    steps = tuple(zip(written.values(), values[: len(written)], strict=True))
    group = StepGroup("coefficients of products of speeds", steps)
    return VelocityProducts(
        NamedSteps((group,) if steps else (), tuple(values[len(written) :]), (*written, *entries)), operations
    )


def _coefficients(mechanism: Mechanism, mass_matrix: Sequence[Reference]) -> dict[tuple[int, int, int], Reference]:
    graph, nv = mechanism.graph, mechanism.nv
    half = graph.const(Fraction(1, 2))
    rates = [forward(graph, list(mass_matrix), {q: ONE}) for q in mechanism.q.symbols]
    found = {}
    for i in range(nv):
        for j in range(nv):
            for k in range(j, nv):
                ij, ik, jk = rates[k][i * nv + j], rates[j][i * nv + k], rates[i][j * nv + k]
                found[i, j, k] = graph.mul(half, graph.add(graph.add(ij, ik), -jk))
    return found


def _equal_as_one(
    graph: Graph, coefficients: Mapping[tuple[int, int, int], Reference]
) -> dict[tuple[int, int, int], Reference]:
    """Those that are not zero, one value for all that are equal to it but for a sign and only look different."""
    sizes = PrintedSizes(graph)
    alike: dict[int, list[Reference]] = {}
    found = {}
    for place, ref in coefficients.items():
        if not ref:
            continue
        group = alike.setdefault(sizes.of(ref), [])
        same = next((sign * other for other in group for sign in (1, -1) if _equal(graph, ref, sign * other)), ref)
        if same == ref:
            group.append(ref)
        found[place] = same
    return found


def _equal(graph: Graph, first: Reference, second: Reference) -> bool:
    return first == second or is_zero(graph, graph.add(first, -second))


def _product(mechanism: Mechanism, j: int, k: int) -> Reference:
    """v_j^2 or 2 v_j v_k."""
    graph, v = mechanism.graph, mechanism.v.symbols
    return graph.mul(graph.const(1 if j == k else 2), graph.mul(v[j], v[k]))


def _rest(mechanism: Mechanism) -> list[Reference]:
    """What gravity, force elements and outer wrenches need of tau, over v."""
    acting = kane_active_forces(mechanism, kane_bodies(mechanism))
    needed = [tau - force for tau, force in zip(mechanism.entries(mechanism.tau), acting, strict=True)]
    return simplify_all_trigonometric(mechanism.graph, [x.ref for x in needed], unit_coordinates(mechanism))


def _require_equal(
    mechanism: Mechanism, coefficients: Mapping[tuple[int, int, int], Reference], rest: Sequence[Reference]
) -> None:
    graph = mechanism.graph
    total = [Scalar(graph, ref) for ref in rest]
    for (i, j, k), ref in coefficients.items():
        total[i] = total[i] + Scalar(graph, graph.mul(ref, _product(mechanism, j, k)))
    if not compare(BIAS_FORCE.program(mechanism, total), TREE_FUNCTIONS["bias_force"](mechanism)):
        raise DerivationError(
            "h is more than products of speeds with gravity and force elements",
            where=mechanism.model.name,
            remedy=REMEDY,
        )
