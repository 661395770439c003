"""What C files say of statuses, and of the tolerances that decide on them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import GUARDED, STATUS_OF, VANISHES, Argument, Real, Tolerance
from mbsym.codegen.environment import fixed_text
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction
from mbsym.codegen.statuses import Status
from mbsym.codegen.text import WIDTH
from mbsym.symbolic.domains import Guard


@dataclass(frozen=True, slots=True)
class ToleranceView:
    """A number that may be changed when the source is compiled, with its value as a literal."""

    name: str
    value: str


def _value(item: Tolerance, printer: CPrinter, real: Real) -> str:
    """The value of a tolerance as a literal."""
    value = item.of(real)
    return str(value) if isinstance(value, int) else printer.literal(Fraction(repr(value)))


def tolerance_lines(module: LoweredModule, printer: CPrinter) -> tuple[str, ...]:
    """What the header says of numbers that may be changed; nothing where there are none."""
    description, prefix = module.description, module.names.module
    if not module.tolerances:
        return ()
    epsilon = {"double": "2.2e-16", "float": "1.2e-7"}[description.real]
    files, told = f"{prefix}.c", "when that file is compiled"
    if module.batched:
        files, told = f"{prefix}.c and {prefix}_batch.c", "for both alike when they are compiled"
    head = (
        f"Tolerances of {files}, each changed by defining it {told}, -D{prefix}_ACCEPTED=1e-9; "
        f"epsilon is the distance from 1 to the next number, {epsilon}."
    )
    lines = textwrap.wrap(head, WIDTH - 4, break_on_hyphens=False)
    for item in module.tolerances:
        value = _value(item, printer, description.real)
        measure = f"{value} = {item.measure}" if not isinstance(item.of(description.real), int) else value
        text = f"{prefix}_{item.name}, {measure}: {item.reason}"
        lines += textwrap.wrap(text, WIDTH - 4, initial_indent="  ", subsequent_indent="    ")
    return tuple(lines)


def tolerance_views(module: LoweredModule, printer: CPrinter) -> tuple[ToleranceView, ...]:
    """Macros of the tolerances."""
    return tuple(
        ToleranceView(f"{module.names.module}_{item.name}", _value(item, printer, module.description.real))
        for item in module.tolerances
    )


def failure_lines(function: ModuleFunction) -> list[str]:
    """What the header says of the statuses that a function may return."""
    lines: list[str] = []
    for failure in function.failures:
        text = f"returns {failure.status.name}: the results are {failure.results}"
        lines += textwrap.wrap(text, WIDTH - 4, initial_indent="  ", subsequent_indent="    ")
    return lines


def helper_texts(module: LoweredModule, runtime: Sequence[str]) -> tuple[str, ...]:
    """Static functions that guarded functions and the runtime's texts call, with ``MODEL_`` before all names."""
    prefix = f"{module.names.module}_"
    called = module.is_guarded or any(f"{prefix}finite(" in text for text in runtime)
    files = (*["statuses"] * called, *["guards"] * module.is_guarded)
    return tuple(fixed_text(f"c/{file}.c", "MODEL_") for file in files)


def guard_array(function: ModuleFunction) -> Argument:
    """The array of guarded values as an argument of parts of a function."""
    return Argument(GUARDED, "out", (len(function.guards),))


def guard_declaration(module: LoweredModule, function: ModuleFunction) -> tuple[str, ...]:
    """The array of guarded values of a function, if it has any."""
    if not function.guards:
        return ()
    array = f"{module.names.inner[GUARDED]}[{len(function.guards)}]"
    return (f"    {module.names.module}_real {array}; /* what must not vanish or leave its domain */",)


def verdict_lines(module: LoweredModule, function: ModuleFunction, printer: CPrinter) -> tuple[str, ...]:
    """The end of a derived function that can fail: its status, and results that are no numbers where it is not OK."""
    if not function.guards:
        return ()
    prefix, status = f"{module.names.module}_", module.names.inner["status"]
    lines = ["", f"    int {status} = {prefix}OK;"]

    def where(condition: str, found: Status) -> tuple[str, str, str]:
        return (f"    if ({condition}) {{", f"        {status} = {prefix}{found.name};", "    }")

    # What stands below takes precedence: a number outside a domain makes divisors of no account.
    for guard_status in (Status.SINGULAR, Status.OUT_OF_REACH):
        for place, guard in enumerate(function.guards):
            if STATUS_OF[guard.need] is guard_status:
                sound = is_sound(f"{module.names.inner[GUARDED]}[{place}]", guard, module.names.module, printer)
                lines += where(f"!({sound})", guard_status)

    for direction, condition in (("in", ""), ("out", f"{status} == {prefix}OK && ")):
        checks = [
            f"!{prefix}finite({identifier if item.shape or direction == 'out' else f'&{identifier}'}, {item.size})"
            for item, identifier in function.paired
            if item.direction == direction and item.size
        ]
        for check in checks:
            lines += where(f"{condition}{check}", Status.NOT_FINITE)
    lines.append(f"    if ({status} != {prefix}OK) {{")
    lines += [
        f"        {prefix}spoil({identifier}, {item.size});"
        for item, identifier in function.paired
        if item.direction == "out" and item.size
    ]
    return (*lines, "    }", f"    return {status};")


def is_sound(value: str, guard: Guard, prefix: str, printer: CPrinter) -> str:
    """The condition that a guarded value must meet; not a number meets none.

    Args:
        value: as C has it.
        guard: what is asked of it.
        prefix: of the module.
        printer: of numbers.
    """
    if guard.need == "nonzero":
        bound = f"{prefix}_{VANISHES.name}"
        if guard.size != 1:
            bound += f" * {printer.literal(Fraction(guard.size))}"
        return f"{printer.library('abs')}({value}) > {bound}"
    if guard.need == "within one":
        return f"{printer.library('abs')}({value}) <= 1"
    return f"{value} {'>=' if guard.need == 'not negative' else '>'} 0"
