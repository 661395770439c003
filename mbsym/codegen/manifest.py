"""The manifest NAME.json: what a program needs to know to call the generated functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from mbsym.codegen.description import Argument, GeneratedFile
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.statuses import Status
from mbsym.conventions import CONSTANTS, QUATERNION_ORDER, SPATIAL_ORDER
from mbsym.errors import CodegenError
from mbsym.version import __version__

LEADING_FIELDS: Final = (
    "mbsym", "name", "model_sha256", "formulation", "real", "nq", "nv", "quaternion", "spatial_order",
    "bodies", "joints", "parameters", "inputs",
)  # fmt: skip
OWN_FIELDS: Final = ("functions", "statuses", "constants", "run_time_parameters", "names", "files", "sha256")
CERTIFICATE_SUFFIXES: Final = (".certificate.json", ".certificate.md", ".certificate.json.sig")
BOUNDS_SUFFIXES: Final = (".bounds.json", ".bounds.md")
"""Of the files beside a module that say what was checked about it."""

SELF_TEST_SUFFIX: Final = "_selftest"
"""Behind the name of a module, of the program that tests it on its target."""

SAFETY_SUFFIXES: Final = (".safety.json", ".safety.md")
"""Of the files beside a module that say what compilers and checkers tell of it."""


def manifest_file(module: LoweredModule, files: Sequence[GeneratedFile]) -> GeneratedFile:
    """The manifest of a module whose files are given."""
    return GeneratedFile(f"{module.names.module}.json", f"{json_text(manifest(module, files))}\n")


def json_text(value: object, indent: str = "", width: int = 120) -> str:
    """JSON in which every part that fits stands on one line.

    Args:
        value: plain data.
        indent: of what stands around it.
        width: of a line.

    Raises:
        CodegenError: a value has no form in JSON, or a number is infinite or not a number.
    """
    try:
        line = json.dumps(value, ensure_ascii=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CodegenError(f"the manifest cannot be written: {error}", remedy="give it plain finite values") from None
    if len(indent) + len(line) <= width and (indent or not isinstance(value, dict)):
        return line
    deeper = f"{indent}  "
    if isinstance(value, dict):
        items = [f"{deeper}{json.dumps(key)}: {json_text(item, deeper, width)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + f"\n{indent}}}"
    if isinstance(value, (list, tuple)):
        items = [f"{deeper}{json_text(item, deeper, width)}" for item in value]
        return "[\n" + ",\n".join(items) + f"\n{indent}]"
    return line


def manifest(module: LoweredModule, files: Sequence[GeneratedFile]) -> dict[str, object]:
    """The manifest's fields in their fixed order, the description's own fields merged in.

    Besides what the description gives it holds, for each function, arguments, operations and the statuses that it may
    return, whose numbers stand in the module's own list; what its integers count; the run-time parameters in the order
    of the C structure, with their defaults; the identifiers of all names that could not stay as they were; the SHA-256
    of each file; and that of all this.

    Raises:
        CodegenError: the description brings a field that is made here.
    """
    description, names = module.description, module.names
    extra = dict(description.manifest)
    for key in ("mbsym", "name", *OWN_FIELDS):
        if key in extra:
            raise CodegenError(f"the manifest field {key!r} is not free", remedy="rename it")
    known: dict[str, object] = {
        "mbsym": __version__,
        "name": names.module,
        "model_sha256": description.model_sha256,
        "real": description.real,
        "quaternion": QUATERNION_ORDER,
        "spatial_order": SPATIAL_ORDER,
        "parameters": [
            {"name": item.name, "value": float(item.default), "unit": item.unit, "symbolic": True}
            for item in module.parameters
        ],
        "inputs": [],
        **extra,
    }
    fields = {key: known.pop(key) for key in LEADING_FIELDS if key in known} | known
    fields["functions"] = [_function(module, function) for function in module.functions]
    fields["statuses"] = {status.name: status.value for status in Status} if module.can_fail else {}
    fields["constants"] = [
        {"name": names.constants[key], "value": int(value), "meaning": CONSTANTS.get(key, "")}
        for key, value in description.constants.items()
    ]
    fields["run_time_parameters"] = {item.name: float(item.default) for item in module.parameters}
    fields["names"] = _changed_names(module)
    fields["files"] = {file.name: sha256(file.text.encode("utf-8")).hexdigest() for file in files}
    fields["sha256"] = own_hash(json.loads(json_text(fields)))
    return fields


def own_hash(content: Mapping[str, object]) -> str:
    """SHA-256 of all fields of a manifest as it is read, but that of the hash; spaces and order do not count."""
    fields = {key: value for key, value in content.items() if key != "sha256"}
    return sha256(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _function(module: LoweredModule, function: ModuleFunction) -> dict[str, object]:
    entry: dict[str, object] = {
        "name": function.name,
        "c_symbol": module.names.linked[function.name],
        "description": function.description,
        "arguments": [_argument(item, item.name not in function.unused) for item in function.arguments],
        "operations": None if function.operations is None else function.operations.as_dict(),
    }
    if function in module.batched:
        entry["batch"] = {
            "c_symbol": module.names.batch_symbol(function.name),
            "side_by_side": function.is_side_by_side,
        }
    if function.steps:
        entry["style"] = "shared"
    if function.limbs is not None:
        entry["style"] = "limbs"
    if function.threads:
        entry["threads"] = function.threads
    if module.parameters and not module.takes_parameters(function):
        entry["takes_parameters"] = False
    if function.failures:
        entry["status"] = [Status.OK.name, *(failure.status.name for failure in function.failures)]
    return entry


def _argument(item: Argument, is_used: bool) -> dict[str, object]:
    entry: dict[str, object] = {
        "name": item.name,
        "direction": item.direction,
        "shape": list(item.shape),
        "unit": item.unit,
    }
    if item.kind != "real":
        entry["type"] = item.kind
    if not is_used:
        entry["used"] = False
    if item.quaternions:
        entry["quaternions"] = list(item.quaternions)
    return entry


def _changed_names(module: LoweredModule) -> dict[str, dict[str, str]]:
    names = module.names
    scopes: dict[str, Mapping[str, str]] = {
        "module": {module.description.name: names.module},
        "functions": names.functions,
        "arguments": names.arguments,
        "parameters": names.parameters,
        "constants": names.constants,
    }
    changed = {
        scope: {name: identifier for name, identifier in identifiers.items() if name != identifier}
        for scope, identifiers in scopes.items()
    }
    return {scope: identifiers for scope, identifiers in changed.items() if identifiers}
