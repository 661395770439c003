"""mbsym simulate: integrate a motion, check it, write and draw it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mbsym.cli.arguments import PARAMETERS, AsJson, ForceFiles, model_help
from mbsym.cli.json_output import print_json
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import READING, Reading, read_model, tell_warning
from mbsym.cli.taken import names_in, taking_options
from mbsym.cli.terminal import print_text
from mbsym.errors import SimulationError

if TYPE_CHECKING:
    from mbsym.model.system import Model
    from mbsym.simulation.options import Stepping


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    @taking_options
    def simulate(
        model: str = typer.Argument(help=model_help()),
        duration: float = typer.Option(..., "--duration", help="Length of the motion [s]."),
        step: float | None = typer.Option(
            None, "--step", help="Step of rk4, symplectic and transfer-matrix [s]; else interval of the output."
        ),
        output_step: float | None = typer.Option(None, "--output-step", help="Interval of the output [s]."),
        method: str = typer.Option(
            "DOP853",
            "--method",
            help="RK45, DOP853, Radau, BDF, LSODA, rk4, symplectic or transfer-matrix.",
        ),
        initial: list[str] = typer.Option(
            [],
            "--initial",
            help="NAME=VALUE,...: coordinates and speeds to start from; or a named state of the model; repeatable.",
        ),
        parameter: list[str] = PARAMETERS,
        control: list[str] = typer.Option([], "--input", help="NAME=VALUE,...: constant control inputs; repeatable."),
        tau: list[str] = typer.Option(
            [], "--tau", help="SPEED=VALUE,...: constant generalised forces along speeds; repeatable."
        ),
        limits: str = typer.Option(
            "tell",
            "--limits",
            help="tell goes on beyond limits of the model and tells them; stop ends the motion there.",
        ),
        saturate: bool = typer.Option(
            False, "--saturate", help="Control inputs and given forces are held within their limits."
        ),
        correction: str | None = typer.Option(
            None,
            "--correction",
            help="Closed loops: none, baumgarte, velocity, projection, partitioning, reassignment.",
        ),
        gains: str | None = typer.Option(
            None,
            "--gains",
            help="ALPHA[,BETA]: gains of the correction baumgarte [1/s]; default 0.1 per step length.",
        ),
        scheme: str = typer.Option(
            "",
            "--scheme",
            help="Of transfer-matrix: generalised-alpha (default), newmark, wilson, houbolt or fox-euler.",
        ),
        scheme_parameter: list[str] = typer.Option(
            [],
            "--scheme-parameter",
            help="NAME=VALUE,...: spectral_radius, beta and gamma, or theta of the scheme; repeatable.",
        ),
        rotation: str = typer.Option(
            "", "--rotation", help="Variable of transfer-matrix in space: incremental (default) or cardan."
        ),
        rtol: float = typer.Option(1e-9, "--rtol", help="Relative error per step of methods that choose their steps."),
        atol: float | None = typer.Option(
            None, "--atol", help="Absolute error per step of these methods; default a hundredth of --rtol."
        ),
        language: str = typer.Option("auto", "--language", help="c, numpy, or auto for C where there is a compiler."),
        output: Path | None = typer.Option(None, "-o", "--output", help="Table to write, .csv, .npz or .parquet."),
        plot: Path | None = typer.Option(None, "--plot", help="Picture of the curves to write, .png or .svg."),
        quantity: list[str] = typer.Option(
            [], "--quantity", help="NAME,...: curves of the plot, * for anything; default all that are not zero."
        ),
        animation: Path | None = typer.Option(None, "--animation", help="Moving picture to write, .html or .gif."),
        reading: Reading = READING,
        as_json: AsJson = False,
        force: ForceFiles = False,
    ) -> None:
        """Integrate the motion of a model, check it, write it as a table, a plot or an animation."""
        from mbsym.simulation.integrate import simulate as run
        from mbsym.simulation.options import Accuracy, Keeping, Loads, Preparation
        from mbsym.simulation.output import TABLE_SUFFIXES, check_writable
        from mbsym.simulation.result import ANIMATION_SUFFIXES, PLOT_SUFFIXES, check_suffix
        from mbsym.visualisation.plots import require_matplotlib

        # What cannot be written in the end is refused before the work is done.
        wanted = ((output, TABLE_SUFFIXES), (plot, PLOT_SUFFIXES), (animation, ANIMATION_SUFFIXES))
        for path, suffixes in wanted:
            if path is not None:
                check_suffix(path, suffixes)
                check_writable(path, force)
        if output is not None and output.suffix == ".parquet":
            from mbsym.simulation.parquet import require_pyarrow

            require_pyarrow()
        if quantity and plot is None:
            raise SimulationError("curves are those of a plot", where="--quantity", remedy="add --plot FILE.png")
        if plot is not None:
            require_matplotlib()
        assigned = [text for text in initial if "=" in text]
        values = [
            named_numbers(texts, option)
            for texts, option in (
                (assigned, "--initial"), (parameter, "--parameter"), (control, "--input"), (tau, "--tau")
            )
        ]  # fmt: skip
        system = read_model(model, reading)
        for text in initial:
            if text not in assigned:
                values[0] = {**_state(system, text.strip()), **values[0]}
        stepping = _stepping(scheme, named_numbers(scheme_parameter, "--scheme-parameter"), rotation)
        with progress_bar() as progress:
            result = run(
                system,
                duration,
                method=method,
                step=step,
                output_step=output_step,
                initial=values[0],
                parameters=values[1],
                loads=Loads(inputs=values[2], tau=values[3], saturate=saturate),
                keeping=Keeping(correction, _gains(gains, correction)),
                stepping=stepping,
                accuracy=Accuracy(rtol, atol),
                preparation=Preparation(language, reading.order),
                limits=limits,
                tell=tell_warning,
                progress=progress,
            )
        written = []
        if output is not None:
            written.append(result.save(output, force=force))
        if plot is not None:
            written.append(result.save_plot(plot, names_in(quantity), force=force))
        if animation is not None:
            written.append(result.animate(animation, force=force, tell=tell_warning))
        if as_json:
            print_json("simulate", system.name, result.as_dict(), written)
            return
        print_text(result.summary())
        for path in written:
            typer.echo(f"wrote {path}")


def _gains(text: str | None, correction: str | None) -> tuple[float, ...]:
    """The value of --gains."""
    if text is None:
        return ()
    if correction != "baumgarte":
        raise SimulationError(
            "gains are those of the correction baumgarte", where="--gains", remedy="add --correction baumgarte"
        )
    parts = text.split(",")
    if len(parts) > 2:
        raise SimulationError(f"{len(parts)} gains are given", where="--gains", remedy="give ALPHA or ALPHA,BETA")
    try:
        found = tuple(float(part) for part in parts)
    except ValueError:
        found = ()
    if not found or not all(0.0 <= gain < float("inf") for gain in found):
        raise SimulationError(f"{text!r} are no gains", where="--gains", remedy="give numbers that are not negative")
    return found


def _stepping(scheme: str, parameters: dict[str, float], rotation: str) -> Stepping:
    """The values of --scheme, --scheme-parameter and --rotation."""
    from mbsym.simulation.options import Stepping
    from mbsym.transfer_matrix.stepper import SCHEMES, Scheme

    if rotation not in ("", "incremental", "cardan"):
        raise SimulationError(
            f"no rotation variable is called {rotation!r}", where="--rotation", remedy="use incremental or cardan"
        )
    try:
        chosen = Scheme(scheme or "generalised-alpha", parameters) if scheme or parameters else None
    except SimulationError as error:
        option = "--scheme-parameter" if not scheme or scheme in SCHEMES else "--scheme"
        raise SimulationError(error.what, where=option, remedy=error.remedy) from None
    return Stepping(chosen, None if not rotation else "cardan" if rotation == "cardan" else "incremental")


def _state(model: Model, name: str) -> dict[str, float]:
    from mbsym.model.state_values import state_values

    known = [state.name for state in model.states]
    if name not in known:
        raise SimulationError(
            f"{name!r} gives no number a name, and no state of the model has that name",
            where="--initial",
            remedy=" or one of ".join(["write NAME=NUMBER", *([", ".join(known)] if known else [])]),
        )
    return state_values(model, name)


def named_numbers(texts: list[str], option: str) -> dict[str, float]:
    """Numbers by name from texts such as "a=1,b=-2e-3".

    Raises:
        SimulationError: a part is no assignment of a number, or a name comes twice.
    """
    found: dict[str, float] = {}
    for part in ",".join(texts).split(",") if texts else ():
        name, sign, number = (text.strip() for text in part.partition("="))
        try:
            value = float(number.replace("_", " "))
        except ValueError:
            sign = ""
        if not sign or not name:
            raise SimulationError(
                f"{part.strip()!r} gives no number a name",
                where=option,
                remedy="write NAME=NUMBER, in SI units and rad",
            )
        if name in found:
            raise SimulationError(f"{name} is given twice", where=option, remedy="give one number")
        found[name] = value
    return found
