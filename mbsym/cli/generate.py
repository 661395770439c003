"""mbsym generate: C and NumPy code for a model."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from mbsym.cli.arguments import (
    COORDINATES_HELP,
    CUT_HELP,
    KEEP_HELP,
    STYLE_HELP,
    THREADS_HELP,
    TRIGONOMETRY_HELP,
    WRENCH_AXES_HELP,
    WRENCH_INPUT_HELP,
    Actuators,
    AsJson,
    Floating,
    ForceFiles,
    JointDynamics,
    Loops,
    Order,
    formulation_help,
    language_help,
    model_help,
    simplify_help,
)
from mbsym.cli.json_output import print_json
from mbsym.cli.model_source import names_in, read_model, symbols_in
from mbsym.cli.progress import progress_bar
from mbsym.cli.terminal import print_text
from mbsym.conventions import LARGEST_CODE
from mbsym.errors import CodegenError
from mbsym.formats.angles import SAME_ANGLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbsym.model.frame import FrameAxes
    from mbsym.model.system import Model
    from mbsym.pipeline import Generation
    from mbsym.symbolic.program import OperationCount


def register(app: typer.Typer) -> None:
    """Adds the verb."""

    @app.command()
    def generate(
        model: str = typer.Argument(help=model_help()),
        output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the files."),
        language: list[str] = typer.Option([], "--language", help=language_help()),
        function: list[str] = typer.Option([], "--function", help="Only this function; repeatable."),
        formulation: str = typer.Option("auto", "--formulation", help=formulation_help()),
        real: str = typer.Option("double", "--real", help="double or float."),
        symbolic_parameters: str = typer.Option(
            "",
            "--symbolic-parameters",
            help="all, none, or NAME,...: run-time arguments instead of numbers; BODY.inertial: mass, first moment and "
            "inertia of a body.",
        ),
        coordinates: str = typer.Option("", "--coordinates", help=COORDINATES_HELP),
        wrench_input: list[str] = typer.Option([], "--wrench-input", help=WRENCH_INPUT_HELP),
        wrench_axes: str = typer.Option("local", "--wrench-axes", help=WRENCH_AXES_HELP),
        order: Order = "weight",
        cut: list[str] = typer.Option([], "--cut", help=CUT_HELP),
        keep: list[str] = typer.Option([], "--keep", help=KEEP_HELP),
        prefix: str = typer.Option("", "--prefix", help="Of C symbols, and name of the files: not the model's name."),
        strict: bool = typer.Option(False, "--strict", help="Warnings about the model are errors."),
        snap_angles: float = typer.Option(
            SAME_ANGLE, "--snap-angles", help="Angles this close [rad] to a multiple of 90 degrees become exact."
        ),
        floating: Floating = False,
        loops: Loops = None,
        joint_dynamics: JointDynamics = "ignore",
        actuators: Actuators = "ignore",
        frame: list[str] = typer.Option(
            [],
            "--frame",
            help="NAME,...: functions of these frames, bodies or joints; all: of all frames; repeatable.",
        ),
        frame_axes: str = typer.Option(
            "", "--frame-axes", help="Axes of frames: local, aligned (base axes at the frame) or base (spatial)."
        ),
        largest: float = typer.Option(
            LARGEST_CODE, "--largest", min=0, help="Estimated size of the code [MB] up to which it is made."
        ),
        derivative_of: list[str] = typer.Option(
            [], "--derivative-of", help="Derivatives of this function, by what --with-respect-to names; repeatable."
        ),
        with_respect_to: list[str] = typer.Option(
            [],
            "--with-respect-to",
            metavar="<str>",
            help="NAME,...: arguments (q along the speeds) and run-time parameters.",
        ),
        compressed: bool = typer.Option(
            False,
            "--compressed",
            help="Functions on request and derivatives return of matrices only what is not zero by structure.",
        ),
        trigonometry: str = typer.Option("libm", "--trigonometry", help=TRIGONOMETRY_HELP),
        batch: list[str] = typer.Option(
            [], "--batch", help="NAME,...: these functions for many states at once too; all: all of them; repeatable."
        ),
        simplify: str = typer.Option("all", "--simplify", help=simplify_help()),
        prepare: bool = typer.Option(
            False,
            "--prepare",
            help="One function computes what depends on parameters alone; the others take that.",
        ),
        style: str = typer.Option("auto", "--style", help=STYLE_HELP),
        threads: int = typer.Option(0, "--threads", show_default=False, help=THREADS_HELP),
        savings: bool = typer.Option(
            False, "--savings", help="Tell what each of these saves; takes four times as long."
        ),
        self_test: bool = typer.Option(
            False, "--self-test", help="NAME_selftest.c too: runs the C on its target and compares with frozen results."
        ),
        safety_report: bool = typer.Option(
            False, "--safety-report", help="NAME.safety.json and .md too: MISRA C by rule, stack, complexity, calls."
        ),
        as_json: AsJson = False,
        force: ForceFiles = False,
    ) -> None:
        """Generate code for a model."""
        from mbsym.codegen.languages import LANGUAGES
        from mbsym.pipeline import generate as generate_code

        if real not in ("double", "float"):
            raise CodegenError(f"no type is called {real!r}", where="--real", remedy="use double or float")
        for name in language:
            LANGUAGES.named(name, where="--language")
        axes = chosen_axes(frame_axes)
        if len(derivative_of) != len(with_respect_to):
            raise CodegenError(
                f"{len(derivative_of)} functions and {len(with_respect_to)} lists of names",
                where="--derivative-of",
                remedy="give --with-respect-to NAME,... once for each --derivative-of FUNCTION",
            )
        chosen = symbolic_parameters and symbols_in(symbolic_parameters)
        reading = partial(
            read_model,
            model,
            strict=strict,
            floating=floating,
            loops=loops,
            joint_dynamics=joint_dynamics,
            actuators=actuators,
            coordinates=coordinates,
            wrench_inputs=wrench_input,
            wrench_axes=wrench_axes,
            order=order,
            cut=cut,
            keep=keep,
        )
        with progress_bar() as progress:
            system = reading(snap_angles=snap_angles)
            done = generate_code(
                system,
                output,
                languages=language,
                functions=function,
                formulation=formulation,
                real="double" if real == "double" else "float",
                symbolic_parameters=chosen,
                order=order,
                frames=names_in(frame),
                frame_axes=axes,
                derivatives=[(of, names_in([by])) for of, by in zip(derivative_of, with_respect_to, strict=True)],
                compressed=compressed,
                trigonometry=trigonometry,
                batch=names_in(batch),
                prepare=prepare,
                style=style,
                threads=threads,
                simplify=simplify if simplify in ("all", "none") else names_in([simplify]),
                self_test=self_test,
                safety_report=safety_report,
                prefix=prefix,
                largest=largest,
                force=force,
                progress=progress,
            )
        if snap_angles < SUGGESTED_SNAP and any("--snap-angles" in warning for warning in system.warnings):
            print(_saving(done, reading(snap_angles=SUGGESTED_SNAP, tell=False)), file=sys.stderr)
        for name, size in done.derivation.left_out.items():
            print(f"note: {name} is left out, about {size:.2g} MB; --function {name} asks for it", file=sys.stderr)
        for note in _notes(done, style, threads):
            print(f"note: {note}", file=sys.stderr)
        saved = None
        if savings:
            from mbsym.report.savings import savings as savings_of

            saved = savings_of(system, done.options)
        if as_json:
            document = _document(done) | ({"savings": saved.as_dict()} if saved is not None else {})
            print_json("generate", system.name, document, done.paths)
            return
        if saved is not None:
            print_text(f"{saved}\n\n")
        print_text(_operations_table(done))
        for path in done.paths:
            typer.echo(f"wrote {path}")


def _notes(done: Generation, style: str, threads: int) -> Iterator[str]:
    """What became of the threads and the style that were asked for, where it is less than that."""
    for program in done.derivation.programs:
        if 0 < program.threads < threads:
            yield f"the tree falls into {program.threads} parts, for {program.threads} threads"
    straight = [program.name for program in done.derivation.programs if not program.body]
    if style == "shared" and straight:
        yield f"without shared steps, written out: {', '.join(straight)}"


def _document(done: Generation) -> dict[str, object]:
    """What was generated, for programs."""
    before = _unprepared(done)
    functions = []
    for name, count in done.derivation.operation_counts.items():
        known = {"operations_unprepared": before[name].as_dict()} if name in before else {}
        functions.append({"name": name, "operations": count.as_dict(), **known})
    return {
        "formulation": done.derivation.formulation,
        "real": done.options.real,
        "functions": functions,
        "left_out": dict(done.derivation.left_out),
    }


def _unprepared(done: Generation) -> dict[str, OperationCount]:
    """Operations of each function where nothing is prepared; none where nothing is asked to be."""
    if not done.options.prepare:
        return {}
    return {report.program: report.steps[-1].after for report in done.derivation.reports if report.steps}


def _operations_table(done: Generation) -> str:
    """Operations of each function; of prepared ones besides what they take where nothing is prepared."""
    before = _unprepared(done)
    lines = [f"{'function':24} {'+ - * /':>8} {'sin, cos':>9}" + f" {'not prepared':>13}" * bool(before)]
    for name, count in done.derivation.operation_counts.items():
        known = f" {before[name].arithmetic:13}" if name in before else ""
        lines.append(f"{name:24} {count.arithmetic:8} {count.sincos:9}{known}")
    return "\n".join(lines)


def chosen_axes(text: str) -> FrameAxes | Literal[""]:
    """The value of --frame-axes.

    Raises:
        CodegenError: there are no such axes.
    """
    known: dict[str, FrameAxes | Literal[""]] = {"": "", "local": "local", "aligned": "aligned", "base": "base"}
    if text not in known:
        raise CodegenError(f"there are no axes {text!r}", where="--frame-axes", remedy="use local, aligned or base")
    return known[text]


SUGGESTED_SNAP = 1e-4
"""Angles written with four decimals or more come within this of a multiple of 90 degrees [rad]."""


def _saving(done: Generation, exact: Model) -> str:
    """How many operations the functions would need less if rounded right angles were exact."""
    from mbsym.pipeline import derive, express

    before, after = (
        sum(count.arithmetic for count in derivation.operation_counts.values())
        for derivation in (done.derivation, derive(express(exact, done.options), done.options))
    )
    return f"note: --snap-angles {SUGGESTED_SNAP:g} would save {before - after} of {before} operations"
