"""mbsym identify: what can be identified of a model, and its parameters from data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mbsym.cli.arguments import JOINT_DYNAMICS_HELP, model_help
from mbsym.cli.model_source import names_in, read_model
from mbsym.errors import IdentificationError

if TYPE_CHECKING:
    from mbsym.model.system import Model


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def identify(
        model: str = typer.Argument(help=model_help()),
        data: Path | None = typer.Argument(
            None, help="CSV with columns t, q_*, tau_*, perhaps v_*, vdot_*; without it the base parameters are told."
        ),
        output: Path | None = typer.Option(
            None, "-o", "--output", help="Model with the identified parameters to write, .yaml."
        ),
        report: Path | None = typer.Option(None, "--report", help="Page with tables and curves to write, .html."),
        hold_back: float = typer.Option(0.25, "--hold-back", help="Part of the samples to try the estimate on."),
        cutoff: float = typer.Option(
            0.0, "--cutoff", help="Of the low-pass filters [Hz]; default by the motion, where v or vdot are missing."
        ),
        as_json: bool = typer.Option(False, "--json", help="One JSON document on standard output."),
        symbolic_parameters: str = typer.Option(
            "", "--symbolic-parameters", help="Symbols in relations: all, none or NAME,...; default as the model says."
        ),
        floating: bool = typer.Option(False, "--floating", help="URDF: the root link floats freely."),
        joint_dynamics: str = typer.Option("ignore", "--joint-dynamics", help=JOINT_DYNAMICS_HELP),
        force: bool = typer.Option(False, "--force", help="Overwrite files that mbsym did not write."),
    ) -> None:
        """Tell which sums of parameters can be identified, or estimate them from measured motions and forces."""
        for path, suffix in ((output, ".yaml"), (report, ".html")):
            _check(path, suffix, data, force)
        system = read_model(model, floating=floating, joint_dynamics=joint_dynamics)
        if data is None:
            _tell_base_parameters(system, symbolic_parameters, as_json)
            return
        from mbsym.identification import report as reports
        from mbsym.identification.identify import identify as run

        found = run(system, data, held_back=hold_back, cutoff=cutoff)
        written: list[Path] = []
        if output is not None:
            from mbsym.codegen.description import GeneratedFile
            from mbsym.codegen.write import write_files
            from mbsym.formats.native_text import dump_native

            written += write_files(output.parent, (GeneratedFile(output.name, dump_native(found.model)),), force=force)
        if report is not None:
            from mbsym.simulation.output import MARK, write_whole

            written.append(write_whole(report, reports.page(found, MARK).encode(), force=force))
        if as_json:
            document = {**reports.as_dict(found), "files": [str(path) for path in written]}
            typer.echo(json.dumps(document, ensure_ascii=False))
            return
        typer.echo(reports.summary(found), nl=False)
        for path in written:
            typer.echo(f"wrote {path}")


def _check(path: Path | None, suffix: str, data: Path | None, force: bool) -> None:
    """What cannot be written in the end is refused before the work is done."""
    if path is None:
        return
    if data is None:
        raise IdentificationError(
            "there are no data to write of", where=str(path), remedy="give a CSV behind the model"
        )
    if path.suffix != suffix:
        raise IdentificationError("the suffix does not fit", where=str(path), remedy=f"end it in {suffix}")
    from mbsym.simulation.output import check_writable

    check_writable(path, force)


def _tell_base_parameters(system: Model, asked: str, as_json: bool) -> None:
    from mbsym.identification.identifiable import base_parameters
    from mbsym.regressors.relations_text import relations_data, relations_text

    found = base_parameters(
        system, symbolic_parameters=asked if asked in ("", "all", "none") else tuple(names_in([asked]))
    )
    if as_json:
        typer.echo(json.dumps(relations_data(found), ensure_ascii=False))
    else:
        typer.echo(relations_text(found), nl=False)
