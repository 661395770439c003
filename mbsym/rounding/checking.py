"""Checks a file of bounds without trusting it: by whole numbers, the text itself, and compiled code.

What is shared with the way that made the file is the reader of C texts, the recorder of operations, and the manifest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeAlias

import mpmath
import numpy as np

from mbsym.codegen.load import LoadedModule, load_c
from mbsym.codegen.manifest_reader import file_hash, read_manifest
from mbsym.rounding.bounds_file import BoundsEntries, FunctionEntry, OutputEntry, read_bounds
from mbsym.rounding.certify import read_text_of, tape_of
from mbsym.rounding.exact_analysis import ExactPart
from mbsym.rounding.exact_forms import ONE
from mbsym.rounding.precision import PRECISIONS
from mbsym.rounding.samples import computed
from mbsym.rounding.tape import Tape

Progress: TypeAlias = "Callable[[str, int, int], None]"

DIGITS: Final = 60
"""Decimal digits with which sampled states are computed again."""

SAME: Final = 0.02
"""Part by which two errors of one state may differ: what is sampled has 11 digits of two more than double."""

CLOSE: Final = 1e-9
"""Part by which ranges may differ: they are told in doubles."""

LOOSE: Final = 0.01
"""Part by which what is told may be wider than what follows from all parts."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check of bounds found.

    Attributes:
        name: of the module.
        functions: how many parts were checked of how many, by function.
        faults: sentences, the first thing first.
    """

    name: str
    functions: Mapping[str, tuple[int, int]]
    faults: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        parts = {name: {"checked": checked, "of": count} for name, (checked, count) in self.functions.items()}
        return {"certificate": self.name, "passed": not self.faults, "parts": parts, "faults": list(self.faults)}

    def summary(self) -> str:
        """A line for each function, faults, and a verdict."""
        lines = [f"{name}: {checked} of {count} parts" for name, (checked, count) in self.functions.items()]
        verdict = f"{len(self.faults)} FAULTS" if self.faults else "confirmed"
        return "\n".join([*lines, *self.faults, "", f"{self.name}: {verdict}"])


def check_bounds(path: str | Path, *, parts: int = 40, seed: int = 0, progress: Progress | None = None) -> Checked:
    """Checks a file of bounds beside the texts that it is about.

    Args:
        path: NAME.bounds.json.
        parts: of each box whose bounds are derived again, those with the largest bounds among them; 0 for all.
        seed: by which others are chosen.
        progress: told of each step.

    Raises:
        MbsymError: the file, the manifest or the text cannot be read.
        ToolchainError: there is no C compiler.
    """
    file = Path(path)
    told = read_bounds(file)
    manifest = read_manifest(file.parent / f"{told.certificate}.json")
    text, _ = read_text_of(file.parent, manifest)
    module = load_c(file.parent, told.certificate)
    faults = [*_whole(told, file.parent, manifest)]
    counts = {}
    entries = {entry["name"]: entry for entry in manifest["functions"]}
    rng = np.random.default_rng(seed)
    for number, function in enumerate(told.functions):
        if progress is not None:
            progress("check", number, len(told.functions))
        entry = entries.get(function.name)
        if entry is None or entry["c_symbol"] != function.c_symbol:
            faults.append(f"{function.name}: the module has no such function")
            continue
        check = _Check(told, function, tape_of(entry, text, manifest), module)
        own = [*check.structure()] or [*check.numbers(parts, rng)]
        faults += [f"{function.name}: {fault}" for fault in own]
        counts[function.name] = check.counted
    return Checked(told.certificate, counts, tuple(faults))


def _whole(told: BoundsEntries, directory: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Faults of what is said of the module as a whole."""
    if told.model_sha256 != manifest["model_sha256"]:
        yield "the bounds are of another model"
    if told.real != manifest["real"]:
        yield f"the numbers are {manifest['real']}, not {told.real}"
    names = (f"{told.certificate}.c", f"{told.certificate}.h")
    if dict(told.files) != {name: file_hash(directory / name) for name in names}:
        yield "the bounds are of other texts"
    every = [*(function.name for function in told.functions), *told.not_bounded]
    if sorted(every) != sorted(entry["name"] for entry in manifest["functions"]):
        yield "not every function of the module is told of once"
    sound = all(
        not function.dangers and all(output.bound is not None for output in function.outputs)
        for function in told.functions
    )
    if told.passed != (sound and bool(told.functions)):
        yield "the verdict does not follow from the bounds"


@dataclass(slots=True)
class _Check:
    """Of one function."""

    told: BoundsEntries
    function: FunctionEntry
    tape: Tape
    module: LoadedModule
    counted: tuple[int, int] = (0, 0)

    def structure(self) -> Iterator[str]:
        """Faults that show without computing: the tree, lengths, and bounds that are not those of the parts."""
        function, tape = self.function, self.tape
        count = len(function.inputs)
        self.counted = (0, len(function.parts))
        if function.inputs != tape.inputs or not len(function.low) == len(function.high) == count:
            yield "its inputs are not those of the text"
            return
        if any(not low <= high for low, high in zip(function.low, function.high, strict=True)):
            yield "an interval of the box is reversed"
            return
        if any(not len(danger.low) == len(danger.high) == count for danger in function.dangers):
            yield "the box of a danger is none of its inputs"
            return
        if [output.name for output in function.outputs] != [*tape.outputs]:
            yield "its outputs are not those of the text"
            return
        if not _is_tree(function.splits, count) or function.splits.count(-1) != len(function.parts):
            yield "the parts do not make up the box"
            return
        if any(len(part) != len(tape.places) for part in function.parts):
            yield "a part does not have a bound for each result"
            return
        for output, place in zip(function.outputs, tape.outputs.values(), strict=True):
            if output.part != tape.places.index(place):
                yield f"{output.name} is another result of the text"
                return
            worst = [part[output.part] for part in function.parts]
            most = None if None in worst else max(bound for bound in worst if bound is not None)
            if most != output.bound:
                yield f"the bound of {output.name} is not that of its worst part"

    def numbers(self, parts: int, rng: np.random.Generator) -> Iterator[str]:
        """Faults that show by computing: parts, and sampled states."""
        chosen = self._chosen(parts, rng)
        self.counted = (len(chosen), len(self.function.parts))
        seen = []
        for number, path in enumerate(_paths(self.function, self.tape)):
            if number in chosen:
                found = self._part(path[-1])
                seen.append(found)
                yield from self._danger(number, path[-1], found)
                yield from self._faults(number, path, found)
        complete = len(chosen) == len(self.function.parts)
        yield from self._ranges(seen, complete=complete)
        yield from self._divisors(seen, complete=complete)
        for output in self.function.outputs:
            yield from self._sampled(output)

    def _chosen(self, parts: int, rng: np.random.Generator) -> set[int]:
        count = len(self.function.parts)
        if parts == 0 or parts >= count:
            return set(range(count))
        rows = np.array([[math.inf if bound is None else bound for bound in part] for part in self.function.parts])
        worst = dict.fromkeys(int(k) for k in rows.argmax(axis=0))
        every = dict.fromkeys([*worst, *(int(k) for k in rng.permutation(count))])
        return set([*every][: max(parts, len(worst))])

    def _part(self, ends: tuple[tuple[float, ...], tuple[float, ...]]) -> ExactPart:
        found = ExactPart(
            self.tape, PRECISIONS[self.told.real], Fraction(self.told.sine_units), self.told.contraction == "allowed"
        )
        found.look([Fraction(end) for end in ends[0]], [Fraction(end) for end in ends[1]])
        return found

    def _faults(self, number: int, path: Sequence[_Ends], found: ExactPart) -> Iterator[str]:
        """Faults of the bounds of one part: each must follow from it or from a box around it."""
        told = self.function.parts[number]
        open_ = [place for place, bound in enumerate(told) if bound is not None]
        for ends in reversed(path):
            box = found if ends is path[-1] else self._part(ends)
            open_ = [k for k in open_ if not _holds(told[k], box.bound(self.tape.places[k]))]
            if not open_:
                return
        yield f"the bound of result {open_[0]} in part {number} does not follow"

    def _danger(self, number: int, ends: _Ends, found: ExactPart) -> Iterator[str]:
        """A danger that is not named; what follows from a division by zero is not named again."""
        named = [
            (danger.what, danger.line)
            for danger in self.function.dangers
            if all(a <= b for a, b in zip(danger.low, ends[0], strict=True))
            and all(a >= b for a, b in zip(danger.high, ends[1], strict=True))
        ]
        first = [danger for danger in found.dangers if danger[0] != "overflow"] or found.dangers
        for what, line in first:
            if (what, line) not in named:
                yield f"{what} in line {line} cannot be excluded in part {number}, and is not named"
                return

    def _ranges(self, seen: Sequence[ExactPart], *, complete: bool) -> Iterator[str]:
        """Faults of ranges: they hold all parts, and where all were looked at they are not much wider."""
        function = self.function
        for output, place in zip(function.outputs, self.tape.outputs.values(), strict=True):
            forms = [found.values[place] for found in seen]
            low = _least([None if form is None else form.low for form in forms])
            high = _least([None if form is None else -form.high for form in forms])
            first, last = output.range
            yield from _compared(f"the range of {output.name}", first, low, complete=complete)
            yield from _compared(
                f"the range of {output.name}", None if last is None else -last, high, complete=complete
            )
        largest = _least([None if found.largest is None else -found.largest for found in seen])
        told = None if function.largest is None else -function.largest
        yield from _compared("the largest number", told, largest, complete=complete)

    def _divisors(self, seen: Sequence[ExactPart], *, complete: bool) -> Iterator[str]:
        lines = [step.line for step in self.tape.steps if step.kind == "/"]
        if [item.line for item in self.function.divisors] != lines:
            yield "its divisors are not those of the text"
            return
        for number, item in enumerate(self.function.divisors):
            least = _least([found.divisors[number] for found in seen])
            yield from _compared(f"the least divisor of line {item.line}", item.least, least or 0.0, complete=complete)

    def _sampled(self, output: OutputEntry) -> Iterator[str]:
        """Faults of the worst sample: the compiled code's error there, in sixty digits."""
        if output.worst_sample is None:
            return
        state = output.state
        if len(state) != len(self.function.inputs) or not all(
            a <= x <= b for a, x, b in zip(self.function.low, state, self.function.high, strict=True)
        ):
            yield f"the worst sample of {output.name} lies outside of the box"
            return
        number = [*self.tape.outputs].index(output.name)
        states = np.array(state)[:, None]
        got = float(computed(self.module.functions[self.function.name], self.tape.inputs, states)[number, 0])
        error = float(abs(mpmath.mpf(got) - exactly(self.tape, state)[number]))
        if abs(error - output.worst_sample) > SAME * max(error, output.worst_sample):
            yield f"the worst sample of {output.name} is {error:.3e}, not {output.worst_sample:.3e}"
        if output.bound is not None and error > output.bound:
            yield f"the error of {output.name} at its worst sample is {error:.3e}, beyond its bound"


def _holds(told: float | None, found: int | None) -> bool:
    """True where a bound that is told is no less than what follows."""
    return told is not None and found is not None and found <= Fraction(told) * ONE


def _least(values: Sequence[int | None]) -> float | None:
    """The least of values in multiples of 2^-BITS; None where one has no bound."""
    known = [value for value in values if value is not None]
    return min(known) / ONE if len(known) == len(values) else None


def _compared(what: str, told: float | None, found: float | None, *, complete: bool) -> Iterator[str]:
    """Faults of a lower bound: above what follows, or far below what follows from all parts."""
    if told is None:
        if complete and found is not None:
            yield f"{what} is known, and not told"
    elif found is None or told > found + CLOSE * abs(found):
        yield f"{what} does not hold all values"
    elif complete and told < found - LOOSE * abs(found) - CLOSE:
        yield f"{what} does not follow"


def _is_tree(splits: Sequence[int], inputs: int) -> bool:
    """True where splits, first halves first, make up one whole tree."""
    open_ = 1
    for split in splits:
        if open_ == 0 or not -1 <= split < inputs:
            return False
        open_ += 1 if split >= 0 else -1
    return open_ == 0


_Ends: TypeAlias = "tuple[tuple[float, ...], tuple[float, ...]]"


def _paths(function: FunctionEntry, tape: Tape) -> Iterator[list[_Ends]]:
    """Boxes from the whole one to each part, in the order of the parts."""
    waiting: list[list[_Ends]] = [[tape.one_turn(function.low, function.high)]]
    for split in function.splits:
        path = waiting.pop()
        if split < 0:
            yield path
            continue
        low, high = path[-1]
        half = low[split] + (high[split] - low[split]) / 2
        below = (low, (*high[:split], half, *high[split + 1 :]))
        above = ((*low[:split], half, *low[split + 1 :]), high)
        waiting += ([*path, above], [*path, below])


def exactly(tape: Tape, state: Sequence[float]) -> list[Any]:
    """Results at a state in sixty digits."""
    with mpmath.workdps(DIGITS):
        done = {
            "+": lambda a, b: a + b,
            "-": lambda a, b: a - b,
            "*": lambda a, b: a * b,
            "/": lambda a, b: a / b,
            "negative": lambda a: -a,
            "sin": mpmath.sin,
            "cos": mpmath.cos,
            "sqrt": mpmath.sqrt,
            "abs": abs,
        }
        values: list[Any] = []
        inputs = iter(state)
        for step in tape.steps:
            if step.kind == "input":
                values.append(mpmath.mpf(next(inputs)))
            elif step.kind == "constant":
                values.append(mpmath.mpf(step.value.numerator) / step.value.denominator)
            else:
                values.append(done[step.kind](*(values[k] for k in step.operands)))
        return [values[place] for place in tape.outputs.values()]
