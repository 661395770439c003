"""mbsym modes: frequencies, damping and shapes of small motions."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.arguments import AT_HELP, PARAMETERS, TAU, AsJson, ForceFiles, model_help
from mbsym.cli.linear_source import deliver, read_at, require_method, require_writable
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import READING, Reading, read_model
from mbsym.cli.simulate import named_numbers
from mbsym.cli.taken import taking_options
from mbsym.errors import AnalysisError


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    @taking_options
    def modes(
        model: str = typer.Argument(help=model_help()),
        at: list[str] = typer.Option(["equilibrium"], "--at", help=AT_HELP),
        method: str = typer.Option(
            "equations", "--method", help="equations (of motion, linearised) or transfer-matrix (of elements)."
        ),
        beams: str = typer.Option(
            "", "--beams", help="Of transfer-matrix: exact (default), consistent, lumped (finite elements) or segments."
        ),
        count: int | None = typer.Option(None, "--count", help="Of transfer-matrix: how many modes; default 10."),
        tau: list[str] = TAU,
        parameter: list[str] = PARAMETERS,
        page: Path | None = typer.Option(None, "--page", help="Animated page of the shapes to write, .html."),
        output: Path | None = typer.Option(None, "-o", "--output", help="File to write, .json or .txt."),
        reading: Reading = READING,
        as_json: AsJson = False,
        force: ForceFiles = False,
    ) -> None:
        """Tell frequencies, damping ratios and shapes of small motions about a state."""
        from mbsym.linear.analysis import modes as run
        from mbsym.linear.tables import modes_text

        require_method(method, beams, count)
        if method != "equations":
            _require_transfer_matrix(tau)
        if page is not None:
            from mbsym.simulation.output import check_writable
            from mbsym.simulation.result import check_suffix

            check_suffix(page, (".html",))
            check_writable(page, force)
        require_writable(output, force)
        forces, parameters = named_numbers(tau, "--tau"), named_numbers(parameter, "--parameter")
        system = read_model(model, reading)
        if method != "equations":
            from mbsym.linear.tables import transfer_matrix_modes_text
            from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes

            with progress_bar() as progress:
                vibrating = transfer_matrix_modes(
                    system,
                    read_at(at),
                    beams=beams or "exact",
                    count=10 if count is None else count,
                    parameters=parameters,
                    order=reading.order,
                    progress=progress,
                )
            shown = (vibrating.page(page, force=force),) if page is not None else ()
            table = transfer_matrix_modes_text(vibrating)
            document = vibrating.as_dict()
            deliver("modes", system.name, document, table, output=output, as_json=as_json, force=force, written=shown)
            return
        with progress_bar() as progress:
            found = run(
                system,
                read_at(at),
                tau=forces,
                parameters=parameters,
                order=reading.order,
                progress=progress,
            )
        written = (found.page(page, force=force),) if page is not None else ()
        text = modes_text(found)
        deliver(
            "modes", system.name, found.as_dict(), text, output=output, as_json=as_json, force=force, written=written
        )


def _require_transfer_matrix(tau: list[str]) -> None:
    if tau:
        raise AnalysisError(
            "the transfer matrix method takes no generalised forces here", where="--tau", remedy="leave --method out"
        )
