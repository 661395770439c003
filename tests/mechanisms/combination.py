"""One combination of options, elements and compilers: generated, compiled, run, and compared with the plain module.

The plain module is NumPy of the same mechanism with default options, and is itself compared with the reference. What an
entry may be off by is measured: the plain module is asked again at arguments that differ by a few units of rounding,
and what that changes, times a factor for the operations in between, is allowed. So the tolerance has the scale of what
is summed, and grows where a mass matrix or closed loops are nearly singular. What solves a system magnifies rounding by
its condition, which is measured as well: that of the mass matrix, or, of constraint forces, that of their own system.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

import mbsym.stages.simplify
from mbsym.codegen.build import WARNINGS, compile_c
from mbsym.codegen.load import LoadedModule, c_module, imported
from mbsym.codegen.load_batch import batch_module
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.codegen.statuses import Status
from mbsym.errors import DerivationError, MbsymError, OptionError
from mbsym.formulations.constraint_force.leaf_to_root import first_singular_body
from mbsym.joints.registry import JOINT_TYPES
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.clock import CLOCK
from mbsym.model.system import Model
from mbsym.options.exclusions import EXCLUSIONS
from mbsym.options.generation import OPTIONS, GenerationOptions
from mbsym.passes.given_sines import SINES_COSINES
from mbsym.passes.prepare import PREPARE
from mbsym.pipeline import express, generate
from mbsym.reference import Reference
from mbsym.registry import FORMULATIONS, TRANSFER_MATRIX, contracts_of
from mbsym.transfer_matrix.recognition import transfer_system
from mbsym.transfer_matrix.system import TransferSystem
from mbsym.verification.evidence import Numbers, expanded
from mbsym.verification.random_state import random_state
from mbsym.verification.stepping_evidence import random_arguments
from mechanisms.block_condition import condition
from mechanisms.covering_array import Combination, Factor, Setting
from mechanisms.factor_models import ImpossibleError, model_factors, model_of, start_of
from mechanisms.javascript import javascript_module

Array = NDArray[Any]
Kind = Literal["equal", "refused", "not covered", "impossible", "difference"]

MAKERS: Final = (PREPARE, SINES_COSINES)
"""Functions that make arguments of others; the plain module has none of them."""

CHANGE: Final = {"double": 2.0**-48, "float": 2.0**-19}
"""Relative change of arguments, 32 units of rounding: what hundreds of operations in another order may come to."""

FACTOR: Final = 8.0
"""Times what the change does: draws seldom meet the worst direction."""

FLOOR: Final = {"double": 2.0**-40, "float": 2.0**-12}
"""Of a result's largest entry at ordinary states: some 8000 and 4000 units of rounding, for terms that cancel and do
not depend on arguments."""

ITERATED: Final = 2.0**-30
"""The same for functions that iterate, of their largest argument or result: they stop where loops are closed to some
1e-10."""

AGAINST_REFERENCE: Final = 1e-8
"""The same for the reference, which solves for all forces at once and loses digits where its matrices do."""

SINGULAR: Final = 1e-10
"""Of a mass matrix' largest eigenvalue: masses, lengths and moments are about one, and rounding leaves some 1e-16."""

FOR_FORCES: Final = {"cfa": 1, "cfa-serial": 1, "cfa-parallel": 1, "cfa-kkt": 1, "cfa-elimination": 2}
"""Formulations that solve for constraint forces, and how often the condition of that system counts. They may be off by
as much as it would be if it were changed like the arguments, 16 times 2^-52: 3 times 2^-52 and the condition were seen
in thousands of states. Odd-even elimination loses its matrix' symmetry, and up to twice as many digits."""

OF_FACTORS: Final = ("inverses",)
"""What kernels hand to the solver of closed loops as their formulation factors the mass matrix."""

SPARED: Final = {
    "constrained_terms": ("weighted",),
    "position_correction": ("residual_jacobian", "weighted"),
    "velocity_correction": ("weighted",),
}
"""What kernels hand to that solver for singular configurations only."""

ORDINARY, FAR = 3, 2
"""Numbers of states; together they fill no row of lanes."""


Judge: TypeAlias = "Callable[[Mapping[str, str]], Outcome]"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a combination.

    Attributes:
        kind: "refused" by the table, "not covered" by a method that says so of the model, "impossible" to build.
        told: name of the exclusion, the sentence, or what differs.
    """

    kind: Kind
    told: str = ""


def factors() -> tuple[Factor, ...]:
    """All that is combined: the model's, the options' as they are registered, the compilers that are there."""
    compilers = tuple(name for name in ("gcc", "clang") if shutil.which(name))
    return (
        *model_factors(),
        *(Factor(option.name, option.names) for option in OPTIONS.values()),
        Factor("compiler", compilers),
        Factor("level", ("-O2", "-O0", "-O3 -march=native")),
    )


def outcome(row: Mapping[str, str]) -> Outcome:
    """What becomes of the combination."""
    with tempfile.TemporaryDirectory() as scratch:
        return _judged(row, Path(scratch), _compared)


class _ReachedError(Exception):
    """A function is being derived: nothing refused it."""


def _stopped() -> Any:
    """The first function that would be derived says that it is reached."""
    return patch.object(mbsym.stages.simplify, "shortest", side_effect=_ReachedError)


def quick_outcome(row: Mapping[str, str]) -> Outcome:
    """What becomes of the combination before anything is derived; "equal" where nothing refuses it."""
    with tempfile.TemporaryDirectory() as scratch, _stopped():
        return _judged(row, Path(scratch), lambda *given: ())


def generated_outcome(row: Mapping[str, str]) -> Outcome:
    """What becomes of the combination until it is written; "equal" where nothing refuses it."""
    with tempfile.TemporaryDirectory() as scratch:
        return _judged(row, Path(scratch), lambda *given: ())


def reason(row: Mapping[str, str], found: Outcome, judge: Judge) -> Combination:
    """The settings of a row that is refused which are why: each has another value with which nothing is refused.

    Settings are brought to the plain ones before, as far as it stays the same refusal.
    """
    alone = {**row, **_plain_but_for(row, lambda tried: _same(judge(tried), found))}
    every = {factor.name: factor.values for factor in factors()}
    needed = {
        (name, row[name])
        for name, value in alone.items()
        if any(judge({**alone, name: other}).kind == "equal" for other in every[name] if other != value)
    }
    return frozenset(needed or row.items())


def narrower(row: Mapping[str, str], other: Mapping[str, str], found: Outcome, judge: Judge) -> Combination:
    """The settings of a row that is refused that matter, of those in which another one differs that is not."""
    left = dict(row)
    for name, value in other.items():
        if left[name] != value and _same(judge(tried := {**left, name: value}), found):
            left = tried
    return frozenset(left.items() - other.items())


def smallest(row: Mapping[str, str], found: Outcome) -> dict[str, str]:
    """What is left of a row that comes out badly when one setting after the other is brought to the plain one."""
    left = _plain_but_for(row, lambda tried: outcome(tried).kind == found.kind)
    return {factor.name: left[factor.name] for factor in factors() if left[factor.name] != factor.values[0]}


def _plain_but_for(row: Mapping[str, str], holds: Callable[[dict[str, str]], bool]) -> dict[str, str]:
    """The row with plain settings wherever something still holds with them: many at once first, then one by one."""
    plain = {factor.name: factor.values[0] for factor in factors()}
    left = dict(row)
    length = len(row)
    while length:
        length //= 2
        names = [name for name in left if left[name] != plain[name]]
        for first in range(0, len(names), max(length, 1)):
            tried = {**left, **{name: plain[name] for name in names[first : first + max(length, 1)]}}
            if tried != left and holds(tried):
                left = tried
    return left


def _same(first: Outcome, second: Outcome) -> bool:
    return first.kind == second.kind and (first.kind == "not covered" or first.told == second.told)


@cache
def _mechanism(settings: tuple[Setting, ...], order: str) -> tuple[Model, Mechanism]:
    """The model with such settings, and its mechanism.

    Raises:
        ImpossibleError: there is none whose tree can be moved by forces alone, the joints being taken in that order.
    """
    model = model_of(dict(settings))
    labelled = express(model, GenerationOptions(order=order, symbolic_parameters="none"))
    if _moves_without_inertia(labelled):
        raise ImpossibleError("some motion moves no inertia")
    return model, express(model, GenerationOptions())


def _moves_without_inertia(mechanism: Mechanism) -> bool:
    """Whether the reference's mass matrix of the tree is singular wherever one looks."""
    reference = Reference(mechanism.model, mechanism.labelling)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(3 if reference.nv else 0):
        q, _, _ = random_state(mechanism.model, mechanism.labelling, rng, reference=reference)
        values = np.linalg.eigvalsh(_masses(reference, q))
        found.append(values[0] / values[-1])
    return bool(max(found, default=1.0) < SINGULAR)


def _judged(row: Mapping[str, str], scratch: Path, compared: Any) -> Outcome:
    try:
        settings = tuple((factor.name, row[factor.name]) for factor in model_factors())
        model, mechanism = _mechanism(settings, row["order"])
        given = _arguments(row, mechanism)
    except ImpossibleError as error:
        return Outcome("impossible", error.what)
    target = scratch / "row"
    try:
        # The checker of the safety report takes minutes, and has tests of its own.
        with patch("mbsym.embedded.misra.LARGEST_CHECKED", 0):
            generate(model, target, **given)
    except _ReachedError:
        return Outcome("equal")
    except OptionError as error:
        if error.exclusion in EXCLUSIONS and not target.exists():
            return Outcome("refused", error.exclusion)
        return Outcome("difference", f"refused, and written: {error}")
    except DerivationError as error:
        if FORMULATIONS[row["formulation"]].whole is not None:
            return Outcome("not covered", str(error))
        return Outcome("difference", f"refused by no table: {error}")
    except MbsymError as error:
        return Outcome("difference", f"refused by no table: {error}")
    except Exception as error:
        return Outcome("difference", f"{type(error).__name__} while generating: {error}")
    try:
        wrong = next(iter(compared(row, model, given, scratch)), "")
        return Outcome("difference", wrong) if wrong else Outcome("equal")
    except MbsymError as error:
        return Outcome("difference", str(error))
    except Exception as error:
        return Outcome("difference", f"{type(error).__name__} while comparing: {error}")


def _arguments(row: Mapping[str, str], mechanism: Mechanism) -> dict[str, Any]:
    """The arguments of ``mbsym.generate``.

    Raises:
        ImpossibleError: the model has nothing of a kind.
    """
    given = {}
    for name, option in OPTIONS.items():
        given[name] = option.value(row[name], mechanism)
        if given[name] is None:
            raise ImpossibleError(f"the model has nothing for {name}: {row[name]}")
    return given


def _compared(row: Mapping[str, str], model: Model, given: Mapping[str, Any], scratch: Path) -> Iterator[str]:
    """What is wrong, if anything is."""
    target, rng = scratch / "row", np.random.default_rng(zlib.crc32(repr(sorted(row.items())).encode()))
    asked = {name: given[name] for name, option in OPTIONS.items() if option.says_what}
    stepping = row["formulation"] == TRANSFER_MATRIX
    asked |= {"formulation": TRANSFER_MATRIX} if stepping else {}
    done = generate(model, scratch / "plain", languages=("numpy",), **asked)
    plain = imported(scratch / "plain" / f"{model.name}.py", read_manifest(scratch / "plain"))
    iterating = {function.name for function in done.derivation.runtime}
    modules = _modules(row, target, given["prefix"] or model.name)
    mechanism = express(
        model, GenerationOptions(order=row["order"], frames=given["frames"], frame_axes=given["frame_axes"])
    )
    reference = Reference(mechanism.model, mechanism.labelling)
    if stepping:
        system = transfer_system(mechanism)
        kernels = [name for name in plain.functions if name not in iterating]
        states = {name: _of_steps(plain, name, system, rng) for name in kernels}
        conditions = {}
    else:
        states = dict.fromkeys(plain.functions, _states(mechanism, reference, plain, rng))
        yield from _against_reference(plain, mechanism, reference, states)
        yield from _failing_far_away(plain, iterating, states)
        conditions = _conditions(row["formulation"], mechanism, reference, states)
    for parameters in _parameter_sets(plain, rng):
        for module in modules:
            yield from _differences(module, modules[0], plain, states, conditions, parameters, rng, iterating)
    if given["self_test"]:
        yield from _self_tested(row, target, modules[0].manifest["name"])


def _modules(row: Mapping[str, str], target: Path, name: str) -> list[LoadedModule]:
    """What was generated: C with what stands in the same library, and NumPy."""
    manifest = read_manifest(target / f"{name}.json")
    found = []
    if (target / f"{name}.c").is_file():
        many = (target / f"{name}_batch.c").is_file()
        threads = ["-fopenmp"] if row["threads"] != "none" and row["compiler"] == "gcc" else []
        flags = (*WARNINGS, "-Wno-psabi", *row["level"].split(), *threads)
        library = compile_c(target, name, flags, row["compiler"], also=(f"{name}_batch",) if many else ())
        found.append(c_module(library, manifest))
        found += [batch_module(library, manifest)] if many else []
    if (target / f"{name}.py").is_file():
        found.append(imported(target / f"{name}.py", manifest))
    if (target / f"{name}.mjs").is_file():
        found.append(javascript_module(target, manifest))
    return found


def _states(
    mechanism: Mechanism, reference: Reference, plain: LoadedModule, rng: np.random.Generator
) -> dict[str, Array]:
    """Arguments at ordinary states and far ones, along a first axis; with closed loops these are closed."""
    model = mechanism.model
    closed = bool(mechanism.cut_joints or model.constraints)
    start = start_of(model, reference)
    found = []
    for number in range(ORDINARY + FAR):
        q, v, tau = random_state(model, mechanism.labelling, rng, reference=reference)
        if closed:
            moved = reference.integrate_position(start, rng.uniform(-1, 1, reference.nv), 0.1 * number)
            q = reference.closed_position(moved)
            q = q if np.abs(reference.closure_gap(q)).max(initial=0.0) < 1e-9 else start
        if number >= ORDINARY:
            away = q + _turns(reference, rng, 10.0 ** rng.uniform(1, 4), shifts=not closed)
            near = np.abs(reference.closure_gap(away)).max(initial=0.0) < 1e-8 * (1 + np.abs(away).max(initial=0.0))
            q, v = away if near else q, 100 * v
        if closed:
            v = reference.consistent_velocity(q, v)
        state = {"q": q, "v": v, "tau": tau, "vdot": rng.uniform(-2, 2, len(v))}
        inputs, drives = (rng.uniform(-1, 1, len(items)) for items in (model.inputs, model.drives))
        found.append({**state, "t": rng.uniform(0, 1), "u": inputs, "x": drives})
    others = {item.name: item.shape for function in plain.functions.values() for item in function.inputs}
    for state in found:
        state |= {name: rng.uniform(0.5, 2, shape) for name, shape in others.items() if name not in state}
    return {name: np.stack([state[name] for state in found]) for name in found[0]}


def _conditions(
    formulation: str, mechanism: Mechanism, reference: Reference, states: Mapping[str, Mapping[str, Array]]
) -> dict[str, Array]:
    """Of functions that solve for accelerations: the condition of what is solved, along the states."""
    contracts = contracts_of(mechanism)
    (along, *_) = (at["q"] for at in states.values())  # all functions have the same states
    masses = np.array([_of_masses(reference, q) for q in along])
    found = {name: masses for name in states if name in contracts and contracts[name].solves}
    if formulation in FOR_FORCES and not mechanism.is_coupled and first_singular_body(mechanism) is None:
        forces = np.array([condition(reference, q) ** FOR_FORCES[formulation] for q in along])
        own = [name for name in states if name in FORMULATIONS[formulation].functions]
        found |= {name: np.maximum(found.get(name, 1.0), forces) for name in own}
    return found


def _masses(reference: Reference, q: Array) -> Array:
    """The mass matrix, in which the clock of constraints, which nothing resists, stands by itself with a one."""
    found = reference.mass_matrix(q)
    clocks = [joint.speeds for joint in reference.mechanism.tree_joints if joint.name == CLOCK]
    for place in clocks:
        found[place, place] = 1.0
    return found


def _of_masses(reference: Reference, q: Array) -> float:
    """Condition number of the mass matrix with units in which its diagonal is one; one where it is singular."""
    masses = _masses(reference, q)
    sizes = np.sqrt(np.diag(masses))
    found = np.linalg.cond(masses / np.outer(sizes, sizes)) if sizes.size and sizes.all() else 1.0
    return float(found) if found < 1 / SINGULAR else 1.0


def _of_steps(plain: LoadedModule, name: str, system: TransferSystem, rng: np.random.Generator) -> dict[str, Array]:
    """Arguments of a function of stepping code, which share names and not shapes."""
    drawn = [random_arguments(plain, [name], system, rng) for _ in range(ORDINARY + FAR)]
    return {key: np.stack([one[key] for one in drawn]) for key in drawn[0]}


def _turns(reference: Reference, rng: np.random.Generator, size: float, *, shifts: bool) -> Array:
    """Whole turns of that size for angles that nothing else follows from; shifts in proportion where they may be."""
    moved = np.zeros(reference.nq)
    for joint in reference.mechanism.tree_joints:
        kind = JOINT_TYPES[joint.type]
        if joint.coordinates is None or not kind.speeds_are_rates:
            continue
        entries = []
        for unit in kind.shape.coordinate_units:
            turn = 2 * np.pi * round(size * rng.uniform(-1, 1))
            entries.append(turn if unit == "rad" and (shifts or not kind.numbers) else 0.0)
            entries[-1] = rng.uniform(-1, 1) * size if unit == "m" and shifts else entries[-1]
        moved[joint.coordinates] = entries
    return moved


def _parameter_sets(plain: LoadedModule, rng: np.random.Generator) -> Iterator[dict[str, float]]:
    """No parameters, which leaves them as they are, and others than those."""
    yield {}
    defaults: Mapping[str, float] = plain.manifest["run_time_parameters"]
    if defaults:
        yield {name: value * (1 + 0.05 * rng.uniform(-1, 1)) for name, value in defaults.items()}


def _results(
    module: LoadedModule, name: str, states: Mapping[str, Array], parameters: Mapping[str, float]
) -> tuple[dict[str, Array], Array]:
    """Results of a function by their names, along the states, and where its status says that they are right."""
    function = module.functions[name]
    count = max(map(len, states.values()), default=1)
    own = parameters if function.parameters else None
    found, status = function.with_status(*(states[item.name] for item in function.inputs), parameters=own)
    arrays = found if isinstance(found, tuple) else (found,)
    known = module.manifest.get("sparsity", {}).get(name, {}) if module.manifest.get("compressed") else {}
    results = {}
    for item, array in zip(function.outputs, arrays, strict=True):
        array = np.broadcast_to(np.asarray(array), (count, *item.shape))
        if item.kind != "int":
            array = np.stack([expanded(one, known[item.name]) for one in array]) if item.name in known else array
            results[item.name] = np.asarray(array, dtype=float)
    return results, np.broadcast_to(np.asarray(status) == Status.OK, (count,))


def _made(module: LoadedModule, states: Mapping[str, Array], parameters: Mapping[str, float]) -> dict[str, Array]:
    """The arguments and what a module makes for its other functions."""
    given = dict(states)
    for maker in MAKERS:
        if maker in module.functions:
            given |= _results(module, maker, given, parameters)[0]
    return given


def _differences(
    module: LoadedModule,
    maker: LoadedModule,
    plain: LoadedModule,
    states: Mapping[str, Mapping[str, Array]],
    conditions: Mapping[str, Array],
    parameters: Mapping[str, float],
    rng: np.random.Generator,
    iterating: Collection[str],
) -> Iterator[str]:
    """What is wrong with a module, at the states of each function."""
    real = module.manifest["real"]
    if real == "float":
        parameters = {name: float(np.float32(value)) for name, value in parameters.items()}
    if module.language != "batch" and (
        strange := {*module.functions}.symmetric_difference(plain.functions) - {*MAKERS}
    ):
        yield f"{module.language}: other functions: {', '.join(sorted(strange))}"
    for name in module.functions:
        if name not in states:
            continue
        at = states[name]
        if real == "float":
            at = {key: array.astype(np.float32).astype(float) for key, array in at.items()}
        expected, right = _results(plain, name, at, parameters)
        found, told = _results(module, name, _made(maker, at, parameters), parameters)
        allowed = _allowed(plain, name, at, parameters, expected, real, rng, iterates=name in iterating)
        where = f"{module.language}: {name}"
        if real == "double" and (told != right).any():
            yield f"{where}: status differs in state {np.argmax(told != right)}"
        for result, values in expected.items():
            if result in SPARED.get(name, ()) or result in OF_FACTORS:
                continue
            looked_at = told & right
            off = np.abs(found[result] - values)
            if name in conditions:
                largest = np.abs(values).reshape(len(values), -1).max(axis=1, initial=0.0)
                lost = CHANGE[real] * conditions[name] * largest
                allowed[result] = np.maximum(allowed[result], lost.reshape(-1, *([1] * (values.ndim - 1))))
            # Ten metres away, or after a thousand turns, single precision is left without a digit of some sums.
            if real == "float":
                off[ORDINARY:] = np.where(np.isfinite(off[ORDINARY:]), 0.0, np.inf)
            bad = ~(off <= allowed[result]) & np.isfinite(values)
            bad = bad.reshape(len(bad), -1).any(axis=1) & looked_at
            if bad.any():
                state = int(np.argmax(bad))
                size = float(np.max(np.nan_to_num(off[state], nan=np.inf)))
                scale = float(np.max(np.abs(values[state]), initial=0.0))
                yield f"{where}: {result} is off by {size:.2g} of {scale:.2g} in state {state}"


def _allowed(
    plain: LoadedModule,
    name: str,
    states: Mapping[str, Array],
    parameters: Mapping[str, float],
    expected: Mapping[str, Array],
    real: str,
    rng: np.random.Generator,
    *,
    iterates: bool,
) -> dict[str, Array]:
    """What each entry may be off by."""
    floor = max(FLOOR[real], ITERATED) if iterates else FLOOR[real]
    among = [*(states[item.name] for item in plain.functions[name].inputs), *expected.values()] if iterates else []
    largest = max((np.abs(np.nan_to_num(array)).max(initial=0.0) for array in among), default=0.0)
    allowed = {}
    for result, values in expected.items():
        axes = tuple(range(1, values.ndim))
        ordinary = np.abs(np.nan_to_num(values[:ORDINARY])).max(initial=0.0)
        own = np.abs(np.nan_to_num(values)).max(axis=axes, keepdims=True, initial=0.0) if axes else np.abs(values)
        allowed[result] = floor * np.maximum(max(ordinary, largest), own) + np.zeros_like(values)
    for _ in range(4):
        changed = {key: array * (1 + CHANGE[real] * rng.uniform(-1, 1, array.shape)) for key, array in states.items()}
        moved = _results(plain, name, changed, parameters)[0]
        for result, values in expected.items():
            axes = tuple(range(1, values.ndim))
            change = np.abs(moved[result] - values)
            change = change.max(axis=axes, keepdims=True, initial=0.0) if axes else change
            allowed[result] = np.maximum(allowed[result], FACTOR * np.nan_to_num(change) + 0 * allowed[result])
    return allowed


def _against_reference(
    plain: LoadedModule, mechanism: Mechanism, reference: Reference, states: Mapping[str, Mapping[str, Array]]
) -> Iterator[str]:
    """Where the plain module is wrong, at ordinary states."""
    contracts = contracts_of(mechanism)
    asked = [name for name in plain.functions if name in contracts and contracts[name].reference]
    at = states[asked[0]] if asked else {}
    numbers = [Numbers(reference, {name: array[k] for name, array in at.items()}) for k in range(ORDINARY)]
    for name in asked:
        function = plain.functions[name]
        results, right = _results(plain, name, at, {})
        values = next(iter(results.values()))
        for k in np.flatnonzero(right[:ORDINARY]):
            expected = numbers[k][contracts[name].reference]
            off = np.abs(values[k] - expected.reshape(values[k].shape)).max(initial=0.0)
            scale = np.abs(expected).max(initial=0.0) + np.abs(values[:ORDINARY]).max(initial=0.0)
            # What stands still is told by speeds that cancel; lengths are about one.
            moving = FLOOR["double"] * max(np.abs(at[item.name][k]).max(initial=0.0) for item in function.inputs)
            if not off <= AGAINST_REFERENCE * scale * _condition(reference, at["q"][k]) + moving:
                yield f"plain: {name} is off the reference by {off:.2g} of {scale:.2g}"


def _failing_far_away(
    plain: LoadedModule, iterating: Collection[str], states: Mapping[str, Mapping[str, Array]]
) -> Iterator[str]:
    """Functions that end at ordinary states and not a thousand turns away, where loops are closed as well."""
    for name in plain.functions:
        if name in iterating:
            right = _results(plain, name, states[name], {})[1]
            if right[:ORDINARY].all() and not right.all():
                yield f"plain: {name} fails far away, in state {np.argmin(right)}"


def _condition(reference: Reference, q: Array) -> float:
    """The square root of the mass matrix's condition number, at least one."""
    matrix = _masses(reference, q)
    found = float(np.linalg.cond(matrix)) if matrix.size else 1.0
    return max(1.0, min(found, 1e8) ** 0.5)


def _self_tested(row: Mapping[str, str], target: Path, name: str) -> Iterator[str]:
    """Runs the program that compares C with frozen results on its target."""
    program = target / "selftest"
    command = [row["compiler"], "-std=c99", *row["level"].split(), f"{name}.c", f"{name}_selftest.c"]
    built = subprocess.run([*command, "-o", program, "-lm"], cwd=target, capture_output=True, text=True, check=False)
    if built.returncode:
        yield f"self-test does not compile: {built.stderr.splitlines()[0]}"
        return
    done = subprocess.run([program], cwd=target, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"self-test fails: {(done.stdout + done.stderr).strip().splitlines()[-1]}"
