"""What was proven of the texts of a module, as certificates tell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mbsym.exact.numbers import DIGITS
from mbsym.exact.proof import Verdict
from mbsym.symbolic.finite_field import PRIME

FIELD: Final = f"GF({PRIME})"


@dataclass(frozen=True, slots=True)
class Exactness:
    """Verdicts of all functions in all texts.

    Attributes:
        verdicts: in order of texts and functions.
    """

    verdicts: tuple[Verdict, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """Functions that differ in some text."""
        return tuple(dict.fromkeys(f"{each.function} (exactly)" for each in self.verdicts if each.outcome == "differs"))

    @property
    def probability(self) -> float:
        """The largest probability with which a function that is proven may differ all the same."""
        return max((each.probability for each in self.verdicts), default=0.0)

    def as_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "field": FIELD,
            "probability_of_error": float(f"{self.probability:.2g}"),
            "functions": [each.as_dict() for each in self.verdicts],
        }

    def lines(self) -> Iterator[str]:
        """For the terminal: how many were proven of each text, then what was not."""
        for text in dict.fromkeys(each.text for each in self.verdicts):
            own = [each for each in self.verdicts if each.text == text]
            proven = [each for each in own if each.outcome == "proven"]
            yield f"{text}: {len(proven)} of {len(own)} functions proven"
            close = [each.function for each in own if each.outcome == "agrees"]
            if close:
                yield f"  agrees in real numbers of {DIGITS} digits, with some that were rounded: {', '.join(close)}"
            for why, names in self._unproven(text).items():
                yield f"  not proven: {', '.join(names)}: {why}"
            for each in own:
                if each.outcome == "differs":
                    yield f"  DIFFERS: {each.function}: {each.why}"
        if self.probability:
            yield f"probability of error below {self.probability:.1e}, in {FIELD}"

    def _unproven(self, text: str) -> Mapping[str, list[str]]:
        """Names of the functions of a text that are not proven, by the reason."""
        found: dict[str, list[str]] = {}
        for each in self.verdicts:
            if each.text == text and each.outcome == "not proven":
                found.setdefault(each.why, []).append(each.function)
        return found
