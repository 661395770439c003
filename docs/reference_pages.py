"""Pages of the reference, read from the code: Python, the command line, generated functions."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module

from lists import escaped, table

from mbsym.cli.json_output import DOCUMENTS, ENVELOPE, ERROR
from mbsym.cli.manual import Argument, Verb, verbs
from mbsym.derivatives.functions import functions_on_request
from mbsym.examples import load
from mbsym.formats.load_options import LoadOptions
from mbsym.formulations.contracts import Contract, Result
from mbsym.kinematics.mechanism import Mechanism, build_mechanism
from mbsym.model.frame_ends import with_frames
from mbsym.option import Option, options_of
from mbsym.options.generation import GenerationOptions, typed
from mbsym.registry import FORMULATIONS, contracts_of

INTERFACE: Mapping[str, tuple[str, ...]] = {
    "Models": (
        *("mbsym:load", "mbsym:LoadOptions", "mbsym:Model", "mbsym:Body", "mbsym:solid_body", "mbsym:Joint"),
        *("mbsym:Placement", "mbsym:Coupling", "mbsym:Frame", "mbsym:NamedState", "mbsym:Parameter"),
        *(
            "mbsym:ControlInput",
            "mbsym:NamedExpression",
            "mbsym:Table",
            "mbsym:Shape",
            "mbsym.model.labelling:ModelLabelling",
            "mbsym.topology:label",
        ),
        *("mbsym:Beam", "mbsym:with_beams", "mbsym:with_submodel", "mbsym:PrescribedMotion", "mbsym:DriveState"),
    ),
    "Force elements": (
        *("mbsym:Actuator", "mbsym:AppliedWrench", "mbsym:JointDamper", "mbsym:JointForce", "mbsym:JointFriction"),
        *(
            "mbsym:JointSpring",
            "mbsym:JointStop",
            "mbsym:limit_stops",
            "mbsym:PointSpringDamper",
            "mbsym:Contact",
            "mbsym:Tyre",
        ),
    ),
    "Closure constraints": (
        *("mbsym:DistanceConstraint", "mbsym:GearConstraint", "mbsym:LinearCoupling", "mbsym:PointOnLineConstraint"),
        *("mbsym:ExpressionConstraint", "mbsym:VelocityConstraint", "mbsym:RollingConstraint"),
    ),
    "Shapes": ("mbsym:Box", "mbsym:Capsule", "mbsym:Cylinder", "mbsym:Ellipsoid", "mbsym:Mesh", "mbsym:Sphere"),
    "Equations": (
        *("mbsym:derive", "mbsym.report.equations:Equations", "mbsym.report.closed_form:ClosedForm"),
        *("mbsym.report.vector_form:InVectors", "mbsym.report.velocity_products:VelocityProducts"),
        *("mbsym.report.lengths:lengths", "mbsym.report.lengths:Length"),
        "mbsym.formulations.quantity:Quantity",
        *("mbsym.testing:assert_same_equations", "mbsym.testing:compare_equations", "mbsym.testing:Comparison"),
        *("mbsym.testing:assert_same_function", "mbsym.testing:compare_function"),
        *("mbsym.testing:FunctionComparison", "mbsym.testing.plugin:Equal"),
        *("mbsym.testing.strategies:mechanisms", "mbsym.testing.strategies:states", "mbsym.testing.strategies:State"),
    ),
    "Code": (
        *("mbsym:generate", "mbsym.pipeline:Generation", "mbsym.codegen.load:load_c", "mbsym.codegen.load:load_numpy"),
        *("mbsym.codegen.load:LoadedModule", "mbsym:verify", "mbsym.verification.certificate:Certificate"),
        *("mbsym.verification.recheck:check_certificate", "mbsym.verification.recheck:Rechecked"),
        *("mbsym:certify", "mbsym.rounding.results:Bounds", "mbsym.rounding.results:FunctionBounds"),
        *("mbsym.rounding.results:OutputBound", "mbsym.rounding.results:NamedDanger"),
        *("mbsym:export", "mbsym:compile", "mbsym.batches.compiled:CompiledModel"),
        *("mbsym.batches.compiled:CompiledFunction", "mbsym:sweep", "mbsym:Simulations", "mbsym.sweeps.sweep:Sweep"),
    ),
    "Pictures": ("mbsym:show",),
    "Simulation": (
        *("mbsym:simulate", "mbsym:Loads", "mbsym:Keeping", "mbsym:Accuracy", "mbsym:Preparation"),
        *("mbsym:Scheme", "mbsym:Stepping", "mbsym.simulation.result:SimulationResult"),
    ),
    "Linear analysis": (
        *("mbsym:linearise", "mbsym.linear.linearised:Linearisation", "mbsym:equilibrium"),
        *("mbsym.linear.equilibrium:Equilibrium", "mbsym:modes", "mbsym.linear.modes:Modes"),
        *("mbsym:transfer_matrix_modes", "mbsym:frequency_response", "mbsym.linear.response:FrequencyResponse"),
        *("mbsym:transfer_matrix_system", "mbsym.linear.modal_system:ModalSystem"),
    ),
    "Identification": (
        *("mbsym:base_parameters", "mbsym:identify", "mbsym.identification.identify:Identification", "mbsym:excite"),
        "mbsym.identification.excitation:Excitation",
    ),
    "Errors": ("mbsym:MbsymError", "mbsym.errors:ModelError"),
}
"""Names for Python in the order of the page, as MODULE:NAME where they are imported from; a test holds it to all names
that ``import mbsym`` offers."""


OPTIONS_OF: Mapping[str, type] = {"mbsym:generate": GenerationOptions, "mbsym:LoadOptions": LoadOptions}
"""Whose options stand in a table behind them."""


def reference_pages() -> dict[str, str]:
    """Texts of the pages by the names of their files."""
    return {
        "python.md": python_page(),
        "command_line.md": command_line_page(verbs()),
        "json.md": json_page(),
        "functions.md": functions_page(),
    }


def python_page() -> str:
    """The interface for Python, from docstrings."""
    lines = [
        "# Python",
        "",
        "Import what stands under `mbsym` from there; results have the modules of their types.",
        "",
    ]
    for title, names in INTERFACE.items():
        lines += [f"## {title}", ""]
        for name in names:
            module, _, attribute = name.partition(":")
            found = getattr(import_module(module), attribute)
            kind = "autofunction" if inspect.isfunction(found) else "autoclass"
            kind = "autoexception" if inspect.isclass(found) and issubclass(found, Exception) else kind
            lines += ["```{eval-rst}", f".. {kind}:: {found.__module__}.{attribute}", "```", ""]
            if name in OPTIONS_OF:
                lines += table(
                    ("argument", "command line", "default", ""), map(_option_row, options_of(OPTIONS_OF[name]))
                )
    return "\n".join(lines)


def _option_row(item: Option) -> tuple[str, str, str, str]:
    flags = ", ".join(f"`--{flag}`" for flag in item.flags)
    return (f"`{item.name}`", flags, f"`{item.default!r}`", escaped(" ".join(map(typed, item.sentences))))


# ---- command line ---------------------------------------------------------------------------------------------------


def command_line_page(known: Sequence[Verb]) -> str:
    """The verbs with what `--help` says of them."""
    lines = ["# Command line", "", "`mbsym VERB --help` says the same in a terminal.", ""]
    for verb in known:
        lines += [f"## mbsym {verb.name}", "", verb.sentence, "", "```text", verb.usage, "```", ""]
        lines += ["```console", *(f"$ {line}" for line in verb.examples), "```", ""]
        lines += table(("", "", "default"), (_argument_row(item) for item in verb.arguments))
    return "\n".join(lines)


def _argument_row(item: Argument) -> tuple[str, str, str]:
    names = ", ".join(f"`{name}`" for name in item.names)
    return (f"{names} {item.value}".strip(), escaped(item.sentence), f"`{item.default}`" if item.default else "")


def json_page() -> str:
    """What --json prints, verb by verb."""
    lines = [
        "# JSON of the command line",
        "",
        "With `--json` a verb prints one document on one line of standard output; warnings and progress go to "
        "standard error. Numbers that are not finite are `null`. Entries that have nothing to tell for a model, such "
        "as those of closed loops for a tree, may be missing; new ones may come. Every document has:",
        "",
        *table(("entry", "holds"), _described(ENVELOPE)),
        "Where a verb ends with an error, the line on standard error stands, and the document is:",
        "",
        *table(("entry", "holds"), _described(ERROR)),
    ]
    for verb, entries in DOCUMENTS.items():
        lines += [f"## mbsym {verb} --json", "", *table(("entry", "holds"), _described(entries))]
    lines += ["`mbsym schema` prints a JSON Schema, and needs no option for that.", ""]
    return "\n".join(lines)


def _described(entries: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((f"`{key}`", escaped(sentence)) for key, sentence in entries.items())


# ---- functions ------------------------------------------------------------------------------------------------------


def functions_page() -> str:
    """Generated functions from their contracts."""
    arm, linkage = _mechanism("puma560", ("link6",)), _mechanism("four_bar")
    tree, on_request = contracts_of(arm), functions_on_request(arm)
    every = {**tree, **contracts_of(linkage)}
    lines = [
        "# Generated functions",
        "",
        "Shapes are in numbers of coordinates `nq`, speeds `nv`, bodies `nb`, joints `nj`, frames `nf`, standard",
        "parameters `np`, base parameters `nbase`, independent closure rows `rows`. Models with time or control inputs",
        "have `t` and `u` among the arguments. Which of them a module has: `mbsym generate MODEL` lists them.",
        "",
    ]
    groups: dict[str, list[Contract]] = {"Of every tree": [], "On request": [], "Of closed loops": []}
    for name, contract in every.items():
        group = "On request" if name in on_request else "Of every tree" if name in tree else "Of closed loops"
        groups[group].append(contract)
    for title, contracts in groups.items():
        lines += [f"## {title}", ""]
        for contract in contracts:
            lines += _function(contract)
    lines += ["## Formulations", "", *table(("`--formulation`", ""), _formulation_rows())]
    lines += ["## Quantities of formulations", "", *QUANTITIES, ""]
    lines += table(("", "`--formulation`", "shape", "", "source"), _quantity_rows())
    return "\n".join(lines)


def _mechanism(example: str, frames: tuple[str, ...] = ()) -> Mechanism:
    model = with_frames(load(example), frames) if frames else load(example)
    return build_mechanism(model, model.label())


def _function(contract: Contract) -> list[str]:
    lines = [f"### {contract.name}", "", escaped(contract.description) + ".", ""]
    lines += ["```text", f"{contract.name}({', '.join(contract.inputs)})", "```", ""]
    return lines + table(("result", "shape", "unit", ""), (_result_row(result) for result in contract.results))


def _result_row(result: Result) -> tuple[str, str, str, str]:
    shape = (
        f"({', '.join(map(str, result.shape))}{',' if len(result.shape) == 1 else ''})" if result.shape else "scalar"
    )
    return (f"`{result.name}`", shape, result.unit, escaped(result.description))


def _formulation_rows() -> Iterator[tuple[str, str]]:
    for formulation in FORMULATIONS.values():
        yield f"`{formulation.name}`", escaped(formulation.sentence)


QUANTITIES: Sequence[str] = (
    "In SymPy by `mbsym.derive(MODEL, FORMULATION).matrix(NAME)`, as documents by `mbsym derive MODEL --quantity NAME`",
    "with `--formulation`; they are not generated. Shapes are in the same numbers, `6nb` the entries of twists of all",
    "bodies, `held` the constraint forces of all joints, `unknowns` both together.",
)


def _quantity_rows() -> Iterator[tuple[str, ...]]:
    listed = {id(each): each for formulation in FORMULATIONS.values() for each in formulation.quantities.values()}
    for each in listed.values():
        owners = [name for name, found in FORMULATIONS.items() if found.quantities.get(each.name) is each]
        shape = f"({', '.join(map(str, each.shape))}{',' if len(each.shape) == 1 else ''})" if each.shape else "scalar"
        yield f"`{each.name}`", ", ".join(owners), shape, escaped(each.sentence), escaped(each.source)
