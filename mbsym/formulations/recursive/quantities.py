"""The factors of articulated bodies by name.

With X_c the force transform from the frame of body c to that of its carrier i, h_k the columns of H of a joint's
freedoms, eliminated in their order, and a_k their rotor inertias,

    I^A_i = I_i + sum over c of X_c (I^A_c - sum over k of d_k g_k g_k^T) X_c^T
    d_k = h_k^T U_k + a_k,   g_k = U_k / d_k

where U_k = I^A h_k for a joint's first freedom, and for the next one with I^A less what was eliminated. M = L^T D L
with the d on the diagonal of D, so that det M is their product. ``articulated_factor`` derives the entries.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mbsym.formulations.constraint_force.quantities import JOINT_QUANTITIES
from mbsym.formulations.contracts import Entries
from mbsym.formulations.quantity import block_diagonal, bodies, quantities_by_name, quantity
from mbsym.formulations.recursive.articulated_factor import articulated_factor, require_uncoupled
from mbsym.kinematics.mechanism import Mechanism
from mbsym.symbolic.scalar import Scalar

_FEATHERSTONE: Final = "Featherstone 2008, chapter 7"
_AXES: Final = "at and in the frame that each joint carries on its outboard body"


def _sizes(mechanism: Mechanism) -> Mapping[str, int]:
    require_uncoupled(mechanism)
    return bodies(mechanism)


def _gains(mechanism: Mechanism) -> Entries:
    rows = [[Scalar(mechanism.graph, 0)] * mechanism.nv for _ in range(6 * mechanism.nb)]
    for body, freedoms in zip(mechanism.bodies, articulated_factor(mechanism).freedoms, strict=True):
        for column, freedom in enumerate(freedoms, start=body.v_range[0]):
            for r, entry in enumerate(freedom.gain, start=6 * (body.label - 1)):
                rows[r][column] = entry
    return rows


ARTICULATED_QUANTITIES: Final = quantities_by_name(
    quantity(
        "I_A(q)[6nb, 6nb]",
        "Articulated inertias I^A",
        "I_A has on its diagonal the inertia that each joint feels of all bodies outboard of it, their joints "
        f"free: I_A = I + (U - P) (I_A - G diag(d) G^T) (U - P)^T, {_AXES}: six rows a body by label [kg m^2, kg m, "
        "kg].",
        _FEATHERSTONE,
        lambda mechanism: block_diagonal(mechanism, articulated_factor(mechanism).inertias),
        sizes=_sizes,
        symmetric=True,
    ),
    quantity(
        "G(q)[6nb, nv]",
        "Gains G",
        "G has U_k / d_k, the wrench [moment; force] that a joint's freedom takes over per unit of its force: "
        f"six rows a body by label, a column a speed in the order of v, {_AXES}.",
        _FEATHERSTONE,
        _gains,
        sizes=_sizes,
    ),
    quantity(
        "d(q)[nv]",
        "Pivots d",
        "d_k = h_k^T U_k + a_k, what resists each speed with all joints outboard free, in the order of v: M = "
        "L^T diag(d) L, and without rotors L^T = H^T P^-1 G.",
        _FEATHERSTONE,
        lambda mechanism: articulated_factor(mechanism).pivots,
        sizes=_sizes,
    ),
    *(JOINT_QUANTITIES[name] for name in ("H", "P", "I")),
)
"""Of forward dynamics by articulated bodies."""
