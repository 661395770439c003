"""mbsym response: what small motions answer to forces that swing."""

from __future__ import annotations

from pathlib import Path

import typer

from mbsym.cli.arguments import AT_HELP, PARAMETERS, AsJson, ForceFile, model_help
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
    def response(
        model: str = typer.Argument(help=model_help()),
        lowest: float = typer.Option(..., "--from", help="Lowest frequency [Hz]."),
        highest: float = typer.Option(..., "--to", help="Highest frequency [Hz]."),
        points: int = typer.Option(50, "--points", min=1, help="Frequencies, in equal ratios."),
        inputs: list[str] = typer.Option(
            ["auto"],
            "--inputs",
            help="As linearise takes them; of transfer-matrix ELEMENT.x,...: forces on a body's point along base axes, "
            "moments about them (ELEMENT.rx).",
        ),
        outputs: list[str] = typer.Option(
            [],
            "--outputs",
            help="As linearise takes them, default all states; of transfer-matrix ELEMENT.x,..., default the inputs'.",
        ),
        at: list[str] = typer.Option(["equilibrium"], "--at", help=AT_HELP),
        method: str = typer.Option(
            "equations", "--method", help="equations (of motion, linearised) or transfer-matrix (of elements)."
        ),
        beams: str = typer.Option(
            "", "--beams", help="Of transfer-matrix: exact (default), consistent, lumped (finite elements) or segments."
        ),
        parameter: list[str] = PARAMETERS,
        output: Path | None = typer.Option(None, "-o", "--output", help="File to write, .json or .txt."),
        reading: Reading = READING,
        as_json: AsJson = False,
        force: ForceFile = False,
    ) -> None:
        """Tell amplitude and phase of outputs per input over frequencies, about a state."""
        import numpy as np

        from mbsym.linear.response import frequency_response
        from mbsym.linear.response_table import response_text

        if not 0.0 < lowest <= highest < float("inf") or (lowest == highest and points > 1):
            raise AnalysisError(
                f"frequencies from {lowest:g} to {highest:g} Hz", where="--from", remedy="give two above zero, rising"
            )
        require_method(method, beams, None)
        require_writable(output, force)
        parameters = named_numbers(parameter, "--parameter")
        system = read_model(model, reading)
        with progress_bar() as progress:
            found = frequency_response(
                system,
                np.geomspace(lowest, highest, points),
                read_at(at),
                inputs=word_or_names(inputs),
                outputs=names_given(outputs),
                method=method,
                beams=beams or "exact",
                parameters=parameters,
                order=reading.order,
                progress=progress,
            )
        text = response_text(found)
        deliver("response", system.name, found.as_dict(), text, output=output, as_json=as_json, force=force)
