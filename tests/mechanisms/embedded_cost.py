"""What a call of generated C costs on an emulated Cortex-M: instructions, stack, size, error in single precision."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import mbsym
from mbsym.codegen.description import Real
from mbsym.codegen.manifest_reader import read_manifest
from mbsym.embedded.frozen import freeze
from mbsym.pipeline import GenerationOptions, describe
from mbsym.registry import contracts_of
from mechanisms.call_graph import call_graph
from mechanisms.cortex_m import Core
from mechanisms.generated_c import run

FLAGS: Final = ("-O3", "-fno-math-errno", "-ffp-contract=fast", "-fno-schedule-insns")
"""Of the compiler. Nothing that generated code does sets errno, and roots are one instruction without it. Both cores
have fused products and sums, which -std=c99 alone does not allow. Scheduling before registers are given makes long
straight code keep most of its numbers in memory."""

DRIVER: Final = """
#include "@.h"
#include <stdint.h>
#include <stdio.h>

typedef @_real R;
enum { CALLS = 16, WINDOW = 0x8000 };
static volatile uint32_t *const timer = (volatile uint32_t *)0xE000E010u;
$TABLES
static void nothing(int s) { (void)s; }
static void call(int s) { $CALL }

static unsigned instructions(void (*called)(int), int s)
{
    timer[1] = 0xFFFFFFu;
    timer[2] = 0u;
    timer[0] = 5u;
    const uint32_t before = timer[2];
    for (int k = 0; k < CALLS; ++k) {
        called(s);
    }
    return (unsigned)((before - timer[2]) & 0xFFFFFFu) * 40u / (unsigned)CALLS;
}

/* Paints 128 kB of stack below here and looks how far down the paint is gone. */
static __attribute__((noinline)) unsigned stack(void (*called)(int))
{
    uint32_t *here;
    uint32_t *place;
    __asm volatile("mov %0, sp" : "=r"(here));
    for (place = here - WINDOW; place < here; ++place) {
        *(volatile uint32_t *)place = 0xA5A5A5A5u;
    }
    called(0);
    for (place = here - WINDOW; *(volatile uint32_t *)place == 0xA5A5A5A5u; ++place) {
    }
    return (unsigned)((char *)here - (char *)place);
}

int main(void)
{
    printf("%u\\n", stack(call) - stack(nothing));
    for (int s = 0; s < STATES; ++s) {
        double worst = 0.0;
        call(s);
        for (int k = 0; k < SIZE; ++k) {
            const double difference = (double)result[k] - expected_results[s][k];
            worst = difference > worst ? difference : -difference > worst ? -difference : worst;
        }
        printf("%u %lu\\n", instructions(call, s) - instructions(nothing, s), (unsigned long)(worst / LARGEST * 1e12));
    }
    return 0;
}
"""

FARTHEST = 10.0
"""Coordinates of the states at which a function is called [rad, m]: libraries take ten times as long for the sines of
hundreds of radians."""


@dataclass(frozen=True)
class Cost:
    """Of one function on one core; sizes are those of a module that has only this function and what it needs.

    Instructions and errors, relative to the largest entry at all states, are those of one state each.
    """

    instructions: tuple[int, ...]
    errors: tuple[float, ...]
    stack: int
    bound: int | None
    text: int
    data: int
    bss: int


def cost(model: str, function: str, core: Core, place: Path, real: Real = "float", **options: Any) -> Cost:
    """Generates, builds, runs under qemu, where each instruction takes one nanosecond, and reads what it printed."""
    place.mkdir(parents=True, exist_ok=True)
    done = mbsym.generate(model, place, languages=("c",), functions=(function,), real=real, **options)
    description = describe(done.derivation, GenerationOptions(real=real))
    mechanism = done.derivation.mechanism
    frozen = freeze(description, mechanism, contracts_of(mechanism))
    manifest = read_manifest(place)
    name = manifest["name"]
    (entry,) = (item for item in manifest["functions"] if item["name"] == function)
    (found,) = (item for item in frozen.functions if item.name == function)
    near = np.abs(frozen.inputs["q"]).max(axis=1) <= FARTHEST
    expected = found.results[0].values[near]
    tables = [f"enum {{ STATES = {len(expected)}, SIZE = {expected.shape[1]} }};"]
    tables.append(f"static const double LARGEST = {float(np.abs(expected).max()).hex()};")
    tables.append(_table("double", "expected_results", expected))
    actual = ["&parameters"] if manifest["run_time_parameters"] else []
    if actual:
        tables.append(f"static const {name}_parameters parameters = {name}_default_parameters;")
    outputs = 0
    for item in entry["arguments"]:
        if item["direction"] == "in":
            tables.append(_table("R", f"in_{item['name']}", frozen.inputs[item["name"]][near]))
            actual.append(f"in_{item['name']}[s]" + ("" if item["shape"] else "[0]"))
        else:
            own = "result" if not outputs else f"other{outputs}"
            tables.append(f"static {'int' if item.get('type') == 'int' else 'R'} {own}[{int(np.prod(item['shape']))}];")
            actual.append(own)
            outputs += 1
    text = DRIVER.replace("$TABLES", "\n".join(tables)).replace("@", name)
    text = text.replace("$CALL", f"(void){name}_{function}({', '.join(actual)});")
    driver = place / "driver.c"
    driver.write_text(text)
    source = place / f"{name}.c"
    program = core.built(place / f"{core.name}.elf", (driver, source), *FLAGS)
    printed = core.ran(program, "-icount", "shift=0,align=off,sleep=off").stdout
    stack, *states = (line.split() for line in printed.splitlines())
    compiler = ("arm-none-eabi-gcc", *core.flags, *FLAGS)
    made = place / "module.o"
    run(*compiler, "-std=c99", "-c", str(source), "-o", str(made))
    sizes = run("arm-none-eabi-size", str(made)).stdout.splitlines()[1].split()[:3]
    graph = call_graph(source, compiler)
    instructions, errors = (tuple(map(int, column)) for column in zip(*states, strict=True))
    bound = graph.depth(entry["c_symbol"])
    return Cost(instructions, tuple(1e-12 * error for error in errors), int(*stack), bound, *map(int, sizes))


def _table(kind: str, name: str, values: Any) -> str:
    rows = ",\n".join("    {" + ", ".join(float(x).hex() for x in row) + "}" for row in values)
    return f"static const {kind} {name}[STATES][{values.shape[1]}] = {{\n{rows}\n}};"
