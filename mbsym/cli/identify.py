"""mbsym identify: what can be identified of a model, and its parameters from data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.reading import MODEL, READING_FOR_ANY_ORDER, Reading, read_model
from mbsym.cli.spoken import spoken
from mbsym.cli.taken import taken, verb
from mbsym.errors import IdentificationError
from mbsym.formats.native.text import dump_native
from mbsym.identification import report as reports
from mbsym.identification.excitation import excite
from mbsym.identification.identify import identify as run
from mbsym.identification.options import DEFAULT_ESTIMATE, DEFAULT_MOTION, Estimate, Settings
from mbsym.identification.rows import base_parameters
from mbsym.option import FILES, option
from mbsym.options.generation import GenerationOptions
from mbsym.regressors.relations_text import relations_data, relations_text
from mbsym.simulation.output import MARK, Column, check_writable, csv_bytes, write_whole

if TYPE_CHECKING:
    from mbsym.model.system import Model


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be found, and how."""

    estimate: Estimate = DEFAULT_ESTIMATE
    excite: bool = option(
        False, "Write a motion within the limits of the joints that tells the parameters best.", "excite"
    )
    settings: Settings = DEFAULT_MOTION


@dataclass(frozen=True, slots=True)
class Written:
    """What is written."""

    output: Path | None = option(
        None,
        "Model with the identified parameters, .yaml; of `excite` the motion, .csv.",
        "output",
        short="o",
        kind=Path,
    )
    report: Path | None = option(None, "Page with tables and curves to write, .html.", "report", kind=Path)


@verb(
    "mbsym identify puma560",
    "mbsym identify puma560 --excite -o motion.csv",
    "mbsym identify puma560 measured.csv -o puma560_identified.yaml --report fit.html",
)
def identify(
    model: str = MODEL,
    data: Path | None = typer.Argument(
        None, help="CSV with columns t, q_*, tau_*, perhaps v_*, vdot_*; without it the base parameters are told."
    ),
    written: Written = taken(Written, heading=FILES),
    asked: Asked = taken(Asked),
    reading: Reading = READING_FOR_ANY_ORDER,
    options: GenerationOptions = taken(GenerationOptions, "symbolic_parameters"),
    delivery: Delivery = TELLING,
) -> None:
    """Tell which sums of parameters can be identified, find a motion that does, or estimate them from data."""
    output, report, excite, force = written.output, written.report, asked.excite, delivery.force
    if excite and data is not None:
        raise IdentificationError("a motion comes before data", where=str(data), remedy="leave one out")
    for path, suffix in ((output, ".csv" if excite else ".yaml"), (report, ".html")):
        _check(path, suffix, data is not None or (excite and path is output), force)
    system = read_model(model, reading)
    if excite:
        _excite(system, asked.settings, output, delivery)
        return
    if data is None:
        _tell_base_parameters(system, options, delivery)
        return
    found = run(system, data, held_back=asked.estimate.held_back, cutoff=asked.estimate.cutoff)
    paths: list[Path] = []
    if output is not None:
        paths += delivery.write(output, dump_native(found.model))
    if report is not None:
        paths.append(write_whole(report, reports.page(found, MARK).encode(), force=force))
    delivery.tell("identify", system.name, reports.as_dict(found), paths, reports.summary(found))


def _check(path: Path | None, suffix: str, known: bool, force: bool) -> None:
    """What cannot be written in the end is refused before the work is done."""
    if path is None:
        return
    if not known:
        raise IdentificationError(
            "there are no data to write of", where=str(path), remedy="give a CSV behind the model"
        )
    if path.suffix != suffix:
        raise IdentificationError("the suffix does not fit", where=str(path), remedy=f"end it in {suffix}")
    check_writable(path, force)


def _excite(system: Model, settings: Settings, output: Path | None, delivery: Delivery) -> None:
    found = excite(system, settings)
    if output is not None:
        columns = [Column(name, unit, values) for name, unit, values in found.columns]
        write_whole(
            output, csv_bytes(columns, f"{system.name}: motion that excites its parameters"), force=delivery.force
        )
    text = (
        f"{system.name}: {settings.duration:g} s, {settings.harmonics} harmonics, condition {found.condition:.3g} for "
        f"{len(found.regression.found)} base parameters, {found.before:.3g} before the search\n"
    )
    document = {"condition": found.condition, "before": found.before}
    delivery.tell("identify", system.name, document, (output,) if output is not None else (), text)


def _tell_base_parameters(system: Model, options: GenerationOptions, delivery: Delivery) -> None:
    found = base_parameters(system, symbolic_parameters=options.symbolic_parameters)
    delivery.tell("identify", system.name, relations_data(found), (), spoken(relations_text(found)))
