"""Identities of closed loops, by the reference's mass matrix, forces and closure equations.

The closure rows G are the generator's own choice, the reference's another one. That both let the same motions pass,
that G is the derivative of the residuals, and that these vanish where the reference's gaps do, is what can be said of
them; all else then follows by numbers.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mbsym.doors import Array
from mbsym.loops.actuation import actuated_columns
from mbsym.loops.closed_form import planar_loops
from mbsym.reference.held import held_rows
from mbsym.reference.motions import prescribed_state
from mbsym.verification.closed_states import DEPENDENT, with_resistance
from mbsym.verification.evidence import DIFFERENCE_STEP, Evidence, Identity, Pairs
from mbsym.verification.loop_sizes import sizes_of_sums

SPAN: Final = 1e-12
"""Part of the largest singular value that belongs to the space of the rows."""

OPENED: Final = 1e-3
"""Motion that opens loops which are to be closed again [rad, m]; a few Newton steps bring it to round-off."""

DETERMINED: Final = 1e-3
"""Part of the largest singular value of a loop's own columns above which both ways to close it are apart."""

REGULAR: Final = 5e-2
"""Smallest pivot of the factored rows above which all ways to solve for the multipliers report that pivot."""


ROUNDING: Final = 2.0**-44
NOISE: Final = 2.0**-48 / DIFFERENCE_STEP
"""What rounding leaves of rows, and of a difference of residuals, in units in which the mechanism's lengths are about
one: of rows that nothing moves, such as heights that joints hold already, it is all there is."""


def _rank(matrix: Array) -> int:
    sizes = np.linalg.svd(matrix, compute_uv=False) if matrix.size else np.zeros(0)
    return int(np.sum(sizes > DEPENDENT * sizes.max(initial=0.0))) if sizes.max(initial=0.0) > 0 else 0


def _row_space(matrix: Array) -> Array:
    """Orthonormal rows that span the same space, (rank, columns)."""
    if not matrix.size:
        return np.zeros((0, matrix.shape[1]))
    _, sizes, rows = np.linalg.svd(matrix, full_matrices=False)
    kept: Array = rows[sizes > SPAN * sizes[0]]
    return kept


def _same_rows(rows: Array, expected: Array) -> Pairs:
    """Rows let the motions pass that the reference's closure equations let pass, and no others."""
    rows, expected = (np.where(np.abs(each) > ROUNDING, each, 0.0) for each in (rows, expected))
    space = _row_space(expected)
    inside = rows @ space.T @ space
    yield rows, inside
    yield float(_rank(rows)), float(_rank(expected))


def _closed_loops(evidence: Evidence) -> Pairs:
    residual = evidence.output()
    yield residual, 0 * residual


def _motions_of_closed_loops(evidence: Evidence) -> Pairs:
    units = np.eye(evidence.reference.nv)
    columns = [evidence.rate(evidence.function, unit) for unit in units]
    if columns:
        rates, closing = np.stack(columns, axis=-1), _closing(evidence, evidence.function == "closure_gap")
        rates = np.where(np.abs(rates) > NOISE, rates, 0.0)
        reference = evidence.numbers["closure_jacobian"]
        held = sum(row.of_speeds for row in held_rows(evidence.reference.mechanism))
        yield from _same_rows(rates[closing], reference[: len(reference) - held])
        yield rates[~closing], 0 * rates[~closing]


def _closing(evidence: Evidence, everything: bool = False) -> Array:
    """Which of the independent rows, or of all, close loops; the others hold speeds."""
    return np.array([not unit.endswith("/s") for unit in evidence.companions.row_units(everything)], dtype=bool)


def _rows_at_rest(evidence: Evidence) -> Pairs:
    jacobian = evidence.output()
    yield jacobian @ evidence.state["v"], np.zeros(len(jacobian))


def _rows_of_closed_loops(evidence: Evidence) -> Pairs:
    yield from _same_rows(evidence.output(), evidence.numbers["closure_jacobian"])


def _difference_of_residuals(evidence: Evidence) -> Pairs:
    """In any direction, not only in those that keep the loops closed."""
    direction, closing = evidence.state["vdot"], _closing(evidence)
    yield (evidence.output() @ direction)[closing], evidence.rate("constraint_residual", direction)[closing]


def _rows_at_closed_loops(evidence: Evidence) -> Pairs:
    """Derivatives of the residuals are closure rows where the loops are closed."""
    jacobian = evidence.output("constraint_jacobian")
    found = evidence.by_name()
    yield from ((found[name], jacobian) for name in ("residual_jacobian", "G") if name in found)


def _bias_of_motion(evidence: Evidence) -> Pairs:
    yield evidence.output(), evidence.output("constraint_jacobian") @ evidence.numbers["solve.vdot"]


def _multipliers(evidence: Evidence) -> Pairs:
    """G^T lambda is what the motion found lacks of tau, by the reference's inverse dynamics."""
    vdot, multipliers = evidence.outputs()[:2]
    needed = evidence.numbers.at(vdot=vdot)["inverse_dynamics"]
    pulled = evidence.output("constraint_jacobian").T @ multipliers
    yield evidence.free * pulled, evidence.free * (needed - evidence.state["tau"])


def _restoring_terms(evidence: Evidence) -> Pairs:
    """G vdot = gamma - 2 alpha G v - beta^2 residual where loops are open and part."""
    state = evidence.state
    changed = {"q": evidence.moved(state["vdot"], OPENED), "v": state["vdot"]}
    jacobian = evidence.output("constraint_jacobian", **changed)
    alpha, beta = state["gains"]
    wanted = evidence.output("constraint_bias", **changed) - 2 * alpha * jacobian @ changed["v"]
    wanted = wanted - beta**2 * evidence.output("constraint_residual", **changed)
    yield jacobian @ evidence.output(**changed), wanted


def _wrenches_of_motion(evidence: Evidence) -> Pairs:
    """Wrenches for the reference's motion, with the multipliers that fit it best."""
    vdot, free = evidence.numbers["solve.vdot"], evidence.free
    needed = evidence.numbers.at(vdot=vdot)["inverse_dynamics"]
    jacobian = free * evidence.output("constraint_jacobian")
    multipliers = np.linalg.pinv(jacobian.T) @ (free * (needed - evidence.state["tau"]))
    yield evidence.output(vdot=vdot, **{"lambda": multipliers}), evidence.numbers["solve.wrenches"]


def _open_motion(evidence: Evidence) -> Pairs:
    found, free = evidence.by_name(), evidence.numbers.at(closed=False)["forward_dynamics"]
    yield found["free"], free
    yield found["right"], evidence.output("constraint_bias") - evidence.output("constraint_jacobian") @ free


def _rows_on_mass_matrix(evidence: Evidence) -> Pairs:
    """M^-1 J^T, J M^-1 J^T, Y = L^-T J^T and D of M = L^T D L, J the rows that come with them or G."""
    found, mass = evidence.by_name(), evidence.mass_matrix
    own = [found[name] for name in ("residual_jacobian", "G") if name in found]
    rows = evidence.free * (own[-1] if own else evidence.output("constraint_jacobian"))
    response = np.linalg.solve(mass, rows.T)
    yield found["response"], response
    if "delassus" in found:
        yield found["delassus"], rows @ response
    if "weighted" not in found:
        return
    yield min(
        (_factor_pair(evidence, order, rows, found) for order in _orders(evidence)),
        key=lambda pair: float(np.abs(pair[0] - pair[1]).max(initial=0.0)),
    )


def _orders(evidence: Evidence) -> tuple[list[int], list[int]]:
    """Speeds in the order in which they are eliminated: from the last body inward, the last or first of each first."""
    bodies = [range(*body.v_range) for body in reversed(evidence.mechanism.bodies)]
    return [speed for body in bodies for speed in reversed(body)], [speed for body in bodies for speed in body]


def _factor_pair(evidence: Evidence, order: list[int], rows: Array, found: dict[str, Array]) -> tuple[Array, Array]:
    """Y and D^-1 as found, and of the reference's mass matrix eliminated in an order."""
    a = evidence.mass_matrix[np.ix_(order, order)]
    lower = np.linalg.cholesky(a)
    diagonal = np.diagonal(lower)
    weighted = np.empty_like(rows.T)
    # With the speeds in that order M = K K^T, and L^T is K with its columns brought to a unit diagonal.
    weighted[order] = np.linalg.solve(lower / diagonal, rows.T[order])
    inverses = np.empty(len(order))
    inverses[order] = diagonal**-2
    # Inverses of small inertias are large numbers, and their errors relative to their own size.
    scale = np.maximum(1.0, np.abs(inverses))
    # What stands by itself has ones that are no inertias.
    scale = np.where(evidence.free, scale, np.inf)
    pair = ((found["weighted"], found["inverses"] / scale), (weighted, inverses / scale))
    left, right = (np.concatenate([np.ravel(part) for part in side]) for side in pair)
    return left, right


def _rates_of_coordinates(evidence: Evidence) -> Pairs:
    state = evidence.state
    moved = state["q"] + evidence.reference.position_rate(state["q"], state["motion"])
    for first in evidence.mechanism.q.quaternions:
        moved[first : first + 4] /= np.linalg.norm(moved[first : first + 4])
    yield evidence.output(), moved


def _closes_loops(evidence: Evidence) -> Pairs:
    """Closed loops stay as they are, and those that were opened a little are closed again."""
    q = evidence.state["q"]
    yield evidence.output(), q
    closed, *report = evidence.outputs(q=evidence.moved(evidence.state["vdot"], OPENED))
    gap = evidence.reference.closure_gap(closed)
    yield gap, 0 * gap
    if report:
        (left, steps), least = report, int(_closing(evidence).any())
        yield np.array([left, steps]), np.array([0.0, np.clip(np.round(steps), least, 12)])


def _diagonal(evidence: Evidence) -> Pairs:
    yield evidence.by_name()["inverse_inertias"] * np.diagonal(evidence.mass_matrix), evidence.free


def _closes_and_holds(evidence: Evidence) -> Pairs:
    """Loops that were opened a little are closed again, with as many coordinates held as the loops leave."""
    q = evidence.moved(evidence.state["vdot"], OPENED)
    held = np.zeros(evidence.reference.nv)
    held[list(evidence.companions.independent)] = 1.0
    closed = evidence.output(q=q, held=held)
    gap = evidence.reference.closure_gap(closed)
    yield gap, 0 * gap
    for body in evidence.mechanism.bodies_by_coordinates:
        if held[slice(*body.v_range)].all():
            yield closed[slice(*body.q_range)], q[slice(*body.q_range)]


def _nearest_speeds(evidence: Evidence) -> Pairs:
    """v - M^-1 R^T (R M^-1 R^T)^-1 R v, R the space of the reference's closure rows."""
    v, free = evidence.state["vdot"], evidence.free
    jacobian = evidence.numbers["closure_jacobian"]
    rows = np.linalg.svd(jacobian, full_matrices=False)[2][: _rank(jacobian)] if jacobian.size else jacobian
    response = np.linalg.solve(evidence.mass_matrix, (free * rows).T)
    yield evidence.output(v=v), v - response @ np.linalg.solve(rows @ response, rows @ v)


def _speeds_of_independent_ones(evidence: Evidence) -> Pairs:
    """The given ones stay, and nothing parts."""
    v = evidence.output()
    yield v[list(evidence.companions.independent)], evidence.state["v_independent"]
    rates = evidence.numbers["closure_jacobian"] @ v
    yield rates, 0 * rates


def _rank_and_pivot(evidence: Evidence) -> Pairs:
    jacobian = evidence.free * evidence.output("constraint_jacobian")
    delassus = jacobian @ np.linalg.solve(evidence.mass_matrix, jacobian.T)
    size = np.sqrt(np.diagonal(delassus))
    rank, pivot = evidence.outputs()[2:]
    try:
        expected = float(np.diagonal(np.linalg.cholesky(delassus / np.outer(size, size))).min(initial=1.0))
    except np.linalg.LinAlgError:
        expected = 0.0
    if expected > REGULAR:
        yield np.array([rank, pivot]), np.array([len(jacobian), expected])
    else:
        yield rank, np.round(rank)


def _least_forces_of_motors(evidence: Evidence) -> Pairs:
    """Of the motion under tau: of least norm where motors suffice, else with the least error of acceleration."""
    numbers, n = evidence.numbers, evidence.reference.nv
    vdot = numbers["solve.vdot"]
    force = numbers.at(vdot=vdot)["inverse_dynamics"]
    motors = np.eye(n)[:, actuated_columns(evidence.mechanism)]
    jacobian = numbers["closure_jacobian"]
    rank = _rank(jacobian)
    rows = np.linalg.svd(jacobian, full_matrices=True)[2] if jacobian.size else np.eye(n)
    held, free = rows[:rank], rows[rank:]
    if motors.shape[1] >= len(free):
        tau = np.linalg.pinv(free @ motors) @ (free @ force)
    else:
        root = np.linalg.cholesky(with_resistance(numbers["mass_matrix"]))
        both = np.linalg.solve(root, np.concatenate([motors, held.T], axis=1))
        tau = np.linalg.lstsq(both, np.linalg.solve(root, force), rcond=None)[0][: motors.shape[1]]
    yield evidence.output(vdot=vdot), motors @ tau


def _closed_by_either_branch(evidence: Evidence) -> Pairs:
    """Both ways to assemble the loop close it, and one of them is the closed loop at hand.

    Other loops that the same joints belong to may open. Nothing is said of positions in which the joints that lead do
    not determine the others, and where they hardly do nothing but that loops are closed.
    """
    (loop,) = planar_loops(evidence.mechanism)
    columns = [
        k for body in evidence.mechanism.bodies if body.joint.name in loop.dependent for k in range(*body.v_range)
    ]
    place = [cut.joint.name for cut in evidence.mechanism.cut_joints].index(loop.cut_joint)
    own = slice(6 * place, 6 * place + 6)
    sizes = np.linalg.svd(evidence.numbers["closure_jacobian"][own, columns], compute_uv=False)
    if sizes[len(columns) - 1] < DETERMINED * sizes[0]:
        return
    q = evidence.state["q"]
    ways: list[Any] = [evidence.output(branch=branch) for branch in (1.0, -1.0)]
    for way in ways:
        gap = evidence.reference.closure_gap(way)[own]
        yield gap, 0 * gap
    if sizes[len(columns) - 1] < REGULAR * sizes[0]:
        return
    # Angles that were drawn may be whole turns away.
    turn = np.array([2 * np.pi if turns else np.inf for turns in _is_angle(evidence)])
    misses = [np.where(np.isinf(turn), way - q, (way - q + np.pi) % (2 * np.pi) - np.pi) for way in ways]
    nearest = min(misses, key=lambda miss: float(np.abs(miss).max(initial=0.0)))
    yield nearest, 0 * nearest


def _is_angle(evidence: Evidence) -> list[bool]:
    """Which coordinates are angles of joints that turn about one axis."""
    found = [False] * evidence.reference.nq
    for body in evidence.mechanism.bodies:
        for k, unit in zip(range(*body.q_range), body.joint.shape.coordinate_units, strict=False):
            found[k] = unit == "rad"
    return found


def _forces_of_driven_speeds(evidence: Evidence) -> Pairs:
    """What the reference's inverse dynamics ask of the driven speeds, less G^T lambda."""
    needed, multipliers = evidence.numbers["inverse_dynamics"], evidence.state["lambda"]
    if len(multipliers):
        needed = needed - evidence.output("constraint_jacobian").T @ multipliers
    yield evidence.output(), (1 - evidence.free) * needed


def _prescribed_entries(evidence: Evidence) -> Pairs:
    state = evidence.state
    extra = {name: state[name] for name in ("t", "u") if name in state}
    yield from zip(
        evidence.outputs(),
        prescribed_state(evidence.reference.mechanism, state["q"], state["v"], **extra),
        strict=True,
    )


LOOP_IDENTITIES: Final = (
    Identity("forces of the driven speeds", "rounding", _forces_of_driven_speeds),
    Identity("prescribed entries", "rounding", _prescribed_entries),
    Identity("closed loops", "closure", _closed_loops),
    Identity("motions of closed loops", "difference", _motions_of_closed_loops),
    Identity("G v = 0", "closure", _rows_at_rest),
    Identity("rows of closed loops", "closure", _rows_of_closed_loops),
    Identity("rows at closed loops", "closure", _rows_at_closed_loops),
    Identity("difference of residuals", "difference", _difference_of_residuals),
    Identity("G vdot = gamma", "solution", _bias_of_motion),
    Identity("M vdot + h = tau + G^T lambda", "solution", _multipliers),
    Identity("restoring terms", "solution", _restoring_terms),
    Identity("wrenches of the motion", "solution", _wrenches_of_motion),
    Identity("motion with open loops", "solution", _open_motion),
    Identity("rows on the mass matrix", "solution", _rows_on_mass_matrix),
    Identity("rates of the coordinates", "rounding", _rates_of_coordinates),
    Identity("sizes of what is summed", "rounding", sizes_of_sums),
    Identity("closes the loops", "closure", _closes_loops),
    Identity("diagonal of the mass matrix", "rounding", _diagonal),
    Identity("closes the loops and holds", "closure", _closes_and_holds),
    Identity("nearest speeds of closed loops", "solution", _nearest_speeds),
    Identity("speeds of independent ones", "solution", _speeds_of_independent_ones),
    Identity("rank and pivot of the rows", "solution", _rank_and_pivot),
    Identity("least forces of the motors", "solution", _least_forces_of_motors),
    Identity("closed by either branch", "closure", _closed_by_either_branch),
)
