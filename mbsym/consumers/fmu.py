"""FMI: functional mock-up units with their sources, for model exchange and co-simulation.

Variables stand in one array, in the order of their value references: time, run-time parameters, inputs, generalised
forces, coordinates, speeds, states of drives, the rates of the last three, and outputs of the model and of frames. The
C of the standard's functions is fixed text over it; the names and types of the standard that it needs stand in it, so
that no header of the standard is copied anywhere.
"""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from mbsym.codegen.build import find_compiler
from mbsym.codegen.c.views import render_c
from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.environment import render_template
from mbsym.consumers.consumer import (
    Archive,
    Consumer,
    Exported,
    ExportOptions,
    Request,
    needs_dynamics,
    says_yes,
    step_of,
    takes_no_functions,
    with_derivatives,
)
from mbsym.consumers.derivative_plan import DerivativePlan, derivative_plan
from mbsym.consumers.external_body import ExternalFunction
from mbsym.consumers.external_function import external_file, jacobian_function
from mbsym.consumers.fmu_outputs import OutputBlock, output_blocks, output_functions, place_of
from mbsym.consumers.motion import (
    DRIVES,
    DYNAMICS,
    PLACES,
    POSITION,
    RATES,
    RESIDUAL,
    SCALE,
    Quantity,
    call_of,
    keeps_loops,
    motion_fields,
    motion_functions,
    quantities,
)
from mbsym.consumers.places import matrix_size
from mbsym.errors import CodegenError, ToolchainError
from mbsym.kinematics.mechanism import Mechanism
from mbsym.registry import available_functions


@dataclass(frozen=True, slots=True)
class StandardView:
    """What a version of the standard calls things.

    Attributes:
        prefix: of all its names.
        instance, truth: types of an instance and of a truth value.
        start: the function that is told when time begins.
        state, rates: ends of the names of functions for states of a unit, and for rates.
        is_sized: True where functions are told the number of values besides that of variables.
    """

    prefix: str
    instance: str
    truth: str
    start: str
    state: str
    rates: str
    is_sized: bool


VERSIONS: Final = {
    "3.0": StandardView(
        "fmi3", "fmi3Instance", "bool", "EnterInitializationMode", "State", "ContinuousStateDerivatives", True
    ),
    "2.0": StandardView("fmi2", "fmi2Component", "int", "SetupExperiment", "state", "Derivatives", False),
}

DESCRIPTIONS: Final = {
    "fmi3": {"modelDescription.xml": "modelDescription3", "buildDescription.xml": "buildDescription"},
    "fmi2": {"modelDescription.xml": "modelDescription2"},
}
"""Files and their templates by the prefix of the standard."""


@dataclass(frozen=True, slots=True)
class VariableView:
    """A variable of the model description; its text attributes are quoted already."""

    name: str
    reference: int
    index: int
    unit: str
    start: str
    sentence: str
    state: int
    state_index: int


def _standard(options: ExportOptions) -> StandardView:
    version = options.settings["fmi"]
    if version not in VERSIONS:
        raise CodegenError(f"there is no FMI {version}", where="`settings fmi`", remedy=f"use {' or '.join(VERSIONS)}")
    return VERSIONS[version]


def _derives(plans: Sequence[DerivativePlan], options: ExportOptions) -> bool:
    return says_yes("derivatives", options) and not any(plan.refusal for plan in plans)


def request(mechanism: Mechanism, options: ExportOptions) -> Request:
    """What moves the model, what keeps loops closed, outputs, and derivatives where there are any.

    Raises:
        CodegenError: a setting means nothing.
    """
    _standard(options), step_of(options), says_yes("binary", options)
    observed = output_functions(mechanism)
    names = [*motion_functions(mechanism, options.generation.formulation), *observed]
    if POSITION in names:
        names += [RESIDUAL, SCALE]
    available = available_functions(mechanism, options.generation.formulation)
    moving = (DYNAMICS, *([RATES] if mechanism.q.quaternions else []), *([DRIVES] if mechanism.model.drives else []))
    derived = (*moving, *observed)
    plans = tuple(derivative_plan(mechanism, available, name) for name in derived)
    if not _derives(plans, options):
        return Request(tuple(names), plans=plans)
    return with_derivatives(mechanism, plans, names, compressed=True)


def files(exported: Exported) -> tuple[GeneratedFile, ...]:
    """The sources of the unit, and its descriptions."""
    fmi, name, plans = _standard(exported.options), exported.name, exported.plans
    derived = plans if _derives(plans, exported.options) else ()
    jacobians = [jacobian_function(exported, plan, f"{name}_fmu_{plan.function}_jacobian") for plan in derived]
    found = []
    if jacobians:
        about = ("Derivatives of the unit's rates and outputs, in compressed columns.",)
        found.append(external_file(exported, f"{name}_jacobians.c", about, jacobians))
    module = exported.module
    digest = sha256("".join(file.text for file in (*render_c(module), *found)).encode())
    digest.update(f"{exported.options.settings['fmi']} {step_of(exported.options)!r}".encode())
    token = f"{{{digest.hexdigest()[:32]}}}"
    blocks = output_blocks(exported)
    derivatives = [_derivative_view(exported, *pair) for pair in zip(plans, jacobians, strict=False)]
    fields = {
        **motion_fields(exported),
        "fmi": fmi,
        "token": token,
        "rows": module.description.constants.get("NR", 0),
        "step": repr(step_of(exported.options)),
        "residual": call_of(exported, RESIDUAL, "residual") if keeps_loops(exported) else "",
        "scale": call_of(exported, SCALE, "size", "rounding") if keeps_loops(exported) else "",
        "ny": sum(block.size for block in blocks),
        "observed": blocks,
        "derivatives": tuple(derivatives),
    }
    found.append(GeneratedFile(f"{name}_{fmi.prefix}.c", render_template(f"consumers/{fmi.prefix}.c.jinja", **fields)))
    description = _description(
        exported, token, (f"{name}.c", *(file.name for file in found)), blocks, derives=bool(jacobians)
    )
    for file, template in DESCRIPTIONS[fmi.prefix].items():
        found.append(GeneratedFile(file, render_template(f"consumers/{template}.xml.jinja", **description)))
    return tuple(found)


def _derivative_view(exported: Exported, plan: DerivativePlan, jacobian: ExternalFunction) -> dict[str, Any]:
    names = [item.name for item in exported.function(plan.function).inputs]
    names += ["parameters"] if exported.module.parameters else []
    arguments = tuple(
        {"place": PLACES[name], "entries": max(slot.pattern.size, 1)}
        for name, slot in zip(names, jacobian.outputs, strict=True)
    )
    (result,) = exported.function(plan.function).outputs
    return {
        "symbol": jacobian.symbol,
        "result": {DYNAMICS: "DV", RATES: "DQ", DRIVES: "DX"}.get(plan.function) or place_of(plan.function),
        "width": matrix_size(result.shape)[1],
        "arguments": arguments,
        "inputs": jacobian.input_count,
        "outputs": jacobian.output_count,
        "work": max(jacobian.work, 1),
    }


def _description(
    exported: Exported, token: str, sources: tuple[str, ...], blocks: Sequence[OutputBlock], derives: bool
) -> dict[str, Any]:
    given = quantities(exported)
    groups = (given.parameters, (*given.inputs, *given.forces), given.states)
    views: list[tuple[VariableView, ...]] = []
    count = 1
    for group in groups:
        views.append(tuple(_variable(item, count + k) for k, item in enumerate(group)))
        count += len(group)
    states = views[2]
    moved = [_rate(item) for item in groups[2]]
    rates = tuple(_variable(item, count + k, state=states[k].reference) for k, item in enumerate(moved))
    count += len(rates)
    observed = [entry for block in blocks for entry in block.variables]
    outputs = tuple(_variable(item, count + place, count + k + 1) for k, (place, item) in enumerate(observed))
    units = {item.unit for group in (*groups, moved) for item in group} | {item.unit for _, item in observed}
    return {
        "name": quoteattr(exported.mechanism.model.name),
        "identifier": exported.name,
        "sources": sources,
        "token": token,
        "step": repr(step_of(exported.options)),
        "derives": "true" if derives else "false",
        "units": tuple(quoteattr(unit) for unit in sorted(units) if unit),
        "parameters": views[0],
        "inputs": views[1],
        "states": states,
        "rates": rates,
        "outputs": outputs,
    }


def _variable(item: Quantity, reference: int, index: int = 0, state: int = 0) -> VariableView:
    """A variable; without an index references count it."""
    unit = f" unit={quoteattr(item.unit)}" if item.unit else ""
    return VariableView(
        quoteattr(item.name),
        reference,
        index or reference + 1,
        unit,
        repr(item.start),
        quoteattr(item.sentence),
        state,
        state + 1,
    )


def _rate(item: Quantity) -> Quantity:
    unit = f"{item.unit[:-2]}/s2" if item.unit.endswith("/s") else f"{item.unit or '1'}/s"
    return Quantity(f"der({item.name})", unit, 0.0, f"rate of {item.name}")


# ---- the archive -----------------------------------------------------------------------------------------------------


def archive(exported: Exported, texts: Sequence[GeneratedFile]) -> Archive:
    """NAME.fmu: descriptions, sources, and the library where that is asked for.

    Raises:
        ToolchainError: the library is asked for and there is no compiler, or it fails.
    """
    description = [file for file in texts if file.name == "modelDescription.xml"]
    build = [file for file in texts if file.name == "buildDescription.xml"]
    sources = [file for file in texts if file.name.endswith((".c", ".h"))]
    entries = {file.name: file.text.encode() for file in description}
    entries |= {f"sources/{file.name}": file.text.encode() for file in (*build, *sources)}
    if says_yes("binary", exported.options):
        entries |= {_place_of_library(exported): _library(exported.name, sources)}
    return Archive(f"{exported.name}.fmu", entries)


def _place_of_library(exported: Exported) -> str:
    system, machine = platform.system().lower(), platform.machine().lower()
    if exported.options.settings["fmi"] == "2.0":
        if (system, machine) != ("linux", "x86_64"):
            raise ToolchainError(
                f"FMI 2.0 has no name for libraries of {system} on {machine}", remedy="take FMI 3.0, or no library"
            )
        return f"binaries/linux64/{exported.name}.so"
    return f"binaries/{machine.replace('arm64', 'aarch64')}-{system}/{exported.name}.so"


def _library(name: str, sources: Sequence[GeneratedFile]) -> bytes:
    with TemporaryDirectory(prefix="mbsym") as scratch:
        place = Path(scratch)
        for file in sources:
            (place / file.name).write_text(file.text, encoding="utf-8")
        units = [file.name for file in sources if file.name.endswith(".c")]
        command = [*find_compiler(), "-std=c99", "-O2", "-shared", "-fPIC", *units, "-o", f"{name}.so", "-lm"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ToolchainError(f"the unit does not compile:\n{done.stderr.strip()}", remedy="leave the library out")
        return (place / f"{name}.so").read_bytes()


FMU: Final = Consumer(
    name="fmu",
    sentence="a functional mock-up unit, FMI 3.0 or 2.0, model exchange and co-simulation",
    reals=("double",),
    request=request,
    files=files,
    settings={"fmi": "3.0", "step": "0.001", "derivatives": "yes", "binary": "no"},
    notes=lambda exported: exported.refusals("the unit has no directional derivatives"),
    archive=archive,
    reason="FMI's states are doubles",
    excludes=(
        takes_no_functions(
            "fmu",
            "a functional mock-up unit has states and rates, not functions",
            "leave it out, or export to another consumer",
        ),
        needs_dynamics("fmu"),
    ),
)
