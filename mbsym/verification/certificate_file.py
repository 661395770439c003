"""What a certificate must hold before anything of it is looked at: the schema of NAME.certificate.json.

Importing this module imports pydantic; it is imported when a certificate is read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mbsym.codegen.manifest_schema import Digest, Extent, Identifier, json_path
from mbsym.errors import CodegenError
from mbsym.verification.options import MOST_STATES

Error = Annotated[float, Field(ge=0)] | None
"""None where it is no number."""


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class CheckEntry(_Record):
    """One comparison of one function in one language."""

    function: str
    language: str
    against: str
    error: Error
    tolerance: Error
    worst_state: Extent
    passed: bool


class ReachedEntry(_Record):
    """Branches and statuses of one function."""

    function: str
    branches: Extent
    branches_taken: Extent
    statuses: list[str]
    statuses_met: list[str]
    not_reached: list[str]


class CoverageEntry(_Record):
    """Branches and statuses of all functions."""

    branches: Extent
    branches_taken: Extent
    statuses: Extent
    statuses_met: Extent
    functions: list[ReachedEntry]


class VerdictEntry(_Record):
    """What was shown of one function in one text."""

    function: str
    text: str
    outcome: Literal["proven", "agrees", "not proven", "differs"]
    why: str = ""
    points: Extent = 0
    probability_of_error: Annotated[float, Field(ge=0)] = 0.0


class ExactEntry(_Record):
    """What was proven of the texts."""

    field: str
    probability_of_error: Annotated[float, Field(ge=0)]
    functions: list[VerdictEntry]


class CompiledEntry(_Record):
    """A further compiler: as it was asked for, its version and flags."""

    asked: str
    compiler: str
    flags: list[str]


class BoundedEntry(_Record):
    """Rounding of one function, with the box: name, least and greatest value of each input."""

    name: str
    bound: Error
    output: str
    worst_sample: Error
    largest: Error
    parts: Extent
    dangers: list[str]
    box: list[tuple[str, float, float]]


class BoundsEntry(_Record):
    """What a file of bounds says."""

    file: str
    sha256: Digest
    passed: bool
    real: Literal["double", "float"]
    sine_units: float
    contraction: Literal["allowed", "excluded"]
    samples: Extent
    functions: list[BoundedEntry]
    not_bounded: dict[str, str]


class StackEntry(_Record):
    """Stack of each function, by whom it is known; reason where it is not."""

    compiler: str
    command: str
    reason: str
    bytes: dict[str, int | None]


class SafetyEntry(_Record):
    """What a safety report says: guidelines by status, and what is allocated, kept and called again."""

    file: str
    sha256: Digest
    standard: str
    checker: str
    reason: str
    rules: dict[str, list[str]]
    allocating_calls: list[str]
    variables_that_change: list[str]
    recursion: list[str]
    stack: StackEntry


class UncheckedEntry(_Record):
    """What is not shown, why, and the command that tells the same."""

    what: str
    why: str
    command: str


class CertificateEntries(_Record):
    """The whole file."""

    mbsym: str
    certificate: Identifier
    schema_: Annotated[Literal[1], Field(alias="schema")]
    passed: bool
    model_sha256: Digest
    formulation: str
    states: Annotated[int, Field(ge=1, le=MOST_STATES)]
    seed: Extent
    tools: dict[str, str]
    compiler: str
    flags: list[str]
    also_compiled: list[CompiledEntry]
    watched_with: list[str]
    condition_of_mass_matrix: Error
    closure_rows_apart_by: Error
    files: dict[str, Digest]
    changed_files: list[str]
    not_run: list[str]
    checks: Annotated[list[CheckEntry], Field(min_length=1)]
    coverage: CoverageEntry
    exact: ExactEntry | None
    bounds: BoundsEntry | None
    safety: SafetyEntry | None
    remarks: list[str]
    unchecked: list[UncheckedEntry]


def read_certificate(file: Path) -> tuple[str, dict[str, Any]]:
    """The text of a certificate, and its data.

    Raises:
        CodegenError: it cannot be read, or is not as certificates are; the message has the JSON path.
    """
    remedy = "verify again"
    try:
        text = file.read_text(encoding="utf-8")
        CertificateEntries.model_validate_json(text)
    except (OSError, UnicodeDecodeError) as error:
        raise CodegenError(
            f"the certificate cannot be read: {getattr(error, 'strerror', None) or error}",
            where=str(file),
            remedy=remedy,
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        said = "it is missing" if first["type"] == "missing" else first["msg"]
        raise CodegenError(
            f"{json_path(first['loc'])}: {said}".removeprefix(": "), where=str(file), remedy=remedy
        ) from None
    data: dict[str, Any] = json.loads(text)
    return text, data
