"""mbsym identify: what can be identified of a model, and its parameters from data."""

from __future__ import annotations

import json

import typer

from mbsym.cli.arguments import JOINT_DYNAMICS_HELP, model_help
from mbsym.cli.model_source import names_in, read_model


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def identify(
        model: str = typer.Argument(help=model_help()),
        as_json: bool = typer.Option(False, "--json", help="One JSON document on standard output."),
        symbolic_parameters: str = typer.Option(
            "",
            "--symbolic-parameters",
            help="Symbols in coefficients: all, none or NAME,...; default as the model says.",
        ),
        floating: bool = typer.Option(False, "--floating", help="URDF: the root link floats freely."),
        joint_dynamics: str = typer.Option("ignore", "--joint-dynamics", help=JOINT_DYNAMICS_HELP),
    ) -> None:
        """Tell which sums of parameters can be identified: the base parameters, with what they group."""
        from mbsym.identification.identifiable import base_parameters
        from mbsym.regressors.relations_text import relations_data, relations_text

        system = read_model(model, floating=floating, joint_dynamics=joint_dynamics)
        asked = symbolic_parameters
        found = base_parameters(
            system, symbolic_parameters=asked if asked in ("", "all", "none") else tuple(names_in([asked]))
        )
        if as_json:
            typer.echo(json.dumps(relations_data(found), ensure_ascii=False))
        else:
            typer.echo(relations_text(found), nl=False)
