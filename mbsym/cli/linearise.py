"""mbsym linearise: A, B, C and D about a state."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.arguments import AT, PARAMETERS, TAU, AsJson, ForceFile, model_help
from mbsym.cli.linear_source import deliver, names_given, read_at, require_method, require_writable, word_or_names
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import READING, Reading, read_model
from mbsym.cli.simulate import named_numbers
from mbsym.cli.taken import taking_options
from mbsym.errors import AnalysisError


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    @taking_options
    def linearise(
        model: str = typer.Argument(help=model_help()),
        at: list[str] = AT,
        inputs: list[str] = typer.Option(
            ["auto"],
            "--inputs",
            help="u (control inputs), motors (forces of actuated joints), tau (along all speeds), all, or NAME,...: "
            "control inputs and speeds; default the first of these that there are. Of transfer-matrix ELEMENT.x,...: "
            "forces on a body's point along base axes, moments about them (ELEMENT.rx).",
        ),
        outputs: list[str] = typer.Option(
            [],
            "--outputs",
            help="NAME,...: coordinates, speeds, accelerations, places of frames and bodies; default all states. Of "
            "transfer-matrix ELEMENT.x,..., default the inputs'.",
        ),
        independent: list[str] = typer.Option(
            [], "--independent", help="Closed loops: NAME,...: the independent coordinates; default a good choice."
        ),
        method: str = typer.Option(
            "equations", "--method", help="equations (of motion) or transfer-matrix (modes of elements, about rest)."
        ),
        beams: str = typer.Option(
            "", "--beams", help="Of transfer-matrix: exact (default), consistent, lumped (finite elements) or segments."
        ),
        count: int | None = typer.Option(None, "--count", help="Of transfer-matrix: how many modes; default 10."),
        symbols: bool = typer.Option(False, "--symbols", help="The matrices in the model's parameters too."),
        tau: list[str] = TAU,
        parameter: list[str] = PARAMETERS,
        output: Path | None = typer.Option(None, "-o", "--output", help="File to write, .json or .txt."),
        reading: Reading = READING,
        as_json: AsJson = False,
        force: ForceFile = False,
    ) -> None:
        """Linearise the equations of motion about a state: A, B, C and D, poles."""
        from mbsym.linear.analysis import linearise as run
        from mbsym.linear.tables import linearisation_text

        require_writable(output, force)
        require_method(method, beams, count)
        forces, parameters = named_numbers(tau, "--tau"), named_numbers(parameter, "--parameter")
        system = read_model(model, reading)
        if method != "equations":
            from mbsym.linear.modal_system import transfer_matrix_system
            from mbsym.linear.tables import modal_system_text

            _require_plain(inputs, independent, symbols, tau)
            with progress_bar() as progress:
                modal = transfer_matrix_system(
                    system,
                    read_at(at) or "equilibrium",
                    inputs=names_given(inputs),
                    outputs=names_given(outputs),
                    beams=beams or "exact",
                    count=10 if count is None else count,
                    parameters=parameters,
                    order=reading.order,
                    progress=progress,
                )
            text = modal_system_text(modal)
            deliver("linearise", system.name, modal.as_dict(), text, output=output, as_json=as_json, force=force)
            return
        with progress_bar() as progress:
            found = run(
                system,
                read_at(at),
                inputs=word_or_names(inputs),
                outputs=names_given(outputs),
                independent=names_given(independent),
                tau=forces,
                parameters=parameters,
                order=reading.order,
                progress=progress,
            )
        exact = found.symbolic() if symbols else None
        document = found.as_dict()
        if exact is not None:
            document["symbols"] = {
                letter: [[str(entry) for entry in matrix.row(k)] for k in range(matrix.rows)]
                for letter, matrix in zip("ABCD", exact, strict=True)
            }
        text = linearisation_text(found, exact)
        deliver("linearise", system.name, document, text, output=output, as_json=as_json, force=force)


def _require_plain(inputs: list[str], independent: list[str], symbols: bool, tau: list[str]) -> None:
    """Refuses what only equations of motion have."""
    if word_or_names(inputs) == "auto":
        raise AnalysisError(
            "transfer matrices need inputs by name", where="--inputs", remedy="give ELEMENT.x, ELEMENT.rx and the like"
        )
    for asked, option in ((independent, "--independent"), (symbols, "--symbols"), (tau, "--tau")):
        if asked:
            raise AnalysisError(
                f"{option} means nothing to transfer matrices", where=option, remedy="leave it or --method out"
            )
