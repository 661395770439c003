"""mbsym modes: frequencies, damping and shapes of small motions."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.arguments import (
    AT_HELP,
    PARAMETERS,
    TAU,
    Actuators,
    AsJson,
    Floating,
    ForceFiles,
    JointDynamics,
    Loops,
    Order,
    model_help,
)
from mbsym.cli.linear_source import deliver, read_at, require_known
from mbsym.cli.model_source import read_model
from mbsym.cli.progress import progress_bar
from mbsym.cli.simulate import named_numbers


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def modes(
        model: str = typer.Argument(help=model_help()),
        at: list[str] = typer.Option(["equilibrium"], "--at", help=AT_HELP),
        tau: list[str] = TAU,
        parameter: list[str] = PARAMETERS,
        order: Order = "weight",
        actuators: Actuators = "ignore",
        joint_dynamics: JointDynamics = "ignore",
        floating: Floating = False,
        loops: Loops = None,
        page: Path | None = typer.Option(None, "--page", help="Animated page of the shapes to write, .html."),
        output: Path | None = typer.Option(None, "-o", "--output", help="File to write, .json or .txt."),
        as_json: AsJson = False,
        force: ForceFiles = False,
    ) -> None:
        """Tell frequencies, damping ratios and shapes of small motions about a state."""
        from mbsym.linear.analysis import modes as run
        from mbsym.linear.tables import modes_text

        if page is not None:
            from mbsym.simulation.output import check_writable
            from mbsym.simulation.result import check_suffix

            check_suffix(page, (".html",))
            check_writable(page, force)
        require_known(output)
        forces, parameters = named_numbers(tau, "--tau"), named_numbers(parameter, "--parameter")
        system = read_model(model, floating=floating, loops=loops, actuators=actuators, joint_dynamics=joint_dynamics)
        with progress_bar() as progress:
            found = run(
                system,
                read_at(at),
                tau=forces,
                parameters=parameters,
                order=order,
                progress=progress,
            )
        written = (found.page(page, force=force),) if page is not None else ()
        text = modes_text(found)
        deliver(
            "modes", system.name, found.as_dict(), text, output=output, as_json=as_json, force=force, written=written
        )
