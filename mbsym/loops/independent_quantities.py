"""Equations of motion in independent speeds by name: N, and what N^T makes of M, h and tau.

They belong to Kane's equations, whose textbooks print constrained systems so. ``independent_form`` derives the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from mbsym.doors import sympy as sp
from mbsym.formulations.contracts import Derived, Entries
from mbsym.formulations.quantity import Quantity, quantities_by_name, quantity
from mbsym.formulations.recursive.sparse_factor import product
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.independent_form import LONGEST, IndependentForm
from mbsym.loops.independent_speeds import independent_speeds
from mbsym.loops.loop_quantities import rows_of_loops
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.loops.wrenches import dense
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.program import Input
from mbsym.symbolic.scalar import Scalar
from mbsym.symbolic.sympy_bridge import to_sympy

_SOURCE: Final = "Kane, Levinson 1985, sections 2.13 and 4.11"
_ALONG: Final = "an entry an independent speed in the order of u"


@dataclass(eq=False, slots=True)
class _Chosen:
    """The form by a choice of independent speeds, kept for the mechanism that it was last asked for.

    Attributes:
        names: that were chosen, none for a good choice.
        analyse: finds the closure rows.
    """

    names: tuple[str, ...]
    analyse: Callable[[Mechanism], LoopAnalysis]
    _forms: list[IndependentForm] = field(default_factory=list)

    def sizes(self, mechanism: Mechanism) -> Mapping[str, int]:
        kept = self._kept(mechanism)
        return {"independent": len(kept.speeds) if kept else rows_of_loops(self.analyse, mechanism).mobility}

    def form(self, mechanism: Mechanism) -> IndependentForm:
        kept = self._kept(mechanism)
        if kept is None:
            loops = rows_of_loops(self.analyse, mechanism)
            kept = IndependentForm(mechanism, loops, independent_speeds(mechanism, loops, self.names))
            self._forms[:] = [kept]
        return kept

    def _kept(self, mechanism: Mechanism) -> IndependentForm | None:
        return next((form for form in self._forms if form.mechanism is mechanism), None)

    def derive(self, entries: Callable[[IndependentForm], Entries], mechanism: Mechanism) -> Derived:
        form = self.form(mechanism)
        found = entries(form)
        form.give_names()
        return Derived(found, inputs=_inputs(form))

    def told(self, mechanism: Mechanism) -> tuple[str, ...]:
        """Which speeds are independent, what the coordinates are, and where it all holds."""
        form = self.form(mechanism)
        sentences = [f"Here u = ({', '.join(own.name for own in form.speeds)})."]
        if any(form.loops.closing):
            sentences.append("The coordinates are all of q, with the loops closed: they are not independent.")
        roots = [str(root) for root in to_sympy(mechanism.graph, [root.ref for root in form.roots])]
        conditions = [f"{root} is positive" for root in roots]
        longest = 0 if form.determinant is None else PrintedSizes(mechanism.graph).of(form.determinant.ref)
        if form.determinant is None or longest > LONGEST:
            conditions.append("all other speeds follow from u")
        else:
            factors = _factors(form.determinant)
            conditions += [f"{factor} is not zero" for factor in factors if factor not in roots]
        return (*sentences, *([f"This holds where {' and '.join(conditions)}."] if conditions else ()))


def _factors(value: Scalar) -> list[str]:
    """Factors of a value, but for numbers, as text."""
    (found,) = to_sympy(value.graph, [value.ref])
    factors = [factor.as_base_exp()[0] for factor in sp.Mul.make_args(found)]
    return list(dict.fromkeys(str(factor) for factor in factors if factor.free_symbols))


def _inputs(form: IndependentForm) -> tuple[Input, ...]:
    """The independent speeds and their rates, which may be entries of v and vdot."""
    n = (len(form.speeds),)
    speeds, rates = zip(*((own.symbol.ref, own.rate.ref) for own in form.speeds), strict=True)
    return Input("independent", n, speeds), Input("independent_rates", n, rates)


def _values(form: IndependentForm) -> Entries:
    v = form.mechanism.entries(form.mechanism.v)
    return [product(dense(form.mechanism, own.row), v) for own in form.speeds]


def independent_quantities(
    names: Sequence[str] = (), analyse: Callable[[Mechanism], LoopAnalysis] = analyse_loops
) -> Mapping[str, Quantity]:
    """The quantities of a choice of independent speeds.

    Args:
        names: of the speeds; see ``independent_speeds``.
        analyse: finds the closure rows.
    """
    chosen = _Chosen(tuple(names), analyse)

    def own(
        head: str,
        title: str,
        sentence: str,
        entries: Callable[[IndependentForm], Entries],
        *,
        symmetric: bool = False,
    ) -> Quantity:
        made = quantity(head, title, sentence, _SOURCE, partial(chosen.derive, entries), symmetric=symmetric)
        return replace(made, sizes=chosen.sizes, told=chosen.told, longest=LONGEST)

    return quantities_by_name(
        own(
            "u = independent_speeds(q, v)[independent]",
            "Independent speeds u",
            "u = Y v: speeds that no closed loop or constraint holds and that tell all others, one for each freedom.",
            _values,
        ),
        own(
            "N(q)[nv, independent]",
            "Partial velocities N of the independent speeds",
            "v = N u for all motions that the constraints allow, G N = 0: a row a speed in the order of v, a column an "
            "independent speed.",
            lambda form: form.motion,
        ),
        own(
            "c = Ndot_u(q, independent)[nv]",
            "Accelerations at constant independent speeds",
            "c = Ndot u in vdot = N udot + c, an entry a speed in the order of v.",
            lambda form: form.carried,
        ),
        own(
            "M_r = reduced_mass_matrix(q)[independent, independent]",
            "Mass matrix of the independent speeds",
            "M_r = N^T M N in M_r udot + h_r = tau_r.",
            lambda form: form.mass_matrix,
            symmetric=True,
        ),
        own(
            "h_r = reduced_bias(q, independent, t, u, x)[independent]",
            "Bias forces of the independent speeds",
            f"h_r = N^T (M Ndot u + h) in M_r udot + h_r = tau_r, {_ALONG}.",
            lambda form: form.bias_force,
        ),
        own(
            "tau_r = reduced_forces(q, tau)[independent]",
            "Generalised forces of the independent speeds",
            f"tau_r = N^T tau in M_r udot + h_r = tau_r, {_ALONG}.",
            lambda form: form.forces,
        ),
        own(
            "tau_r = reduced_equations(q, independent, independent_rates, t, u, x)[independent]",
            "Equations of motion in independent speeds",
            f"tau_r = M_r udot + h_r, {_ALONG}, with tau_r = N^T tau (reduced_forces): F + F* = 0 of Kane's in u, "
            "without multipliers.",
            lambda form: form.equations,
        ),
    )


INDEPENDENT_QUANTITIES: Final = independent_quantities()
