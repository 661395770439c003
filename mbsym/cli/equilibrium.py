"""mbsym equilibrium: states in which nothing moves, and their stability."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.arguments import AT, PARAMETERS, TAU, AsJson, ForceFile, model_help
from mbsym.cli.linear_source import deliver, read_at, require_writable
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import READING, Reading, read_model
from mbsym.cli.simulate import named_numbers
from mbsym.cli.taken import names_in, taking_options


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    @taking_options
    def equilibrium(
        model: str = typer.Argument(help=model_help()),
        free: list[str] = typer.Option(
            [],
            "--free",
            help="NAME,...: coordinates, control inputs, and speeds along which any force may act; "
            "default all coordinates. All else stays as --at says.",
        ),
        at: list[str] = AT,
        starts: int = typer.Option(40, "--starts", min=1, help="From how many places equilibria are looked for."),
        tau: list[str] = TAU,
        parameter: list[str] = PARAMETERS,
        output: Path | None = typer.Option(None, "-o", "--output", help="File to write, .json or .txt."),
        reading: Reading = READING,
        as_json: AsJson = False,
        force: ForceFile = False,
    ) -> None:
        """Find equilibria and tell their stability."""
        from mbsym.linear.analysis import equilibrium as run
        from mbsym.linear.tables import equilibria_text

        require_writable(output, force)
        forces, parameters = named_numbers(tau, "--tau"), named_numbers(parameter, "--parameter")
        system = read_model(model, reading)
        with progress_bar() as progress:
            found = run(
                system,
                names_in(free),
                read_at(at),
                starts=starts,
                tau=forces,
                parameters=parameters,
                order=reading.order,
                progress=progress,
            )
        text = equilibria_text(found)
        deliver("equilibrium", system.name, found.as_dict(), text, output=output, as_json=as_json, force=force)
