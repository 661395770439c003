"""Proof before writing: every derived function, as it is going to be printed, is what another derivation says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import mul
from typing import Final

from mbsym.codegen.lowered_module import LoweredModule
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.derivatives.sparsity import Sparsity
from mbsym.errors import DerivationError, MbsymError, ProofError, SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.simplified import plain
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.proof.field import Field, at_random_point
from mbsym.proof.printed import Reading, Results, producers, readings
from mbsym.proof.verdicts import POINTS, Agreement, agreement, points, reasons
from mbsym.proof.witness import PLAIN, Pair, Witness, by_entry, uncompressed, witness
from mbsym.symbolic.finite_field import PRIME

FIELD: Final = "proof"
"""Of the manifest: what was proven before the files were written."""

ITERATES: Final = "fixed text, which iterates"
ROUNDED: Final = "numbers in it were rounded; it agrees in floating point"
SWAYED: Final = "numbers in it were rounded, and rounding moves its results as far as they are apart in floating point"
OUTSIDE: Final = "the field cannot compare it, and no random state has a result in floating point"
"""What differs in the field without such a reason is wrong, be its results finite or not."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was shown of a module before it was written.

    Attributes:
        beside: by function, the formulation that it equals, or "plain" for its own one without simplifications.
        not_proven: by function, why the field does not decide.
        points: of the field at which all was evaluated.
    """

    beside: Mapping[str, str] = field(default_factory=dict)
    not_proven: Mapping[str, str] = field(default_factory=dict)
    points: int = POINTS

    def as_manifest(self) -> dict[str, object]:
        """Where equality was decided, beside what, and what is left."""
        return {
            "field": f"GF({PRIME})",
            "points": self.points,
            "equal_to": dict(self.beside),
            "not_proven": dict(self.not_proven),
        }


def prove(
    module: LoweredModule,
    mechanism: Mechanism,
    formulation: str,
    *,
    languages: Sequence[str],
    loops: LoopAnalysis | None = None,
    requests: tuple[DerivativeRequest, ...] = (),
    sparsity: Mapping[str, Mapping[str, Sparsity]] | None = None,
) -> Proof:
    """Holds each derived function of a module against another derivation.

    Args:
        module: what is going to be printed.
        mechanism: what it was derived from.
        formulation: by which.
        languages: that are printed.
        loops: what is known of closed loops.
        requests: derivatives that were asked for.
        sparsity: of functions that return what is not zero by structure alone, by function and result.

    Raises:
        ProofError: a function differs from what it must be.
    """

    def proven(given: Mechanism) -> Proof:
        asked = witness(given, formulation, loops, requests)
        proving = _Proving(module, asked, sparsity or {})
        for reading in readings(module, given.graph, languages):
            if reading.function in producers(module):
                proving.ask_producer(reading)
            else:
                proving.ask(reading)
        return proving.result()

    if any(function.steps for function in module.functions):
        # What differs there, or cannot be followed there, is for the graph to decide.
        with suppress(_DoubtError, MbsymError, ZeroDivisionError):
            return proven(at_random_point(plain(mechanism), trial=0))
    return proven(plain(mechanism.untouched()))


class _DoubtError(Exception):
    """At the point of a field at which all was followed, something is not what it must be."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a function returns in one of the ways in which it is written, beside what it must return.

    Attributes:
        function, way, found: what was read.
        pairs: beside what it must be.
        beside: where that comes from, in words.
    """

    function: str
    way: str
    found: Results
    pairs: Sequence[Pair]
    beside: str


@dataclass(slots=True)
class _Proving:
    """Collects what is to be equal, and decides at the end, so that all functions are evaluated at once.

    Attributes:
        vanishes: a divisor is zero everywhere, so that floating point decides alone.
    """

    module: LoweredModule
    witness: Witness
    sparsity: Mapping[str, Mapping[str, Sparsity]]
    claims: list[_Claim] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)
    not_proven: dict[str, str] = field(default_factory=dict)
    first: dict[str, Reading] = field(default_factory=dict)
    vanishes: bool = False

    def ask_producer(self, reading: Reading) -> None:
        """What others take is held by them in the first way in which it is written, in other ways against that one."""
        first = self.first.setdefault(reading.function, reading)
        if first is not reading:
            both = ((name, found, first.results[name]) for name, found in reading.results.items())
            pairs = [pair for each in both for pair in by_entry(*each)]
            self.claims.append(_Claim(reading.function, reading.way, reading.results, pairs, f"it is, {first.way}"))

    def ask(self, reading: Reading) -> None:
        """What a function must be."""
        name = reading.function
        found = uncompressed(reading.results, self.sparsity.get(name, {}))
        try:
            pairs = self._product(name, found) or self.witness.pairs(name, found)
        except DerivationError as error:
            if self._is_at_a_point:
                raise
            self.not_proven[name] = error.what
            return
        beside = self.beside[name] = self.witness.beside(name)
        other = "its derivation without simplifications" if beside == PLAIN else f"the formulation {beside}"
        self.claims.append(_Claim(name, reading.way, found, pairs, f"{other} gives"))

    @property
    def _is_at_a_point(self) -> bool:
        return isinstance(self.witness.graph, Field)

    def _product(self, function: str, found: Results) -> list[Pair]:
        """At a point of a field, whose entries are random, a matrix is asked for what it is times a column."""
        asked = self.witness.product(function) if self._is_at_a_point else None
        if asked is None:
            return []
        column, rows = asked
        ((result, entries),) = found.items()
        width = max(len(column), 1)
        products = (sum(map(mul, entries[start : start + width], column)) for start in range(0, len(entries), width))
        return [(result, place * width, *pair) for place, pair in enumerate(zip(products, rows, strict=True))]

    def result(self) -> Proof:
        """What was found.

        Raises:
            ProofError: something differs.
        """
        wrong = self._differing([pair for claim in self.claims for pair in claim.pairs])
        if wrong and self._is_at_a_point:
            raise _DoubtError
        start = 0
        for claim in self.claims:
            doubtful = [pair for place, pair in enumerate(claim.pairs, start) if place in wrong]
            start += len(claim.pairs)
            if doubtful:
                self._decide(claim, doubtful)
        for function in self.module.functions:
            if function.fixed is not None:
                self.not_proven[function.name] = ITERATES
        proven = {name: what for name, what in self.beside.items() if name not in self.not_proven}
        return Proof(proven, self.not_proven, 1 if self._is_at_a_point else POINTS)

    def _differing(self, pairs: Sequence[Pair]) -> set[int]:
        """Places of the pairs that differ at some point of the field."""
        witness = self.witness
        open_pairs = [(place, a, b) for place, (_, _, a, b) in enumerate(pairs) if a != b]
        if self._is_at_a_point:
            return {place for place, a, b in open_pairs if (a - b) % PRIME}
        refs = [ref for _, a, b in open_pairs for ref in (a, b)]
        if not refs:
            return set()
        try:
            found = [
                {place for place, a, b in open_pairs if values[a] != values[b]}
                for values in points(witness.graph, witness.inputs(), witness.mechanism.parameters, refs)
            ]
        except SymbolicError:
            self.vanishes = True
            return {place for place, _, _ in open_pairs}
        return set().union(*found)

    def _decide(self, claim: _Claim, doubtful: Sequence[Pair]) -> None:
        """What a difference in the field means.

        Raises:
            ProofError: that the function is wrong.
        """
        witness, name = self.witness, claim.function
        if not all(map(self._differing, witness.by_other_factors(name, claim.found) or [list(claim.pairs)])):
            return
        sides = [(a, b) for _, _, a, b in doubtful]
        known = reasons(witness.graph, sides)
        found = agreement(witness.graph, witness.inputs(), witness.mechanism.parameters, sides)
        if found is Agreement.NOWHERE and (known or self.vanishes):
            self.not_proven[name] = OUTSIDE
            return
        if found is Agreement.EQUAL:
            self.not_proven[name] = f"{', '.join(known)}: the field cannot compare these" if known else ROUNDED
            return
        if found is Agreement.SWAYED:
            self.not_proven[name] = SWAYED
            return
        result, place, _, _ = doubtful[0]
        raise ProofError(
            f"{name}, {claim.way}, is not what {claim.beside}: it differs in entry {place} of {result}"
            f"{f' and {len(doubtful) - 1} others' if len(doubtful) > 1 else ''}",
            where=witness.mechanism.model.name,
            remedy="nothing was written; this is a defect of mbsym, please report it with the model",
            function=name,
        )
