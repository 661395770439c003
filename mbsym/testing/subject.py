"""What a user's function is held against: mbsym's function of a model, its arguments and the names of their entries."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from json import loads
from pathlib import Path
from typing import Any

from mbsym.codegen.load import LoadedFunction, LoadedModule, numpy_module
from mbsym.doors import Array
from mbsym.doors import numpy as np
from mbsym.errors import CodegenError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.model.system import Model
from mbsym.options.generation import chosen
from mbsym.pipeline import generate_files, read

PROJECTION = "project_position"

_BESIDE_SPEEDS = {"v": "v", "vdot": "vdot", "tau": "tau"}
"""Arrays with an entry for each speed, by the letter that their entries' names begin with."""


@dataclass(frozen=True, slots=True)
class Subject:
    """mbsym's function.

    Attributes:
        mechanism: the model's.
        module: NumPy functions, this one among them, and with closed loops the projection of coordinates.
        name: of the function.
        entries: array and place of what has a name of its own, such as ``q_hinge``.
    """

    mechanism: Mechanism
    module: LoadedModule
    name: str
    entries: Mapping[str, tuple[str, int]]

    @property
    def function(self) -> LoadedFunction:
        """As NumPy has it."""
        return self.module.functions[self.name]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of its arguments by name."""
        return {item.name: item.shape for item in self.function.inputs}

    @property
    def defaults(self) -> Mapping[str, float]:
        """Numbers in the model of the parameters that the user's function takes."""
        found: Mapping[str, float] = self.module.manifest["run_time_parameters"]
        return found

    @property
    def has_loops(self) -> bool:
        """Whether it has equations that coordinates or speeds obey."""
        return _has_loops(self.mechanism.model)

    @property
    def names(self) -> list[str]:
        """What arguments of a user's function may stand for."""
        return [*self.shapes, *self.entries, *self.defaults]

    def value(self, name: str, values: Mapping[str, Any]) -> Any:
        """What a name stands for: an array, an entry of one, or a parameter."""
        if name in self.entries:
            array, place = self.entries[name]
            return values[array][place]
        return values[name]

    def place(self, position: int) -> tuple[str, int]:
        """Result, and place in it, of an entry of all results one after the other."""
        for item in self.function.outputs:
            size = math.prod(item.shape)
            if position < size:
                return item.name, position
            position -= size
        raise IndexError(position)

    @property
    def size(self) -> int:
        """How many entries all results have."""
        return sum(math.prod(item.shape) for item in self.function.outputs)

    def entry_name(self, position: int) -> str:
        """An entry of the results in words, such as ``mass_matrix[0, 1] (row v_rail, column v_hinge)``."""
        name, place = self.place(position)
        shape = next(item.shape for item in self.function.outputs if item.name == name)
        index = [int(k) for k in np.unravel_index(place, shape)] if shape else []
        speeds = [item["name"] for item in self.module.manifest["speeds"]]
        words = ""
        if self.name in _OF_SPEEDS and set(shape) == {len(speeds)}:
            words = ", ".join(f"{which} {speeds[k]}" for which, k in zip(("row", "column"), index, strict=False))
        return f"{name}{index if index else ''}{f' ({words})' if words else ''}"

    def flat(self, results: Any) -> Array:
        """All results of NumPy one after the other."""
        several = results if isinstance(results, tuple) else (results,)
        return np.concatenate([np.ravel(np.asarray(each, dtype=float)) for each in several])


_OF_SPEEDS = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "inverse_mass_matrix",
    "bias_force",
    "gravity_force",
    "applied_force",
)
"""Functions whose results have an entry, or a row and a column, for each speed."""


def subject_of(source: Model | str | Path, name: str, asked: Collection[str]) -> Subject:
    """mbsym's function of a model; parameters that are asked for by name stay arguments, others are numbers.

    Raises:
        MbsymError: the model is unusable, or has no function of that name.
    """
    model = read(source)
    symbolic = tuple(item.name for item in model.parameters if item.name in asked) or "none"
    functions = dict.fromkeys((name, PROJECTION) if _has_loops(model) else (name,))
    own = {"symbolic_parameters": symbolic, "languages": ("numpy",), "functions": tuple(functions)}
    derivation, files = generate_files(model, chosen(own))
    manifest = loads(files[-1].text)
    module = numpy_module(*files)
    inputs = {item.name for item in module.functions[name].inputs}
    entries = {item["name"]: ("q", k) for k, item in enumerate(manifest["coordinates"])}
    for letter, array in _BESIDE_SPEEDS.items():
        for k, item in enumerate(manifest["speeds"]):
            entries[f"{letter}_{item['name'].removeprefix('v_')}"] = array, k
    for k, item in enumerate(manifest["inputs"]):
        entries[item["name"] if isinstance(item, dict) else item] = "u", k
    return Subject(derivation.mechanism, module, name, {key: at for key, at in entries.items() if at[0] in inputs})


def _has_loops(model: Model) -> bool:
    return bool(model.label().cut_joints or model.constraints or model.motions)


def bound(subject: Subject, own: Sequence[str], given: Sequence[str], scalars: Sequence[bool | None]) -> list[str]:
    """What each argument of a user's function stands for, in order.

    Names that stand for something stand for that; the others are the function's remaining arrays in order, or the
    remaining entries of all of them.

    Args:
        subject: mbsym's function.
        own: the names of the arguments.
        given: what the user says that they stand for; empty to find it by their names.
        scalars: whether each is a number, an array, or not known (None).

    Raises:
        CodegenError: it is not clear.
    """
    if given:
        return _as_said(subject, own, given)
    unknown = [name for name in own if name not in subject.names]
    known = [name for name in own if name in subject.names]
    used = {subject.entries[name][0] if name in subject.entries else name for name in known}
    arrays = [name for name in subject.shapes if name not in used]
    flat = [name for name, (array, _) in subject.entries.items() if array in arrays]
    kinds = {kind for name, kind in zip(own, scalars, strict=True) if name in unknown}
    for waiting, kind in ((arrays, False), (flat, True)):
        if len(unknown) == len(waiting) and kinds <= {kind, None}:
            places = iter(waiting)
            return [name if name in subject.names else next(places) for name in own]
    raise CodegenError(
        f"it is not clear what {', '.join(unknown) or 'the arguments'} of your function "
        f"{'stands' if len(unknown) == 1 else 'stand'} for, beside {', '.join(arrays) or 'none'} of {subject.name}",
        where="arguments",
        remedy=f"give arguments=(...), one of {', '.join(subject.names)} for each, in their order",
    )


def _as_said(subject: Subject, own: Sequence[str], given: Sequence[str]) -> list[str]:
    """What the user says that arguments stand for, where all of it is known.

    Raises:
        CodegenError: a name is none, or there are more or fewer than arguments.
    """
    if unknown := [name for name in given if name not in subject.names]:
        near = get_close_matches(unknown[0], subject.names, n=1)
        raise CodegenError(
            f"{unknown[0]!r} is no argument of {subject.name}, no entry of one and no parameter",
            where="arguments",
            remedy=f"did you mean {near[0]}?" if near else f"there are {', '.join(subject.names)}",
        )
    if own and len(given) != len(own):
        raise CodegenError(
            f"{len(given)} names are given for {len(own)} arguments", where="arguments", remedy="name each one"
        )
    return list(given)
