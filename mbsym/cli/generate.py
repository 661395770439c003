"""mbsym generate: C and NumPy code for a model."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mbsym.cli.delivery import TELLING, Delivery
from mbsym.cli.progress import progress_bar
from mbsym.cli.reading import MODEL, READING, Reading, read_model
from mbsym.cli.taken import taken, verb
from mbsym.option import FILES, SPEED
from mbsym.options.generation import GenerationOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbsym.model.system import Model
    from mbsym.pipeline import Generation
    from mbsym.symbolic.program import OperationCount


@verb(
    "mbsym generate puma560 -o build",
    "mbsym generate panda.urdf --function inverse_dynamics,mass_matrix --frame panda_hand",
    "mbsym generate four_bar --real float --self-test -o firmware",
)
def generate(
    model: str = MODEL,
    output: Path = typer.Option(Path("."), "-o", "--output", help="Directory for the files.", rich_help_panel=FILES),
    options: GenerationOptions = taken(GenerationOptions),
    savings: bool = typer.Option(
        False,
        "--savings",
        help="Tell what each simplification saves; takes four times as long.",
        rich_help_panel=SPEED,
    ),
    check: bool = typer.Option(
        False,
        "--check",
        help="Write nothing, fail where files are not current.",
        rich_help_panel=FILES,
    ),
    reading: Reading = READING,
    delivery: Delivery = TELLING,
) -> None:
    """Generate code for a model."""
    from mbsym.pipeline import generate_as

    with progress_bar() as progress:
        system = read_model(model, reading)
        done = generate_as(system, output, options, force=delivery.force, check=check, progress=progress)
    snapped = replace(reading, load=replace(reading.load, snap_angles=SUGGESTED_SNAP))
    if reading.load.snap_angles < SUGGESTED_SNAP and any("`snap_angles" in warning for warning in system.warnings):
        print(_saving(done, read_model(model, snapped, tell=False)), file=sys.stderr)
    for name, size in done.derivation.left_out.items():
        print(f"note: {name} is left out, about {size:.2g} MB; --function {name} asks for it", file=sys.stderr)
    for note in _notes(done, options):
        print(f"note: {note}", file=sys.stderr)
    saved = None
    if savings:
        from mbsym.report.savings import savings as savings_of

        saved = savings_of(system, done.options)
    document = _document(done) | ({"savings": saved.as_dict()} if saved is not None else {})
    text = (f"{saved}\n\n" if saved is not None else "") + _operations_table(done)
    if check:
        text += "".join(f"\n{path} is current" for path in done.paths)
    delivery.tell("generate", system.name, document, () if check else done.paths, text)


def _notes(done: Generation, options: GenerationOptions) -> Iterator[str]:
    """What became of the threads and the style that were asked for, where it is less than that."""
    for program in done.derivation.programs:
        if 0 < program.threads < options.threads:
            yield f"the tree falls into {program.threads} parts, for {program.threads} threads"
    straight = [program.name for program in done.derivation.programs if not program.body]
    if options.style == "shared" and straight:
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
