"""Proof before writing: every derived function, as it is going to be printed, is what another derivation says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mbsym.codegen.lowered_module import LoweredModule
from mbsym.derivatives.of_functions import DerivativeRequest
from mbsym.derivatives.sparsity import Sparsity
from mbsym.errors import DerivationError, ProofError, SymbolicError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.redundancy import LoopAnalysis
from mbsym.passes.given_sines import SINES_COSINES
from mbsym.proof.printed import Reading, readings
from mbsym.proof.verdicts import POINTS, agree, differing, reasons
from mbsym.proof.witness import Pair, Witness, uncompressed, witness
from mbsym.symbolic.finite_field import PRIME

FIELD: Final = "proof"
"""Of the manifest: what was proven before the files were written."""

ITERATES: Final = "fixed text, which iterates"
ROUNDED: Final = "numbers in it were rounded; it agrees in floating point"


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
    asked = witness(mechanism, formulation, loops, requests)
    proving = _Proving(module, asked, sparsity or {})
    for reading in readings(module, asked.graph, languages):
        if reading.function not in (module.description.prepares, SINES_COSINES):
            proving.ask(reading)
    return proving.result()


@dataclass(slots=True)
class _Proving:
    """Collects what is to be equal, and decides at the end, so that all functions are evaluated at once."""

    module: LoweredModule
    witness: Witness
    sparsity: Mapping[str, Mapping[str, Sparsity]]
    claims: dict[tuple[str, str], list[Pair]] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    not_proven: dict[str, str] = field(default_factory=dict)

    def ask(self, reading: Reading) -> None:
        """What a function must be."""
        name = reading.function
        found = uncompressed(reading.results, self.sparsity.get(name, {}))
        try:
            self.claims[name, reading.way] = self.witness.pairs(name, found)
            self.beside[name] = self.witness.beside(name)
        except DerivationError as error:
            self.not_proven[name] = error.what

    def result(self) -> Proof:
        """What was found.

        Raises:
            ProofError: something differs.
        """
        every = [pair for pairs in self.claims.values() for pair in pairs]
        try:
            wrong = set(self._differing(every))
        except SymbolicError:
            wrong = set(range(len(every)))  # a divisor vanishes everywhere: floating point decides
        start = 0
        for (name, way), pairs in self.claims.items():
            doubtful = [pair for place, pair in enumerate(pairs, start) if place in wrong]
            start += len(pairs)
            if doubtful:
                self._decide(name, way, doubtful)
        for function in self.module.functions:
            if function.fixed is not None:
                self.not_proven[function.name] = ITERATES
        proven = {name: what for name, what in self.beside.items() if name not in self.not_proven}
        return Proof(proven, self.not_proven)

    def _differing(self, pairs: Sequence[Pair]) -> list[int]:
        witness = self.witness
        sides = [(a, b) for _, _, a, b in pairs]
        return differing(witness.graph, witness.inputs(), witness.mechanism.parameters, sides)

    def _decide(self, name: str, way: str, doubtful: Sequence[Pair]) -> None:
        witness = self.witness
        sides = [(a, b) for _, _, a, b in doubtful]
        agreed = agree(witness.graph, witness.inputs(), witness.mechanism.parameters, sides)
        if agreed:
            known = reasons(witness.graph, sides)
            self.not_proven[name] = f"{', '.join(known)} of what the field cannot compare" if known else ROUNDED
            return
        result, place, _, _ = doubtful[0]
        raise ProofError(
            f"{name}, {way}, is not what {_opposite(self.witness.beside(name))} gives: it differs in entry {place} of "
            f"{result}{f' and {len(doubtful) - 1} others' if len(doubtful) > 1 else ''}",
            where=witness.mechanism.model.name,
            remedy="nothing was written; this is a defect of mbsym, please report it with the model",
            function=name,
        )


def _opposite(beside: str) -> str:
    return "its derivation without simplifications" if beside == "plain" else f"the formulation {beside}"
