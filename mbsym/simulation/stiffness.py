"""What is told of a stiff motion: explicit steps that stability holds short, far below what errors ask for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stiffness:
    """A stretch of motion whose steps are held short.

    Attributes:
        method: that is held.
        t: when it began [s].
        steps: that were at the edge of stability.
        rate: largest size of an eigenvalue of the motion that was felt [1/s].
        remedy: another method.
    """

    method: str
    t: float
    steps: int
    rate: float
    remedy: str = "Radau"

    @property
    def sentence(self) -> str:
        """What is told of it."""
        return (
            f"stiff from t = {self.t:.6g} s: stability, and not the errors that are allowed, holds {self.steps} steps "
            f"of {self.method} short, as some motion dies away at {self.rate:.2g} 1/s; take the method {self.remedy}"
        )

    def as_dict(self) -> dict[str, object]:
        """For machines."""
        return {name: getattr(self, name) for name in self.__slots__}
