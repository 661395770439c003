"""Linearisation, equilibria and modes of a model: what users call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias, Unpack

from mbsym.doors import one_thread
from mbsym.errors import AnalysisError
from mbsym.linear.equations import LinearEquations, State, prepare
from mbsym.linear.equilibrium import Equilibria, Equilibrium, equilibria
from mbsym.linear.linearised import Linearisation, linearised
from mbsym.linear.modes import Modes, modes_of
from mbsym.linear.observed import is_model_output, spelt_out
from mbsym.linear.options import LinearOptions, OfEquilibria, OfLinearisation, OfModes
from mbsym.linear.state_values import is_state_file, read_state, state_of
from mbsym.model.system import Model
from mbsym.option import made, takes
from mbsym.pipeline import Progress, read
from mbsym.simulation.initial_state import starting_values
from mbsym.simulation.integrate import with_parameters

At: TypeAlias = "Mapping[str, float | str] | Sequence[str] | Path | State | Equilibrium | None"
"""A state: values by name, the name of one of the model's (or several texts: names and "NAME=VALUE"), a JSON or CSV
file, "equilibrium" or "equilibrium:2", a state; None as the model starts."""

BALANCED: Final = "equilibrium"
"""What asks for the first equilibrium from where the model starts."""


@takes(LinearOptions, OfLinearisation)
@one_thread()
def linearise(
    model: Model | str | Path,
    at: At = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[OfLinearisation],
) -> Linearisation:
    """The linear system A, B, C, D about a state.

    Args:
        model: a model, a model file, or the name of a bundled example.
        at: the state; see ``At``.
        **options: see below.
        progress: told of each step.

    Raises:
        AnalysisError: a name is unknown or may mean two things, or the state is singular or does not close the loops.
        MbsymError: the model cannot be read or its equations cannot be derived.
    """
    asked: LinearOptions = made(LinearOptions, options)
    checked = read(model)
    names, frames = spelt_out(checked, asked.outputs)
    outputs = any(is_model_output(checked, name) for name in names)
    equations = _equations(checked, asked, frames, progress, outputs=outputs)
    state = state_at(equations, at, asked.tau, progress)
    return linearised(equations, state, asked.inputs, names, asked.independent)


@takes(LinearOptions, OfEquilibria)
@one_thread()
def equilibrium(
    model: Model | str | Path,
    free: Sequence[str] = (),
    at: At = None,
    *,
    progress: Progress | None = None,
    **options: Unpack[OfEquilibria],
) -> Equilibria:
    """States in which nothing moves, with their stability; the one that the search comes to at once is the first.

    Args:
        model: a model, a model file, or the name of a bundled example.
        free: names of coordinates, of control inputs, and of speeds along which a generalised force may take any
            value; default all coordinates. What is not free keeps its value.
        at: where the search begins; see ``At``.
        **options: see below.
        progress: told of each step.

    Raises:
        AnalysisError: a name is unknown, or there is none that was found.
        MbsymError: the model cannot be read or its equations cannot be derived.
    """
    asked: LinearOptions = made(LinearOptions, options)
    equations = _equations(read(model), asked, (), progress)
    return equilibria(equations, state_at(equations, at, asked.tau, progress), free, asked.starts, progress)


@takes(LinearOptions, OfModes)
@one_thread()
def modes(
    model: Model | str | Path,
    at: At = BALANCED,
    *,
    progress: Progress | None = None,
    **options: Unpack[OfModes],
) -> Modes:
    """Eigenvalues, frequencies, damping ratios and shapes of small motions about a state.

    Args:
        model: a model, a model file, or the name of a bundled example.
        at: the state, see ``At``; default the first equilibrium from where the model starts.
        **options: see below.
        progress: told of each step.

    Raises:
        AnalysisError: the state is none, is singular, or no equilibrium was found.
        MbsymError: the model cannot be read or its equations cannot be derived.
    """
    asked: LinearOptions = made(LinearOptions, options)
    equations = _equations(read(model), asked, (), progress)
    return modes_of(linearised(equations, state_at(equations, at, asked.tau, progress), independent=asked.independent))


def _equations(
    model: Model, asked: LinearOptions, frames: Sequence[str], progress: Progress | None, *, outputs: bool = False
) -> LinearEquations:
    return prepare(with_parameters(model, asked.parameters), asked.order, frames, progress, outputs=outputs)


def state_at(
    equations: LinearEquations, at: At, tau: Mapping[str, float | str] | None = None, progress: Progress | None = None
) -> State:
    """The state that is asked for.

    Raises:
        AnalysisError: there is no such state.
    """
    if isinstance(at, Equilibrium):
        at = at.state
    if isinstance(at, State):
        if (len(at.q), len(at.v)) != (equations.mechanism.nq, equations.mechanism.nv):
            raise AnalysisError(
                "the state is that of another model", where=equations.name, remedy="take one of this model"
            )
        return at
    if at is None or isinstance(at, Mapping):
        return state_of(equations, at or {}, tau)
    return _told(equations, [str(at)] if isinstance(at, str | Path) else [*map(str, at)], tau, progress)


def _told(
    equations: LinearEquations, texts: list[str], tau: Mapping[str, float | str] | None, progress: Progress | None
) -> State:
    """The state that texts tell.

    Raises:
        AnalysisError: there is no such state.
    """
    alone = [text for text in texts if is_state_file(text) or _is_balanced(text)]
    if alone and len(texts) > 1:
        raise AnalysisError(
            f"{alone[0]!r} and more is no one state",
            where="`at`",
            remedy="give NAME=VALUE pairs and named states, or one word or file",
        )
    if alone and is_state_file(texts[0]):
        values, forces = read_state(Path(texts[0]), equations.units)
        return state_of(equations, values, {**forces, **(tau or {})})
    if alone:
        return _balanced(equations, texts[0], tau, progress)
    model = equations.mechanism.model
    known = [state.name for state in model.states]
    strange = [text for text in texts if "=" not in text and text not in known]
    if strange:
        named = f"the name of a state ({', '.join(known)}), " if known else ""
        raise AnalysisError(
            f"{strange[0]!r} is no state",
            where=equations.name,
            remedy=f"give NAME=VALUE pairs, {named}a .json or .csv file, {BALANCED}, or {BALANCED}:2 for the second",
        )
    return state_of(equations, starting_values(model, texts, "`at`"), tau)


def _is_balanced(text: str) -> bool:
    """True for what asks for an equilibrium, whatever states are called."""
    word, _, number = text.partition(":")
    return word == BALANCED and (not number or number.isdecimal())


def _balanced(
    equations: LinearEquations, text: str, tau: Mapping[str, float | str] | None, progress: Progress | None
) -> State:
    _, _, number = text.partition(":")
    wanted, start = int(number) if number else 1, state_of(equations, {}, tau)
    if wanted == 1:
        with suppress(AnalysisError):
            return equilibria(equations, start, starts=1)[0].state
    found = equilibria(equations, start, progress=progress)
    if not 1 <= wanted <= len(found):
        raise AnalysisError(
            f"{len(found)} equilibria were found", where=equations.name, remedy=f"take one of 1 to {len(found)}"
        )
    return found[wanted - 1].state
