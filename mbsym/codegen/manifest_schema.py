"""What a manifest must hold before anything of it is believed.

Importing this module imports pydantic; it is imported when a manifest is read.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.]*$")]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Extent = Annotated[int, Field(ge=0, lt=2**31)]


class _Record(BaseModel):
    # Descriptions bring fields of their own, which whoever reads them looks at.
    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False, protected_namespaces=())


class ArgumentEntry(_Record):
    """One argument of a function."""

    name: str
    direction: Literal["in", "out"]
    shape: list[Extent]
    unit: str
    quaternions: list[Extent] = []


class FunctionEntry(_Record):
    """One function."""

    name: str
    c_symbol: Identifier
    description: str
    arguments: list[ArgumentEntry]
    operations: dict[str, Extent] | None


class DerivativeEntry(_Record):
    """One derivative of a function by arguments or run-time parameters."""

    name: str
    function: str
    with_respect_to: Annotated[list[str], Field(min_length=1)]


class SparsityEntry(_Record):
    """What of a matrix is not zero by structure: its shape, and the rows of each column."""

    shape: Annotated[list[Extent], Field(min_length=2)]
    rows: list[list[Extent]]


class ManifestEntries(_Record):
    """All fields that every manifest has, and those of a mechanism where they are there."""

    mbsym: str
    name: Identifier
    real: Literal["double", "float"]
    model_sha256: str
    functions: Annotated[list[FunctionEntry], Field(min_length=1)]
    run_time_parameters: dict[str, float]
    names: dict[str, dict[str, Identifier]]
    files: Annotated[dict[FileName, Digest], Field(min_length=1)]
    sha256: Digest
    formulation: str = ""
    order: Literal["weight", "input", "type-only", "ground-first", "depth-first", "breadth-first"] = "weight"
    model: str = ""
    nq: Extent = 0
    nv: Extent = 0
    derivatives: list[DerivativeEntry] = []
    sparsity: dict[str, dict[str, SparsityEntry]] = {}
    compressed: bool = False


def fault_of(content: object) -> str:
    """The first thing that is wrong, after its JSON path; empty where all is as it must be."""
    try:
        entries = ManifestEntries.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{json_path(first['loc'])}: {_sentence(first['type'], first['msg'])}".removeprefix(": ")
    return _contradiction(entries)


def json_path(place: tuple[int | str, ...]) -> str:
    """As in functions[3].arguments[0].shape."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in place]
    return "".join(parts).removeprefix(".")


def _sentence(kind: str, message: str) -> str:
    if kind == "missing":
        return "it is missing"
    text: Any = message.replace("Input should", "it should")
    return f"{text[0].lower()}{text[1:]}"


def _contradiction(entries: ManifestEntries) -> str:
    seen: set[str] = set()
    for number, function in enumerate(entries.functions):
        if function.name in seen:
            return f"functions[{number}].name: {function.name!r} is there twice"
        seen.add(function.name)
        names = [item.name for item in function.arguments]
        for k, item in enumerate(function.arguments):
            if item.name in names[:k]:
                return f"functions[{number}].arguments[{k}].name: {item.name!r} is there twice"
    return ""
