"""Faults planted in the text of generated C, one at a time: a constant that is a little off, a turned sign.

All of them stand in one text, each behind a number that a program sets: what is compiled once shows every fault.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbsym.codegen.build import compile_c
from mbsym.codegen.load import _CFunction, arguments_of_entry
from mbsym.codegen.manifest_reader import read_manifest
from mechanisms.generated_c import run

_BODY: Final = re.compile(r"^\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_STATEMENT: Final = re.compile(r"(\bint \w+)? [-+*/]?= ([^;{]*);")
_CONSTANT: Final = re.compile(r"(?<![\w.])\d+\.\d*(?:e[-+]?\d+)?f?")
_SIGN: Final = re.compile(r"(?<=[\w)\]] )[+-](?= [\w(])")

_MAIN: Final = """
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int planted_fault;
int NAME_selftest(void);
int main(void)
{
    for (int fault = 0; fault <= COUNT; fault += EVERY) {
        const pid_t child = fork();
        int status = 1;
        if (child == 0) {
            alarm(SECONDS);
            planted_fault = fault;
            _exit(NAME_selftest() != 0);
        }
        waitpid(child, &status, 0);
        putchar(status == 0 ? '0' : '1');
    }
    return 0;
}
"""

SECONDS: Final = 5
"""After which a fault that does not end counts as seen."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with all faults.

    Attributes:
        kinds: of the faults, "constant" or "sign"; they are counted from 1.
        places: what stands there.
        text: in which ``planted_fault`` says which of them is there, 0 for none.
    """

    kinds: tuple[str, ...]
    places: tuple[str, ...]
    text: str


def planted(text: str, off: float) -> Planted:
    """All faults of a text; 0 and 1 are no constants of a model."""
    found: list[tuple[int, int, str, str, str]] = []
    for body in _BODY.finditer(text):
        for statement in _STATEMENT.finditer(text, body.start(1), body.end(1)):
            start, written = statement.start(2), statement[2]
            for each in _CONSTANT.finditer(written):
                value = float(each[0].rstrip("f"))
                if value not in (0.0, 1.0):
                    new = f"{value * (1 + off):.17g}"
                    new += ("" if "." in new or "e" in new else ".0") + "f" * each[0].endswith("f")
                    chosen = f"(planted_fault == FAULT ? {new} : {each[0]})"
                    found.append((start + each.start(), start + each.end(), chosen, "constant", written))
            for each in _SIGN.finditer(written):
                before = written[: each.start()]
                if statement[1] or before.count("[") > before.count("]"):
                    continue  # whole numbers, which say where something stands
                # A factor before what follows turns its sign, and changes no rounding.
                chosen = f"{each[0]} (planted_fault == FAULT ? -1 : 1) *"
                found.append((start + each.start(), start + each.end(), chosen, "sign", written))
    found.sort()
    pieces, behind = ["extern int planted_fault;\n"], 0
    for number, (start, end, new, _, _) in enumerate(found, start=1):
        pieces += [text[behind:start], new.replace("FAULT", str(number))]
        behind = end
    kinds, places = tuple(each[3] for each in found), tuple(each[4] for each in found)
    return Planted(kinds, places, "".join((*pieces, text[behind:])))


def seen(code: Path, test: Path, faults: Planted, every: int = 1) -> dict[int, bool]:
    """Whether the self-test of a module fails with each fault, or with every so many-th of them, by its number."""
    changed, main = code.with_name(f"planted_{code.name}"), code.with_name(f"main_{code.name}")
    changed.write_text(faults.text, encoding="utf-8")
    count = len(faults.kinds)
    written = {"NAME": code.stem, "COUNT": str(count), "EVERY": str(every), "SECONDS": str(SECONDS)}
    text = reduce(lambda text, pair: text.replace(*pair), written.items(), _MAIN)
    main.write_text(text, encoding="utf-8")
    program, define = code.with_suffix(".planted"), f"-D{code.stem}_SELFTEST_NO_MAIN"
    sources = map(str, (changed, test, main))
    made = run("gcc", "-std=c99", "-O0", "-w", define, *sources, "-lm", "-o", str(program))
    assert made.returncode == 0, made.stderr[:1000]
    told = run(str(program)).stdout
    taken = range(0, count + 1, every)
    assert len(told) == len(taken) and told[0] == "0", told[:100]
    return {fault: each == "1" for fault, each in zip(taken, told, strict=True) if fault}


class Switched:
    """A module whose faults are switched on and off, with its numbers in the next wider type.

    Attributes:
        calls: by function, what takes its arguments at many states and gives results and statuses; functions that take
            numbers by value are not among them.
        inputs, outputs: names of these, by function.
    """

    def __init__(self, directory: Path, code: Path, faults: Planted) -> None:
        manifest = read_manifest(code.with_suffix(".json"))
        directory.mkdir()
        real = manifest["real"]
        wider, kind = {"float": ("double", np.float64), "double": ("long double", np.longdouble)}[real]
        header = code.with_suffix(".h").read_text(encoding="utf-8")
        header = header.replace(f"typedef {real} {code.stem}_real;", f"typedef {wider} {code.stem}_real;")
        assert f"typedef {wider}" in header
        (directory / f"{code.stem}.h").write_text(header, encoding="utf-8")
        text = faults.text.replace("extern int", "int", 1).replace("#include <math.h>", "#include <tgmath.h>")
        (directory / code.name).write_text(text, encoding="utf-8")
        library = compile_c(directory, code.stem, ("-std=c99", "-O0", "-w", "-fPIC", "-shared"))
        self.calls: dict[str, Callable[[Sequence[Any]], tuple[Any, Any]]] = {}
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.outputs: dict[str, tuple[str, ...]] = {}
        defaults = manifest["run_time_parameters"]
        for entry in manifest["functions"]:
            inputs, outputs = arguments_of_entry(entry)
            if all(item.shape for item in inputs):
                symbol = getattr(library.handle, entry["c_symbol"])
                symbol.restype = ctypes.c_int if "status" in entry else None
                taken = defaults if entry.get("takes_parameters", True) else {}
                call = _CFunction(library, symbol, entry["name"], inputs, outputs, np.dtype(kind), taken)
                self.calls[entry["name"]] = partial(call.evaluate, values={})
                self.inputs[entry["name"]] = tuple(item.name for item in inputs)
                self.outputs[entry["name"]] = tuple(item.name for item in outputs)
        self._fault = ctypes.c_int.in_dll(library.handle, "planted_fault")

    def switch(self, fault: int) -> None:
        """Has one of the faults, counted from 1, or none."""
        self._fault.value = fault
