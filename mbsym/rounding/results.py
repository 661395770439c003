"""Bounds as they are told: to programs, to people, and to whoever checks them again."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mbsym import markup
from mbsym.codegen.manifest import BOUNDS_SUFFIXES
from mbsym.version import __version__

MOST_TOLD: Final = 6
"""Lines that a table has of dangers of one function."""


@dataclass(frozen=True, slots=True)
class OutputBound:
    """What is known of one number that a function returns.

    Attributes:
        name: "tau[0]".
        part: which of the bounds of parts is its own.
        bound: of the absolute error; infinite where there is none.
        low, high: of the exact value.
        sampled: worst error of compiled code at sampled states; None where none was sampled.
        state: at which that was.
    """

    name: str
    part: int
    bound: float
    low: float
    high: float
    sampled: float | None = None
    state: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedDanger:
    """What cannot be excluded, and where.

    Attributes:
        what: division by zero, root of a negative number, or overflow.
        line: of the text.
        text: of that line.
        low, high: the box that holds all parts in which it cannot be excluded.
        parts: how many these are.
    """

    what: str
    line: int
    text: str
    low: tuple[float, ...]
    high: tuple[float, ...]
    parts: int


@dataclass(frozen=True, slots=True)
class FunctionBounds:
    """What is known of a function over the box.

    Attributes:
        name: as the manifest has it.
        symbol: of the text.
        inputs: names of what it is given, run-time parameters among them.
        low, high: the box; parts are those of one turn where an angle has more and only its sines matter.
        outputs: in the order of the text.
        splits: of the box, from the root on, first halves first: the input that is halved, -1 for a part.
        parts: bounds of each part, one for each different output.
        dangers: in the order of the text.
        largest: absolute value of anything that is computed.
        divisors: line, and lower bound of the absolute value of each divisor.
    """

    name: str
    symbol: str
    inputs: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    outputs: tuple[OutputBound, ...]
    splits: tuple[int, ...]
    parts: tuple[tuple[float, ...], ...]
    dangers: tuple[NamedDanger, ...]
    largest: float
    divisors: tuple[tuple[int, float], ...]

    @property
    def is_bounded(self) -> bool:
        """True where every error has a bound and nothing is feared."""
        return not self.dangers and all(math.isfinite(item.bound) for item in self.outputs)

    @property
    def ratios(self) -> list[float]:
        """Bound over worst sample of each output that has both, rising."""
        return sorted(item.bound / item.sampled for item in self.outputs if item.sampled and math.isfinite(item.bound))

    def as_dict(self) -> dict[str, Any]:
        """As JSON data; what is infinite is null."""
        return {
            "name": self.name,
            "c_symbol": self.symbol,
            "inputs": list(self.inputs),
            "low": list(self.low),
            "high": list(self.high),
            "outputs": [
                {
                    "name": item.name,
                    "part": item.part,
                    "bound": _finite(item.bound),
                    "range": [_finite(item.low), _finite(item.high)],
                    "worst_sample": item.sampled,
                    "state": list(item.state),
                }
                for item in self.outputs
            ],
            "largest": _finite(self.largest),
            "divisors": [{"line": line, "least": least} for line, least in self.divisors],
            "dangers": [
                {
                    "what": item.what,
                    "line": item.line,
                    "text": item.text,
                    "low": list(item.low),
                    "high": list(item.high),
                    "parts": item.parts,
                }
                for item in self.dangers
            ],
            "splits": list(self.splits),
            "parts": [[_finite(bound) for bound in part] for part in self.parts],
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@dataclass(frozen=True, slots=True, repr=False)
class Bounds:
    """Guaranteed bounds of a generated C text.

    Attributes:
        name: of the module.
        model_sha256: of the model that was generated from.
        files: SHA-256 of the texts.
        real: type of the numbers, double or float.
        sine_units: error that sines and cosines are taken to have at most, in units in the last place.
        contraction: whether a compiler may fuse products with sums.
        samples: states at which compiled code was run.
        seed: of these.
        compiler: its version and flags.
        functions: that are bounded.
        refused: why others are not, by name.
    """

    name: str
    model_sha256: str
    files: Mapping[str, str]
    real: str
    sine_units: float
    contraction: str
    samples: int
    seed: int
    compiler: str
    functions: tuple[FunctionBounds, ...]
    refused: Mapping[str, str]

    def __repr__(self) -> str:
        told = f"{len(self.functions)} functions bounded, {len(self.refused)} not"
        return f"<Bounds of {self.name!r}: {told}{'' if self.passed else ', DANGERS'}>"

    def _repr_html_(self) -> str:
        """For notebooks: the table."""
        return markup.paragraph(repr(self)[1:-1]) + markup.table(HEADS, self._rows())

    @property
    def passed(self) -> bool:
        """True where every function that could be read has bounds, and nothing is feared inside the box."""
        return bool(self.functions) and all(function.is_bounded for function in self.functions)

    def __getitem__(self, name: str) -> FunctionBounds:
        return next(function for function in self.functions if function.name == name)

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "mbsym": __version__,
            "certificate": self.name,
            "kind": "rounding bounds",
            "passed": self.passed,
            "model_sha256": self.model_sha256,
            "files": dict(self.files),
            "real": self.real,
            "sine_units": self.sine_units,
            "contraction": self.contraction,
            "samples": self.samples,
            "seed": self.seed,
            "compiler": self.compiler,
            "functions": [function.as_dict() for function in self.functions],
            "not_bounded": dict(self.refused),
        }

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for function in self.functions:
            worst = max(function.outputs, key=lambda item: item.bound)
            sampled = max((item.sampled or 0.0 for item in function.outputs), default=0.0)
            ratios = function.ratios
            yield (
                function.name,
                _shown(worst.bound),
                worst.name,
                _shown(sampled),
                f"{ratios[len(ratios) // 2]:.1f}" if ratios else "",
                f"{ratios[-1]:.1f}" if ratios else "",
                _shown(function.largest),
                str(len(function.parts)),
            )

    def lines(self) -> Iterator[str]:
        """What is feared, and what is not bounded."""
        for function in self.functions:
            for danger in function.dangers[:MOST_TOLD]:
                yield f"{function.name}: {danger.what} cannot be excluded, line {danger.line}: {danger.text}"
                yield f"    in {danger.parts} of {len(function.parts)} parts, within {_where(function, danger)}"
            if len(function.dangers) > MOST_TOLD:
                yield f"{function.name}: {len(function.dangers) - MOST_TOLD} more, which follow or are alike"
        for why in dict.fromkeys(self.refused.values()):
            names = ", ".join(name for name, own in self.refused.items() if own == why)
            yield f"not bounded: {names}: {why}"

    def summary(self) -> str:
        """A table with a row for each function, and what is feared."""
        table = markup.aligned([HEADS, *self._rows()], right={1, 3, 4, 5, 6, 7}) if self.functions else []
        return "\n".join([*table, *self.lines(), "", self.verdict])

    @property
    def verdict(self) -> str:
        """One sentence."""
        fused = "may be fused" if self.contraction == "allowed" else "are not fused"
        terms = f"{self.real}, sines within {self.sine_units:g} units, products {fused} with sums"
        if not self.functions:
            return f"{self.name}: nothing is bounded ({terms})"
        if self.passed:
            return f"{self.name}: no overflow, no division by zero, no NaN inside the box; errors bounded ({terms})"
        return f"{self.name}: NOT BOUNDED in the whole box ({terms})"

    def markdown(self) -> str:
        """As a page."""
        lines = [
            f"# Rounding bounds of {self.name}",
            "",
            f"Generated by mbsym {__version__}.",
            "",
            f"* {self.verdict}",
            f"* Model: SHA-256 {self.model_sha256}",
            *(f"* {name}: SHA-256 {digest}" for name, digest in self.files.items()),
            f"* Sampled: {self.samples} states, seed {self.seed}, {self.compiler}",
            f"* {self.name}{BOUNDS_SUFFIXES[0]} has the parts of the box, by which mbsym certify checks all this again",
            *(f"* {line.strip()}" for line in self.lines()),
        ]
        for function in self.functions:
            lines += ["", f"## {function.name}", "", "| input | least | greatest |", "|---|---|---|"]
            ends = zip(function.inputs, function.low, function.high, strict=True)
            lines += [f"| {name} | {low:.6g} | {high:.6g} |" for name, low, high in ends]
            lines += ["", "| output | error at most | worst sample | range |", "|---|---|---|---|"]
            lines += [
                f"| {item.name} | {_shown(item.bound)} | {'' if item.sampled is None else _shown(item.sampled)} |"
                f" {item.low:.6g} to {item.high:.6g} |"
                for item in function.outputs
            ]
            lines += ["", f"Nothing computed exceeds {_shown(function.largest)} in size."]
            lines += [
                f"The divisor of line {line} is at least {least:.3g} in size." for line, least in function.divisors
            ]
        return "\n".join(lines) + "\n"


HEADS: Final = ("function", "error at most", "of", "worst sample", "median ratio", "largest", "any value", "parts")


def _shown(value: float) -> str:
    return f"{value:.2e}" if math.isfinite(value) else "none"


def _where(function: FunctionBounds, danger: NamedDanger) -> str:
    """The box of a danger, in those inputs in which it is narrower than the whole."""
    ends = zip(function.inputs, function.low, function.high, danger.low, danger.high, strict=True)
    told = [
        f"{name} in [{low:.3g}, {high:.3g}]" for name, least, most, low, high in ends if (low, high) != (least, most)
    ]
    return ", ".join(told) or "the whole box"
