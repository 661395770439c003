"""Equations of a user against those of a model, kind by kind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from mbsym.doors import numpy as np
from mbsym.errors import SymbolicError
from mbsym.formulations.quantity import Quantity, named_quantity
from mbsym.joints.coordinate_groups import momentum_bracket
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.loops.quantities import chosen_quantities
from mbsym.model.system import Model
from mbsym.pipeline import read
from mbsym.registry import FORMULATIONS, available_functions
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.differentiate import gradient, jacobian
from mbsym.symbolic.equality import Verdict, compare
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.interpret import interpret
from mbsym.symbolic.program import Input, Output, Program
from mbsym.symbolic.scalar import Scalar
from mbsym.testing.own_variables import Variables, model_variables, own_variables, product
from mbsym.testing.symbols import Symbols, name_of

FLOAT_STATES: Final = 20
FLOAT_TOLERANCE: Final = 1e-9
"""Relative, for functions that the field does not know: rounding of hand-sized expressions stays far below."""

KINDS: Final = ("mass_matrix", "bias_force", "gravity_force", "forcing", "lagrangian", "residual")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was found for one kind of equation.

    Attributes:
        kind: of equation.
        verdict: equal or not, and where.
        place: rows and columns of the differing entry in words, or "".
        names: of the entries of each input that the verdict's counterexample has values of.
        hint: what may be the matter, or "".
    """

    kind: str
    verdict: Verdict
    place: str = ""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hint: str = ""


def assert_same_equations(
    mine: Any,
    model: Model | str | Path,
    *,
    speeds: Sequence[str] | Mapping[Any, Any] = (),
    symbols: Mapping[Any, Any] | None = None,
    coordinates: Mapping[Any, Any] | None = None,
    formulation: str = "auto",
    independent: Sequence[str] = (),
) -> None:
    """Passes if hand-derived equations are exactly those of the model, else says which entry differs and shows a state.

    Args:
        mine: a mapping, or an object with attributes, of one or more of ``mass_matrix`` M, ``bias_force`` h and
            ``gravity_force`` g (M vdot + h = tau), ``forcing`` (M vdot = forcing, as SymPy's KanesMethod has it; tau
            is taken to be zero if it does not occur), ``lagrangian`` (a scalar of q and v, compared by
            differentiation; with spherical and free joints in their angular and linear velocities; not where an object
            has others of these too), and
            ``residual`` (M vdot + h - tau, or its negative, row by row). With closed loops these are the equations
            of the tree, without the multipliers. A mapping may also hold the formulation's own quantities by their
            names, such as T of kane or U(NAME) of transfer-matrix, in the model's own coordinates and order of speeds.
        model: the mechanism, a model file, or the name of a bundled example; all its parameters are kept as symbols.
            Unit quaternions have length one.
        speeds: names of the speeds in the order of the rows of ``mine``; default is the order of v. Or a map of some of
            the model's speeds, each linear in as many speeds of your own, which may be no rates of coordinates.
        symbols: what a symbol of ``mine`` stands for, by name or as a symbol: a coordinate, speed, parameter or input,
            or ``vdot_NAME`` and ``tau_NAME`` for the rate and the force of the speed ``v_NAME``. SymPy functions of
            time count by their names, and derivatives of coordinates by time are speeds.
        coordinates: some of the model's coordinates in terms of as many of your own, such as
            ``{q1: phi1, q2: phi2 - phi1}``; those that are not mapped stay. The speeds and forces that belong to your
            coordinate ``phi`` are called ``v_phi``, ``vdot_phi`` and ``tau_phi``, and rows stand in the order in which
            your coordinates first occur; generalised forces are those of the model times the map's Jacobian transposed.
        formulation: to compare with.
        independent: independent speeds that quantities of kane with constraints are in, as ``mbsym.derive`` has them;
            those with an expression are symbols of ``mine`` by their names, and ``udot`` is the rate of ``u``.

    Raises:
        AssertionError: an entry differs; the message names it and shows values at a counterexample.
        SymbolicError: ``mine`` has no equations or holds unknown symbols, or a map is no change of variables.
    """
    found = compare_equations(
        mine,
        model,
        speeds=speeds,
        symbols=symbols,
        coordinates=coordinates,
        formulation=formulation,
        independent=independent,
    )
    for item in found:
        if not item.verdict:
            raise AssertionError(_message(item))


def compare_equations(
    mine: Any,
    model: Model | str | Path,
    *,
    speeds: Sequence[str] | Mapping[Any, Any] = (),
    symbols: Mapping[Any, Any] | None = None,
    coordinates: Mapping[Any, Any] | None = None,
    formulation: str = "auto",
    independent: Sequence[str] = (),
) -> tuple[Comparison, ...]:
    """The verdict for each kind of equation in ``mine``; see ``assert_same_equations``."""
    own = chosen_quantities(FORMULATIONS.named(formulation).quantities, independent)
    # Objects are not asked for these: matrices have attributes T, H and C that mean something else.
    kinds: Sequence[str] = KINDS
    if isinstance(mine, Mapping):
        kinds = (*KINDS, *own, *(kind for kind in mine if str(kind).partition("(")[0] in own and kind not in own))
    given = {kind: value for kind in kinds if (value := _entry(mine, kind)) is not None}
    if len(given) > 1 and not isinstance(mine, Mapping):
        # An object that has the whole equations has its Lagrangian for reading: dampers and inputs are not in it.
        given.pop("lagrangian", None)
    if not given:
        raise SymbolicError("no equations were given", remedy=f"give one of {', '.join((*KINDS, *own))}")
    mapped = {"coordinates": coordinates, "speeds": speeds}
    for kind in sorted(given.keys() - set(KINDS)):
        for argument, value in mapped.items():
            if value:
                raise SymbolicError(
                    f"{kind} is compared in the model's own coordinates and order of speeds",
                    where=argument,
                    remedy=f"leave it out, or compare {kind} by itself",
                )
    comparer = _Comparer(read(model), speeds, symbols or {}, coordinates or {}, formulation, own)
    return tuple(comparer.comparison(kind, value) for kind, value in given.items())


def _entry(mine: Any, kind: str) -> Any:
    return mine.get(kind) if isinstance(mine, Mapping) else getattr(mine, kind, None)


def _message(item: Comparison) -> str:
    verdict = item.verdict
    first, second = verdict.values
    place = f" ({item.place})" if item.place else ""
    lines = [f"{verdict.output}{list(verdict.index) if verdict.index else ''}{place} is {verdict.kind}"]
    lines.append(f"  yours: {first!r}\n  mbsym: {second!r}\nat")
    for name, values in verdict.point.items():
        names = item.names.get(name, (name,) if len(values) == 1 else tuple(f"{name}[{k}]" for k in range(len(values))))
        lines += [f"  {each} = {value!r}" for each, value in zip(names, values, strict=True)]
    if verdict.functions:
        lines.append(f"(functions without an exact test: {', '.join(verdict.functions)})")
    if item.hint:
        lines.append(item.hint)
    return "\n".join(lines)


class _Comparer:
    """The model's equations with every parameter a symbol, in the user's variables, and the reading of the user's."""

    def __init__(
        self,
        model: Model,
        speeds: Sequence[str] | Mapping[Any, Any],
        symbols: Mapping[Any, Any],
        coordinates: Mapping[Any, Any],
        formulation: str,
        quantities: Mapping[str, Quantity],
    ) -> None:
        self.mechanism = build_mechanism(model, model.label(), "all")
        # A formulation without equations of motion has quantities of its own beside those of the automatic choice.
        whole = FORMULATIONS.named(formulation).whole is not None
        self.derive = available_functions(self.mechanism, "auto" if whole else formulation).functions
        self.quantities = quantities
        rates = self.derive["position_rate"](self.mechanism).outputs[0].values
        given = {name_of(symbol): name_of(name) for symbol, name in symbols.items()}
        own = model_variables(self.mechanism, rates)
        self.symbols = _symbols(self.mechanism, own, given)
        self.variables = own
        mapped = speeds if isinstance(speeds, Mapping) else None
        if coordinates or mapped:
            self.variables = own_variables(own, self.symbols, coordinates, mapped)
            self.symbols = _symbols(self.mechanism, self.variables, given)
        names = self.variables.v_names
        self.order = list(names if mapped is not None else speeds or names)
        if sorted(self.order) != sorted(names):
            raise SymbolicError(f"the speeds are {', '.join(names)}", where="speeds", remedy="name each once")
        self.rows = [names.index(name) for name in self.order]

    def comparison(self, kind: str, value: Any) -> Comparison:
        """The verdict for one kind of equation, with the names of rows and of the counterexample's entries."""
        verdict, hint = self._compare(kind, value)
        rows = [self.order[k] for k in verdict.index] if kind in KINDS else []
        place = ", ".join(f"{which} {name}" for which, name in zip(("row", "column"), rows, strict=False))
        m = self.mechanism
        names = {item.name: tuple(str(m.graph.arguments[ref][0]) for ref in item.symbols) for item in m.extra_inputs}
        names |= {"q": self.variables.q_names, "v": self.variables.v_names}
        names |= {letter: tuple(_beside(letter, name) for name in self.variables.v_names) for letter in ("vdot", "tau")}
        return Comparison(kind, verdict, place, names, hint)

    def _compare(self, kind: str, value: Any) -> tuple[Verdict, str]:
        if kind not in KINDS:
            return self._compare_quantity(kind, value), ""
        n = self.mechanism.nv
        found = list(_entries(value))
        wanted_size = {"lagrangian": 1, "mass_matrix": n * n}.get(kind, n)
        if len(found) != wanted_size:
            shape = {"lagrangian": "a scalar", "mass_matrix": f"{n} x {n}"}.get(kind, str(n))
            raise SymbolicError(
                f"it has {len(found)} entries; this model's has {wanted_size}",
                where=kind,
                remedy=f"give {shape}, in the order of the speeds {', '.join(self.order)}",
            )
        entries = self.symbols.read(found, kind)
        if kind == "lagrangian":
            return self._decide(self._lagrange(entries[0]), self._residual()), ""
        if kind == "residual":
            return self._compare_residual(entries)
        if kind == "forcing":
            driven = not set(self.mechanism.graph.reachable(entries)).isdisjoint(self.variables.tau)
            return self._decide(self._program(kind, (n,), entries), self._forcing(driven)), ""
        size = (n, n) if kind == "mass_matrix" else (n,)
        return self._decide(self._program(kind, size, entries), self._program(kind, size, self._model(kind))), ""

    def _compare_quantity(self, kind: str, value: Any) -> Verdict:
        """One of the formulation's own."""
        own = named_quantity(self.quantities, kind, self.mechanism)
        assert own is not None
        program = own(self.mechanism)
        (theirs,) = program.outputs
        found = list(_entries(value))
        if len(found) != len(theirs.values):
            shape = " x ".join(map(str, theirs.shape)) or "a scalar"
            raise SymbolicError(
                f"it has {len(found)} entries; this model's has {len(theirs.values)}",
                where=kind,
                remedy=f"give {shape}: {own.sentence}",
            )
        # Speeds that the quantity is in may be no entries of v.
        symbols = {self.mechanism.graph.arguments[ref][0]: ref for item in program.inputs for ref in item.symbols}
        entries = replace(self.symbols, references={**symbols, **self.symbols.references}).read(found, kind)
        return self._decide(
            self._program(kind, theirs.shape, entries), self._program(kind, theirs.shape, theirs.values)
        )

    def _model(self, kind: str) -> list[Reference]:
        """The model's side of a mass matrix, bias or gravity force, in the user's variables and order of rows."""
        if kind == "mass_matrix":
            mass = self._mass_matrix()
            return [mass[r][c] for r in self.rows for c in self.rows]
        forces = self._seen(kind)
        if kind == "bias_force" and self.variables.motion is not None:
            graph = self.mechanism.graph
            carried = product(graph, _square(self._seen("mass_matrix")), self.variables.drift)
            forces = [graph.add(force, inertial) for force, inertial in zip(forces, carried, strict=True)]
        along = self.variables.along(forces)
        return [along[r] for r in self.rows]

    def _seen(self, function: str) -> list[Reference]:
        """A function of the model in the user's variables."""
        return self.variables.seen(self.derive[function](self.mechanism).outputs[0].values)

    def _mass_matrix(self) -> list[list[Reference]]:
        """B^T M B."""
        mass = _square(self._seen("mass_matrix"))
        if self.variables.motion is None:
            return mass
        graph = self.mechanism.graph
        columns = [product(graph, mass, column) for column in zip(*self.variables.motion, strict=True)]
        return [list(row) for row in zip(*map(self.variables.along, columns), strict=True)]

    def _program(self, name: str, shape: tuple[int, ...], refs: Sequence[Reference]) -> Program:
        m, own = self.mechanism, self.variables
        arrays = ((m.q, own.q), (m.v, own.v), (m.vdot, own.vdot), (m.tau, own.tau))
        inputs = (*(replace(item, symbols=symbols) for item, symbols in arrays), *m.extra_inputs)
        return Program(name, m.graph, inputs, (Output(name, shape, tuple(refs)),), m.parameters, name)

    def _residual(self) -> Program:
        own = self.variables
        inverse = own.along(self._seen("inverse_dynamics"))
        refs = [self.mechanism.graph.sub(inverse[r], own.tau[r]) for r in self.rows]
        return self._program("residual", (self.mechanism.nv,), refs)

    def _forcing(self, driven: bool) -> Program:
        graph, own = self.mechanism.graph, self.variables
        tau = [own.tau[r] if driven else 0 for r in self.rows]
        refs = [graph.sub(force, bias) for force, bias in zip(tau, self._model("bias_force"), strict=True)]
        return self._program("forcing", (self.mechanism.nv,), refs)

    def _compare_residual(self, refs: Sequence[Reference]) -> tuple[Verdict, str]:
        theirs = self._residual()
        verdict = self._decide(self._program("residual", (len(refs),), self._aligned(refs, theirs)), theirs)
        graph, tau = self.mechanism.graph, self.variables.tau
        if verdict or not set(graph.reachable(refs)).isdisjoint(tau):
            return verdict, ""
        names = ", ".join(_beside("tau", name) for name in self.order)
        unforced = substitute(graph, theirs.outputs[0].values, dict.fromkeys(tau, 0))
        free = self._program("residual", (len(refs),), unforced)
        same = self._decide(self._program("residual", (len(refs),), self._aligned(refs, free)), free)
        without = "it agrees where these are zero" if same else "it does not agree where these are zero either"
        return verdict, f"(your residual holds none of {names}, and {without}; a residual is M vdot + h - tau)"

    def _aligned(self, refs: Sequence[Reference], theirs: Program) -> list[Reference]:
        """The rows, those negated whose negative is the other side's."""
        aligned = []
        for ref, other in zip(refs, theirs.outputs[0].values, strict=True):
            negated = self._decide(self._program("residual", (1,), [-ref]), self._program("residual", (1,), [other]))
            aligned.append(-ref if negated else ref)
        return aligned

    def _lagrange(self, scalar: Reference) -> Program:
        """d/dt dL/dv + gyroscopic terms - N^T dL/dq - tau, with qdot = N(q) v (Euler, Poincare).

        The gyroscopic terms are those of speeds that are no rates, the momentum bracket of their group.
        """
        m, own = self.mechanism, self.variables
        if own.quasi:
            raise SymbolicError(
                "a Lagrangian is differentiated by rates of coordinates",
                where="lagrangian",
                remedy="give it in terms of these, without a map of speeds",
            )
        graph = m.graph
        momenta = gradient(graph, scalar, own.v)
        by_v, by_q = jacobian(graph, momenta, own.v), jacobian(graph, momenta, own.q)
        slope, rates = gradient(graph, scalar, own.q), jacobian(graph, own.qdot, own.v)
        totals = []
        for r in range(m.nv):
            total = -own.tau[r]
            for c in range(m.nv):
                total = graph.add(total, graph.mul(by_v[r][c], own.vdot[c]))
            for c in range(m.nq):
                total = graph.add(total, graph.mul(by_q[r][c], own.qdot[c]))
                total = graph.sub(total, graph.mul(rates[c][r], slope[c]))
            totals.append(total)
        for body in m.bodies:
            start, stop = body.v_range
            speeds, along = ([Scalar(graph, ref) for ref in refs[start:stop]] for refs in (own.v, momenta))
            for row, term in enumerate(momentum_bracket(body.joint.kind.group, speeds, along), start):
                totals[row] = graph.add(totals[row], term.ref)
        return self._program("residual", (m.nv,), [totals[r] for r in self.rows])

    def _decide(self, mine: Program, theirs: Program) -> Verdict:
        verdict = compare(mine, theirs)
        if verdict.kind != "undecided":
            return verdict
        return _by_floats(mine, theirs, verdict)


def _by_floats(mine: Program, theirs: Program, verdict: Verdict) -> Verdict:
    """Random floating-point states where the field has no meaning for a function; those without a value are passed."""
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(FLOAT_STATES):
        point = {item.name: _random_entries(item, rng) for item in mine.inputs}
        parameters = {item.name: float(rng.uniform(0.5, 2)) for item in mine.parameters}
        with np.errstate(all="ignore"):
            (first,), (second,) = (interpret(p, point, parameters).values() for p in (mine, theirs))
        if not (np.all(np.isfinite(first)) and np.all(np.isfinite(second))):
            continue
        seen += 1
        difference = np.abs(first - second)
        allowed = FLOAT_TOLERANCE * max(1.0, float(np.abs(second).max(initial=0)))
        if np.any(difference > allowed):
            index = np.unravel_index(int(np.argmax(difference)), np.shape(difference)) if np.shape(difference) else ()
            state = {name: tuple(map(float, np.ravel(values))) for name, values in point.items()}
            return Verdict(
                "different",
                verdict.output,
                tuple(map(int, index)),
                state | {name: (value,) for name, value in parameters.items()},
                (float(first[index]), float(second[index])),
                functions=verdict.functions,
                trials=seen,
            )
    if not seen:
        return verdict
    return Verdict("equal", functions=verdict.functions, failure_probability=0.0, trials=seen)


def _random_entries(item: Input, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Random entries of an input, its quaternions of length one."""
    values = rng.uniform(-1, 1, item.shape)
    flat = values.reshape(-1)
    for start in item.quaternions:
        flat[start : start + 4] /= np.linalg.norm(flat[start : start + 4])
    return values


def _entries(value: Any) -> Sequence[Any]:
    """A SymPy matrix, nested list or list, row by row."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    flat: list[Any] = []
    for item in value if isinstance(value, (list, tuple)) else [value]:
        flat.extend(_entries(item) if isinstance(item, (list, tuple)) else [item])
    return flat


def _symbols(mechanism: Mechanism, variables: Variables, given: Mapping[str, str]) -> Symbols:
    """What the user's symbols may stand for: the variables, what follows from them, parameters, inputs and time."""
    replaced = {str(mechanism.graph.arguments[node][0]) for node in variables.images}
    known = {name: value.ref for name, value in mechanism.names.items() if name not in replaced}
    references = dict(zip(known, variables.seen(list(known.values())), strict=True))
    rate_of: dict[str, str] = {}
    for name, rate in zip(variables.q_names, variables.qdot, strict=True):
        if rate in variables.v:
            rate_of[name] = variables.v_names[variables.v.index(rate)]
    references |= dict(zip(variables.q_names, variables.q, strict=True))
    references |= dict(zip(variables.v_names, variables.v, strict=True))
    rates, forces = (tuple(_beside(letter, name) for name in variables.v_names) for letter in ("vdot", "tau"))
    references |= dict(zip(rates, variables.vdot, strict=True)) | dict(zip(forces, variables.tau, strict=True))
    rate_of |= dict(zip(variables.v_names, rates, strict=True))
    parameters = tuple(item.name for item in mechanism.parameters)
    listed = {*variables.q_names, *variables.v_names, *rates, *forces, *parameters}
    kinds = {
        "coordinates": variables.q_names,
        "speeds": variables.v_names,
        "their rates": rates,
        "forces": forces,
        "parameters": parameters,
        "others": tuple(name for name in references if name not in listed),
    }
    return Symbols(mechanism.graph, references, rate_of, given, kinds)


def _beside(letter: str, speed: str) -> str:
    """The name of the rate or force that belongs to a speed."""
    return f"{letter}_{speed.removeprefix('v_')}"


def _square(entries: Sequence[Reference]) -> list[list[Reference]]:
    n = math.isqrt(len(entries))
    return [list(entries[k * n : (k + 1) * n]) for k in range(n)]
