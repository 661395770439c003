"""Proof before writing: every derived function, as it is going to be printed, is what another derivation says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from mbsym.codegen.lowered_module import LoweredModule
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.derivatives.sparsity import Sparsity
from mbsym.errors import DerivationError, ProofError, SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.proof.printed import Reading, Results, producers, readings
from mbsym.proof.steps import Steps, times_column
from mbsym.proof.verdicts import POINTS, agree, points, reasons
from mbsym.proof.witness import PLAIN, Pair, Witness, by_entry, uncompressed, witness
from mbsym.symbolic.finite_field import PRIME
from mbsym.symbolic.graph import Reference

FIELD: Final = "proof"
"""Of the manifest: what was proven before the files were written."""

ITERATES: Final = "fixed text, which iterates"
ROUNDED: Final = "numbers in it were rounded; it agrees in floating point"
OUTSIDE: Final = "the field cannot compare it, and no random state has a result in floating point"


@dataclass(frozen=True, slots=True)
class Proof:
    """What was shown of a module before it was written.

    Attributes:
        beside: by function, the formulation that it equals, or "plain" for its own one without simplifications.
        not_proven: by function, why the field does not decide.
    """

    beside: Mapping[str, str] = field(default_factory=dict)
    not_proven: Mapping[str, str] = field(default_factory=dict)

    def as_manifest(self) -> dict[str, object]:
        """Where equality was decided, beside what, and what is left."""
        return {
            "field": f"GF({PRIME})",
            "points": POINTS,
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

    def proven(*, follow_steps: bool) -> Proof:
        asked = witness(mechanism, formulation, loops, requests)
        proving = _Proving(module, asked, sparsity or {})
        for reading in readings(module, asked.graph, languages, follow_steps=follow_steps):
            if reading.function in producers(module):
                proving.ask_producer(reading)
            else:
                proving.ask(reading)
        return proving.result()

    try:
        return proven(follow_steps=False)
    except _DoubtError:
        return proven(follow_steps=True)


class _DoubtError(Exception):
    """Steps followed over residues are not what they must be, or cannot be followed so: the graph decides."""


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


@dataclass(frozen=True, slots=True)
class _Followed:
    """Symbols that stand for what a function of steps returns, whose residues are found without a graph.

    Attributes:
        steps: of the function.
        symbols: by result.
        column: what the only result is multiplied with, if the symbols stand for that product.
    """

    steps: Steps
    symbols: Results
    column: Sequence[Reference] = ()


@dataclass(slots=True)
class _Proving:
    """Collects what is to be equal, and decides at the end, so that all functions are evaluated at once."""

    module: LoweredModule
    witness: Witness
    sparsity: Mapping[str, Mapping[str, Sparsity]]
    claims: list[_Claim] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)
    not_proven: dict[str, str] = field(default_factory=dict)
    followed: list[_Followed] = field(default_factory=list)
    first: dict[str, Reading] = field(default_factory=dict)

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
        if reading.steps is not None and not reading.results:
            product = self.witness.product(name) if reading.steps.is_dense else None
            if product is not None:
                self._ask_product(reading, reading.steps, *product)
                return
            symbols = {result: self._symbols(f"{name} {result}", size) for result, size in reading.steps.sizes.items()}
            self.followed.append(_Followed(reading.steps, symbols))
            reading = replace(reading, results=symbols)
        found = uncompressed(reading.results, self.sparsity.get(name, {}))
        try:
            self._claim(reading, found, self.witness.pairs(name, found))
        except DerivationError as error:
            self.not_proven[name] = error.what

    def _ask_product(
        self, reading: Reading, steps: Steps, column: Sequence[Reference], rows: Sequence[Reference]
    ) -> None:
        """What a dense matrix times an unknown column must be; asked where its entries are too many."""
        (result,) = steps.sizes
        symbols = self._symbols(f"{reading.function} {result}", len(rows))
        self.followed.append(_Followed(steps, {result: symbols}, column))
        pairs = [(result, place * len(column), *pair) for place, pair in enumerate(zip(symbols, rows, strict=True))]
        self._claim(reading, {}, pairs)

    def _claim(self, reading: Reading, found: Results, pairs: Sequence[Pair]) -> None:
        beside = self.beside[reading.function] = self.witness.beside(reading.function)
        other = "its derivation without simplifications" if beside == PLAIN else f"the formulation {beside}"
        self.claims.append(_Claim(reading.function, reading.way, found, pairs, f"{other} gives"))

    def _symbols(self, name: str, size: int) -> list[Reference]:
        # No name of a model has blanks.
        return [self.witness.graph.symbol(f"{name} {place}") for place in range(size)]

    def _residues(
        self, trial: int, value: Callable[[Reference], int], circle: Mapping[int, tuple[int, int]]
    ) -> dict[Reference, int]:
        """The residues of what functions of steps return, at a point; the factors of products are random as well, so
        that one point decides on these."""
        found: dict[Reference, int] = {}
        for each in self.followed:
            if each.column and trial:
                continue
            results = each.steps.residues(value, circle)
            for name, symbols in each.symbols.items():
                column = [value(ref) for ref in each.column]
                entries = times_column(results[name], column) if column else results[name]
                found.update(zip(symbols, entries, strict=True))
        return found

    def result(self) -> Proof:
        """What was found.

        Raises:
            ProofError: something differs.
        """
        wrong = self._differing([pair for claim in self.claims for pair in claim.pairs])
        if wrong and self.followed:
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
        return Proof(proven, self.not_proven)

    def _differing(self, pairs: Sequence[Pair]) -> set[int]:
        """Places of the pairs that differ at some point of the field."""
        witness = self.witness
        open_pairs = [(place, a, b) for place, (_, _, a, b) in enumerate(pairs) if a != b]
        refs = [ref for _, a, b in open_pairs for ref in (a, b)]
        if not refs:
            return set()
        once = {ref for each in self.followed if each.column for refs in each.symbols.values() for ref in refs}
        mechanism = witness.mechanism
        given, coordinates = (self._residues, mechanism.q.symbols) if self.followed else (None, ())
        found: set[int] = set()
        try:
            at = points(witness.graph, witness.inputs(), mechanism.parameters, refs, given, coordinates)
            for trial, values in enumerate(at):
                asked = (pair for pair in open_pairs if not trial or pair[1] not in once)
                found.update(place for place, a, b in asked if values[a] != values[b])
        except SymbolicError:
            return {place for place, _, _ in open_pairs}  # a divisor vanishes everywhere: floating point decides
        return found

    def _decide(self, claim: _Claim, doubtful: Sequence[Pair]) -> None:
        """What a difference in the field means.

        Raises:
            ProofError: that the function is wrong.
        """
        witness, name = self.witness, claim.function
        if not all(map(self._differing, witness.by_other_factors(name, claim.found) or [list(claim.pairs)])):
            return
        sides = [(a, b) for _, _, a, b in doubtful]
        agreed = agree(witness.graph, witness.inputs(), witness.mechanism.parameters, sides)
        if agreed is None:
            self.not_proven[name] = OUTSIDE
            return
        if agreed:
            known = reasons(witness.graph, sides)
            self.not_proven[name] = f"{', '.join(known)}: the field cannot compare these" if known else ROUNDED
            return
        result, place, _, _ = doubtful[0]
        raise ProofError(
            f"{name}, {claim.way}, is not what {claim.beside}: it differs in entry {place} of {result}"
            f"{f' and {len(doubtful) - 1} others' if len(doubtful) > 1 else ''}",
            where=witness.mechanism.model.name,
            remedy="nothing was written; this is a defect of mbsym, please report it with the model",
            function=name,
        )
