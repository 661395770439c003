"""Guaranteed bounds of rounding errors and ranges of a generated C text over a box of states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, Unpack

import numpy as np

from mbsym.codegen.description import GeneratedFile
from mbsym.codegen.load import LoadedModule, load_c
from mbsym.codegen.manifest import BOUNDS_SUFFIXES, json_text
from mbsym.codegen.manifest_reader import file_hash, read_manifest, require_unchanged
from mbsym.codegen.write import write_files
from mbsym.doors import Array
from mbsym.errors import CodegenError, TextError
from mbsym.option import made, takes
from mbsym.rounding.analysis import Rounding
from mbsym.rounding.box import PARAMETERS, Box, entries_of, read_box
from mbsym.rounding.options import NOT_ASKED, Certify, CertifyOptions
from mbsym.rounding.precision import PRECISIONS
from mbsym.rounding.recording import record
from mbsym.rounding.results import Bounds, FunctionBounds, NamedDanger, OutputBound
from mbsym.rounding.samples import EXTENDED, computed, evaluated
from mbsym.rounding.subdivision import Partition, random_states, subdivide
from mbsym.rounding.tape import Tape
from mbsym.texts.c_reader import read_c
from mbsym.texts.representation import Text

Progress: TypeAlias = "Callable[[str, int, int], None]"

DIGITS: Final = 4
"""Of bounds as they are told; they are rounded up."""

ROW: Final = 4000
"""Columns of a line of data."""


@takes(CertifyOptions, Certify)
def certify(
    target: str | Path,
    box: str | Path | None = None,
    *,
    progress: Progress | None = None,
    force: bool = False,
    **options: Unpack[Certify],
) -> Bounds:
    """Bounds the rounding errors of a generated C text, and excludes overflow, division by zero and NaN, over a box.

    The text is read back and bounded operation by operation; beside the bounds, compiled code is run at sampled states.
    NAME.bounds.json and NAME.bounds.md are written into the directory.

    Args:
        target: a directory of generated files, or the manifest of one module.
        box: a file of intervals; the limits of the model where it says nothing.
        progress: told of each step.
        force: overwrite files that mbsym did not write.
        **options: see below.

    Raises:
        MbsymError: files are missing or were changed, the box cannot be meant, or a function that is asked for has no
            bounds.
        ToolchainError: there is no C compiler.
    """
    asked = made(CertifyOptions, options)
    place = Path(target)
    manifest = read_manifest(place)
    directory = place if place.is_dir() else place.parent
    name = manifest["name"]
    known = read_box(box, entries_of(manifest))
    text, lines = read_text_of(directory, manifest)
    module = load_c(directory, name)
    wanted = _wanted(manifest, asked.function)
    functions: list[FunctionBounds] = []
    others = [entry["name"] for entry in manifest["functions"] if entry not in wanted]
    refused = dict.fromkeys(others, NOT_ASKED)
    for number, entry in enumerate(wanted):
        if progress is not None:
            progress("bound", number, len(wanted))
        try:
            functions.append(_bounded(entry, text, lines, known, manifest, module, asked))
        except TextError as error:
            if asked.function:
                where = error.where.replace("line ", f"{directory / name}.c:")
                raise TextError(error.what, where=where or entry["name"], remedy=error.remedy) from None
            refused[entry["name"]] = f"{error.where}: {error.what}".removeprefix(": ")
    found = Bounds(
        name=name,
        model_sha256=manifest["model_sha256"],
        files={file: file_hash(directory / file) for file in (f"{name}.c", f"{name}.h")},
        real=manifest["real"],
        sine_units=asked.sine_units,
        contraction=asked.contraction,
        samples=asked.samples,
        seed=asked.seed,
        compiler=f"{module.compiler}, {' '.join(module.command)}",
        functions=tuple(functions),
        refused=refused,
    )
    contents = (f"{json_text(found.as_dict(), width=ROW)}\n", found.markdown())
    files = [GeneratedFile(f"{name}{end}", content) for end, content in zip(BOUNDS_SUFFIXES, contents, strict=True)]
    write_files(directory, files, force=force)
    return found


def _wanted(manifest: Mapping[str, Any], names: Sequence[str]) -> list[Mapping[str, Any]]:
    entries = {entry["name"]: entry for entry in manifest["functions"]}
    for name in names:
        if name not in entries:
            raise CodegenError(
                f"there is no function {name!r}", where=manifest["name"], remedy=f"known are {', '.join(entries)}"
            )
    return [entries[name] for name in names or entries]


def read_text_of(directory: Path, manifest: Mapping[str, Any]) -> tuple[Text, list[str]]:
    """The C text of a module as it is read back, and its lines.

    Raises:
        CodegenError: it is missing, or not as it was generated.
        TextError: it cannot be read back.
    """
    name = manifest["name"]
    require_unchanged(directory, manifest, [f"{name}.c", f"{name}.h"])
    source = (directory / f"{name}.c").read_text(encoding="utf-8")
    header = (directory / f"{name}.h").read_text(encoding="utf-8")
    return read_c(source, {f"{name}.h": header}), source.splitlines()


def tape_of(entry: Mapping[str, Any], text: Text, manifest: Mapping[str, Any]) -> Tape:
    """The operations of a function, whose inputs and outputs are called as the manifest calls them.

    Raises:
        TextError: it is no one list of operations.
    """
    single = manifest["real"] == "float"
    symbol = entry["c_symbol"] if entry["c_symbol"] in text.functions else f"{entry['c_symbol']}_{manifest['real']}"
    if symbol not in text.functions:
        raise TextError(f"the text does not have {entry['c_symbol']}", remedy="generate it again")
    tape = record(text, symbol, single=single)
    own = [item for item in text.functions[symbol].arguments if item.kind.base not in text.records]
    called = {item.name: known["name"] for item, known in zip(own, entry["arguments"], strict=True)}
    fields = {field: name for name, field in manifest["names"].get("parameters", {}).items()}

    def name(found: str) -> str:
        base, bracket, place = found.partition("[")
        if base.startswith(f"{PARAMETERS}."):
            field = base.removeprefix(f"{PARAMETERS}.")
            return f"{PARAMETERS}.{fields.get(field, field)}"
        return f"{called.get(base, base)}{bracket}{place}"

    return Tape(
        tape.steps,
        tuple(name(each) for each in tape.inputs),
        {name(each): place for each, place in tape.outputs.items()},
    )


def _bounded(
    entry: Mapping[str, Any],
    text: Text,
    lines: Sequence[str],
    box: Box,
    manifest: Mapping[str, Any],
    module: LoadedModule,
    asked: CertifyOptions,
) -> FunctionBounds:
    tape = tape_of(entry, text, manifest)
    if not tape.outputs:
        raise TextError("it returns nothing")
    used = tape.used()
    missing = box.missing([name for name, matters in zip(tape.inputs, used, strict=True) if matters])
    if missing:
        raise TextError(missing, where=box.where)
    # What no result depends on may be anything.
    intervals = [
        box.intervals[name] if matters else (0.0, 0.0) for name, matters in zip(tape.inputs, used, strict=True)
    ]
    low, high = _ends(intervals, manifest["real"])
    rounding = Rounding(PRECISIONS[manifest["real"]], asked.sine_units, asked.contraction == "allowed")
    turn = tape.one_turn(low.tolist(), high.tolist())
    found = subdivide(tape, np.array(turn[0]), np.array(turn[1]), rounding, asked.effort, asked.seed)
    states = random_states(np.random.default_rng(asked.seed), low, high, asked.samples)
    sampled = _sampled(tape, module, entry["name"], states)
    return _told(entry, tape, (low, high), found, sampled, lines)


def _ends(intervals: Iterable[tuple[float, float]], real: str) -> tuple[Array, Array]:
    """Ends of the inputs, moved outward to numbers of the type: what is given to the code is rounded to it."""
    low, high = np.array([*intervals], dtype=float).T.copy()
    if real == "float":
        low, high = np.minimum(low, np.float32(low)), np.maximum(high, np.float32(high))
    return low, high


def _sampled(tape: Tape, module: LoadedModule, name: str, states: Array) -> tuple[Array, Array] | None:
    """Worst error of each output, and the state where it is; None where nothing wider than double is there."""
    double = module.manifest["real"] == "double"
    if double and not EXTENDED:
        return None
    given = states if double else states.astype(np.float32).astype(float)
    with np.errstate(all="ignore"):
        exact = evaluated(tape, given)
        errors = np.abs(computed(module.functions[name], tape.inputs, given) - exact).astype(float)
    # Where neither is a number nothing is compared; dangers tell of such states.
    errors = np.where(np.isfinite(errors), errors, 0.0)
    worst = errors.argmax(axis=1)
    return errors[np.arange(len(errors)), worst], given[:, worst]


def _told(
    entry: Mapping[str, Any],
    tape: Tape,
    box: tuple[Array, Array],
    found: Partition,
    sampled: tuple[Array, Array] | None,
    lines: Sequence[str],
) -> FunctionBounds:
    parts = found.parts()
    bounds = [tuple(rounded_up(float(bound)) for bound in found.bounds[node]) for node in parts]
    most = [max(bound[k] for bound in bounds) for k in range(len(tape.places))]
    looked = [found.looked[node] for node in parts]
    low = np.min([each.low[:, k] for each, k in looked], axis=0)
    high = np.max([each.high[:, k] for each, k in looked], axis=0)
    outputs = []
    for number, (name, place) in enumerate(tape.outputs.items()):
        part = tape.places.index(place)
        worst = None if sampled is None else float(sampled[0][number])
        state = () if sampled is None else tuple(map(float, sampled[1][:, number]))
        outputs.append(OutputBound(name, part, most[part], float(low[part]), float(high[part]), worst, state))
    divisors = [
        (tape.steps[place].line, float(min(each.divisors[place][k] for each, k in looked)))
        for place in (looked[0][0].divisors if looked else ())
    ]
    return FunctionBounds(
        name=entry["name"],
        symbol=entry["c_symbol"],
        inputs=tape.inputs,
        low=tuple(map(float, box[0])),
        high=tuple(map(float, box[1])),
        outputs=tuple(outputs),
        splits=tuple(found.order()),
        parts=tuple(bounds),
        dangers=tuple(_dangers(tape, found, parts, lines)),
        largest=float(max(each.largest[k] for each, k in looked)),
        divisors=tuple(divisors),
    )


def _dangers(tape: Tape, found: Partition, parts: Sequence[int], lines: Sequence[str]) -> Iterable[NamedDanger]:
    """What is feared in any part, by the text's lines; what follows from a division by zero is not told again."""
    nodes: dict[tuple[int, str], list[int]] = {}
    for node in parts:
        looked, k = found.looked[node]
        feared = [key for key, where in looked.dangers.items() if where[k]]
        first = [key for key in feared if key[0] != "overflow"] or feared
        for what, place in first:
            nodes.setdefault((tape.steps[place].line, what), []).append(node)
    for (line, what), own in sorted(nodes.items()):
        yield NamedDanger(
            what=what,
            line=line,
            text=lines[line - 1].strip() if 0 < line <= len(lines) else "",
            low=tuple(map(float, np.min([found.low[node] for node in own], axis=0))),
            high=tuple(map(float, np.max([found.high[node] for node in own], axis=0))),
            parts=len(set(own)),
        )


def rounded_up(bound: float) -> float:
    """The least number of ``DIGITS`` digits that is not below."""
    if not math.isfinite(bound) or bound == 0:
        return bound
    told = float(f"{bound:.{DIGITS - 1}e}")
    return told if told >= bound else float(f"{bound * (1 + 10.0 ** (1 - DIGITS)):.{DIGITS - 1}e}")
