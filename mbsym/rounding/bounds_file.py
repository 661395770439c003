"""What a file of bounds must hold before anything of it is looked at.

Importing this module imports pydantic; it is imported when such a file is read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mbsym.errors import CodegenError

Bound = Annotated[float, Field(ge=0)] | None
"""None where there is none."""


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class OutputEntry(_Record):
    """One number that a function returns."""

    name: str
    part: Annotated[int, Field(ge=0)]
    bound: Bound
    range: tuple[float | None, float | None]
    worst_sample: Bound
    state: tuple[float, ...]


class DivisorEntry(_Record):
    """A divisor."""

    line: int
    least: float


class DangerEntry(_Record):
    """What cannot be excluded."""

    what: str
    line: int
    text: str
    low: tuple[float, ...]
    high: tuple[float, ...]
    parts: int


class FunctionEntry(_Record):
    """One function."""

    name: str
    c_symbol: str
    inputs: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    outputs: tuple[OutputEntry, ...]
    largest: Bound
    divisors: tuple[DivisorEntry, ...]
    dangers: tuple[DangerEntry, ...]
    splits: tuple[int, ...]
    parts: tuple[tuple[Bound, ...], ...]


class BoundsEntries(_Record):
    """The whole file."""

    mbsym: str
    certificate: str
    kind: Literal["rounding bounds"]
    passed: bool
    model_sha256: str
    files: dict[str, str]
    real: Literal["double", "float"]
    sine_units: Annotated[float, Field(gt=0)]
    contraction: Literal["allowed", "excluded"]
    samples: int
    seed: int
    compiler: str
    functions: tuple[FunctionEntry, ...]
    not_bounded: dict[str, str]


def read_bounds(path: Path) -> BoundsEntries:
    """The content of a file of bounds.

    Raises:
        CodegenError: it cannot be read, or is not as such files are.
    """
    remedy = "certify again"
    try:
        return BoundsEntries.model_validate_json(path.read_text(encoding="utf-8"), strict=True)
    except (OSError, UnicodeDecodeError) as error:
        raise CodegenError(f"the bounds cannot be read: {error}", where=str(path), remedy=remedy) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise CodegenError(f"{place}: {first['msg']}".removeprefix(": "), where=str(path), remedy=remedy) from None
