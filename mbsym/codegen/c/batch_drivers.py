"""The statements of functions for many states: blocks of states loaded into vectors, computed, judged and stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mbsym.codegen.c.formals import closed
from mbsym.codegen.c.lane_expressions import LanePrinter
from mbsym.codegen.c.statuses import is_sound
from mbsym.codegen.c.tables import INDENT
from mbsym.codegen.description import Argument
from mbsym.codegen.guards import GUARDED
from mbsym.codegen.lowered_module import LoweredModule, ModuleFunction

WORTH_THREADS: Final = 256
"""States below which threads take longer to start than to help."""


def batch_formals(module: LoweredModule, function: ModuleFunction, close: str) -> tuple[str, ...]:
    """Formal arguments: how many states, parameters, and each argument with its strides."""
    prefix, own = module.names.module, BatchNames(module, function)
    texts = [f"ptrdiff_t {own.states}"]
    if module.parameters:
        texts += [f"const {prefix}_parameters *parameters", f"ptrdiff_t {own.parameters_stride}"]
    for item, identifier in zip(function.arguments, function.identifiers, strict=True):
        kind = "int" if item.kind == "int" else f"{prefix}_real"
        constant = "const " if item.direction == "in" else ""
        texts.append(f"{constant}{kind} *{identifier}")
        texts.append(f"const ptrdiff_t *{own.strides[identifier]}")
    if function.failures:
        texts.append(f"int *{own.statuses}")
    return closed(texts, close)


class BatchNames:
    """Identifiers beside those of the arguments."""

    def __init__(self, module: LoweredModule, function: ModuleFunction) -> None:
        scope = module.names.inside((*function.identifiers, module.names.inner[GUARDED]))
        self.states = scope.claim("n")
        self.parameters_stride = scope.claim("parameters_stride")
        self.strides = {identifier: scope.claim(f"{identifier}_strides") for identifier in function.identifiers}
        self.statuses = scope.claim("status")
        self.places = {identifier: scope.claim(f"{identifier}_places") for identifier in function.identifiers}
        self.blocks = {identifier: scope.claim(f"{identifier}_block") for identifier in function.identifiers}
        self.one = {identifier: scope.claim(f"{identifier}_one") for identifier in function.identifiers}
        self.first = scope.claim("first")
        self.lane = scope.claim("lane")
        self.entry = scope.claim("i")
        self.worst = scope.claim("worst")
        self.found = scope.claim("found")
        self.unsound = scope.claim("unsound")
        self.sound = scope.claim("sound")
        self.common = scope.claim("common")
        self.own = scope.claim("own")
        self.given = scope.claim("given")
        self.structure_places = scope.claim("parameters_places")


class Driver:
    """The statements of a batch function."""

    def __init__(self, module: LoweredModule, function: ModuleFunction, printer: LanePrinter) -> None:
        self._module = module
        self._function = function
        self._printer = printer
        self._prefix = module.names.module
        self._names = BatchNames(module, function)
        self._arguments = [
            (item, identifier)
            for item, identifier in zip(function.arguments, function.identifiers, strict=True)
            if item.size
        ]

    def lines(self) -> list[str]:
        """All of them."""
        return self._side_by_side() if self._function.is_side_by_side else self._one_by_one()

    def _opening(self) -> list[str]:
        """Where numbers stand; arguments without numbers are not touched."""
        own, prefix = self._names, self._prefix
        lines = []
        for item, identifier in zip(self._function.arguments, self._function.identifiers, strict=True):
            if not item.size:
                lines += [f"{INDENT}(void){identifier};", f"{INDENT}(void){own.strides[identifier]};"]
        for item, identifier in self._arguments:
            places = own.places[identifier]
            lines.append(f"{INDENT}ptrdiff_t {places}[2];")
            lines.append(f"{INDENT}{prefix}_places({places}, {own.strides[identifier]}, {item.size});")
        return lines

    def _loop(self, step: str, body: Sequence[str]) -> list[str]:
        own, fails = self._names, self._function.failures
        reduction = f" reduction(max : {own.worst})" if fails else ""
        first, states = own.first, own.states
        return [
            *([f"{INDENT}int {own.worst} = {self._prefix}_OK;"] if fails else []),
            "#ifdef _OPENMP",
            f"#pragma omp parallel for schedule(static) if ({states} >= {WORTH_THREADS}){reduction}",
            "#endif",
            f"{INDENT}for (ptrdiff_t {first} = 0; {first} < {states}; {first} += {step}) {{",
            *(f"{INDENT}{line}" if line and not line.startswith("#") else line for line in body),
            f"{INDENT}}}",
            *([f"{INDENT}return {own.worst};"] if fails else []),
        ]

    # ---- vectors ----------------------------------------------------------------------------------------------------

    def _side_by_side(self) -> list[str]:
        module, function, own, prefix = self._module, self._function, self._names, self._prefix
        lines, body = self._opening(), list[str]()
        if module.parameters:
            count = len(module.parameters)
            lines += [
                f"{INDENT}const ptrdiff_t {own.structure_places}[2] = {{{own.parameters_stride} * {count}, 1}};",
                f"{INDENT}{prefix}_lanes_parameters {own.common};",
                f"{INDENT}if ({own.states} > 0) {{",
                f"{INDENT * 2}{self._load_structure(own.common, '0', '1')}",
                f"{INDENT}}}",
            ]
            body += [
                f"{INDENT}{prefix}_lanes_parameters {own.own};",
                f"{INDENT}const {prefix}_lanes_parameters *{own.given} = &{own.common};",
                f"{INDENT}if ({own.parameters_stride} != 0) {{",
                f"{INDENT * 2}{self._load_structure(own.own, own.first, own.states)}",
                f"{INDENT * 2}{own.given} = &{own.own};",
                f"{INDENT}}}",
            ]
        for item, identifier in self._arguments:
            size = f"{item.size} * {prefix}_LANES" if item.kind == "int" else f"{item.size}"
            kind = "int" if item.kind == "int" else f"{prefix}_lanes"
            body.append(f"{INDENT}{kind} {own.blocks[identifier]}[{size}];")
        if function.guards:
            guarded = module.names.inner[GUARDED]
            body.append(f"{INDENT}{prefix}_lanes {guarded}[{len(function.guards)}];")
        for item, identifier in self._arguments:
            if item.direction == "in":
                body.append(f"{INDENT}{self._moved('load', item, identifier)}")
        call = f"{module.names.c_symbol(function.name)}_lanes({', '.join(self._actual())});"
        body.append(f"{INDENT}const {prefix}_lanes {own.sound} = {call}" if function.fixed else f"{INDENT}{call}")
        if function.failures:
            body += self._judged()
        for item, identifier in self._arguments:
            if item.direction == "out" and item.kind == "int":
                body += self._counts(item, identifier)
            elif item.direction == "out":
                body.append(f"{INDENT}{self._moved('store', item, identifier)}")
        return [*lines, *self._loop(f"{prefix}_LANES", body)]

    def _load_structure(self, into: str, first: str, states: str) -> str:
        prefix, own = self._prefix, self._names
        count = len(self._module.parameters)
        return (
            f"{prefix}_load(({prefix}_lanes *)&{into}, {count}, (const {prefix}_real *)parameters, "
            f"{own.structure_places}, {first}, {states});"
        )

    def _moved(self, how: str, item: Argument, identifier: str) -> str:
        own = self._names
        return (
            f"{self._prefix}_{how}({own.blocks[identifier]}, {item.size}, {identifier}, {own.places[identifier]}, "
            f"{own.first}, {own.states});"
        )

    def _counts(self, item: Argument, identifier: str) -> list[str]:
        """Stores integers, of which an entry's lanes stand side by side too."""
        own, prefix = self._names, self._prefix
        lane, entry, places = own.lane, own.entry, own.places[identifier]
        far = f"{identifier}[({own.first} + {lane}) * {places}[0] + {entry} * {places}[1]]"
        within = f"{lane} < {prefix}_LANES && {own.first} + {lane} < {own.states}"
        return [
            f"{INDENT}for (int {lane} = 0; {within}; ++{lane}) {{",
            f"{INDENT * 2}for (int {entry} = 0; {entry} < {item.size}; ++{entry}) {{",
            f"{INDENT * 3}{far} = {own.blocks[identifier]}[{entry} * {prefix}_LANES + {lane}];",
            f"{INDENT * 2}}}",
            f"{INDENT}}}",
        ]

    def _actual(self) -> list[str]:
        """Actual arguments of the function over lanes."""
        module, function, own = self._module, self._function, self._names
        actual = [own.given] if module.parameters else []
        for item, identifier in zip(function.arguments, function.identifiers, strict=True):
            if not item.size:
                actual.append("NULL")
            else:
                actual.append(f"{own.blocks[identifier]}{'[0]' if item.direction == 'in' and not item.shape else ''}")
        if function.guards:
            actual.append(module.names.inner[GUARDED])
        return actual

    def _judged(self) -> list[str]:
        """Lanes in which something is not sound are done by the function for one state, which decides."""
        module, function, own, prefix = self._module, self._function, self._names, self._prefix
        lane, entry, unsound = own.lane, own.entry, own.unsound
        state = f"{own.first} + {lane}"
        lines = [f"{INDENT}int {unsound}[{prefix}_LANES] = {{0}};"]
        each = f"{INDENT}for (int {lane} = 0; {lane} < {prefix}_LANES; ++{lane}) {{"

        def number(array: str, place: str) -> str:
            return f"((const {prefix}_real *){array})[{place} * {prefix}_LANES + {lane}]"

        lines.append(each)
        for place, guard in enumerate(function.guards):
            value = number(module.names.inner[GUARDED], str(place))
            lines.append(f"{INDENT * 2}{unsound}[{lane}] |= !({is_sound(value, guard, prefix, self._printer)});")
        if function.fixed is not None:
            lines.append(f"{INDENT * 2}{unsound}[{lane}] |= !({number(f'&{own.sound}', '0')} > 0);")
        lines.append(f"{INDENT}}}")
        absolute, infinity = self._printer.function("abs"), self._printer.infinity
        for item, identifier in self._arguments:
            if item.kind == "int":
                continue
            value = number(own.blocks[identifier], entry)
            lines += [
                f"{INDENT}for (int {entry} = 0; {entry} < {item.size}; ++{entry}) {{",
                f"{INDENT}{each}",
                f"{INDENT * 3}{unsound}[{lane}] |= !({absolute}({value}) < {infinity});",
                f"{INDENT * 2}}}",
                f"{INDENT}}}",
            ]
        lines += [
            each,
            f"{INDENT * 2}int {own.found} = {prefix}_OK;",
            f"{INDENT * 2}if ({unsound}[{lane}] && {state} < {own.states}) {{",
            *(f"{INDENT * 2}{line}" for line in self._one_lane()),
            f"{INDENT * 2}}}",
            *(
                f"{INDENT}{line}"
                for line in self._note(f"{own.first} + {lane}", f"{own.first} + {lane} < {own.states}")
            ),
            f"{INDENT}}}",
        ]
        return lines

    def _one_lane(self) -> list[str]:
        """The function for one state on numbers of one lane."""
        own, prefix = self._names, self._prefix
        lines = []
        for item, identifier in self._arguments:
            kind = "int" if item.kind == "int" else f"{prefix}_real"
            lines.append(f"{INDENT}{kind} {own.one[identifier]}[{item.size}];")
        for item, identifier in self._arguments:
            if item.direction == "in":
                source = f"((const {prefix}_real *){own.blocks[identifier]})"
                lines += self._copied(item, own.one[identifier], "", source, own.lane)
        state = f"{own.first} + {own.lane}"
        lines.append(f"{INDENT}{own.found} = {self._scalar_call(state)};")
        for item, identifier in self._arguments:
            if item.direction == "out":
                block = own.blocks[identifier]
                target = block if item.kind == "int" else f"(({prefix}_real *){block})"
                lines += self._copied(item, target, own.lane, own.one[identifier], "")
        return lines

    def _copied(self, item: Argument, target: str, target_lane: str, source: str, source_lane: str) -> list[str]:
        entry = self._names.entry

        def place(lane: str) -> str:
            return f"{entry} * {self._prefix}_LANES + {lane}" if lane else entry

        return [
            f"{INDENT}for (int {entry} = 0; {entry} < {item.size}; ++{entry}) {{",
            f"{INDENT * 2}{target}[{place(target_lane)}] = {source}[{place(source_lane)}];",
            f"{INDENT}}}",
        ]

    def _scalar_call(self, state: str) -> str:
        """A call of the function for one state, on arrays of that state alone."""
        module, function, own = self._module, self._function, self._names
        actual = [f"parameters + ({state}) * {own.parameters_stride}"] if module.parameters else []
        for item, identifier in zip(function.arguments, function.identifiers, strict=True):
            if not item.size:
                actual.append("NULL")
            else:
                actual.append(f"{own.one[identifier]}{'[0]' if item.direction == 'in' and not item.shape else ''}")
        return f"{module.names.c_symbol(function.name)}({', '.join(actual)})"

    def _note(self, state: str, condition: str) -> list[str]:
        """The status of a state for the caller."""
        own = self._names
        return [
            f"{INDENT}if ({condition}) {{",
            f"{INDENT * 2}{own.worst} = {own.found} > {own.worst} ? {own.found} : {own.worst};",
            f"{INDENT * 2}if ({own.statuses} != NULL) {{",
            f"{INDENT * 3}{own.statuses}[{state}] = {own.found};",
            f"{INDENT * 2}}}",
            f"{INDENT}}}",
        ]

    # ---- state by state ---------------------------------------------------------------------------------------------

    def _one_by_one(self) -> list[str]:
        own, prefix, fails = self._names, self._prefix, self._function.failures
        body = []
        for item, identifier in self._arguments:
            kind = "int" if item.kind == "int" else f"{prefix}_real"
            body.append(f"{INDENT}{kind} {own.one[identifier]}[{item.size}];")
        for item, identifier in self._arguments:
            if item.direction == "in":
                body += self._strided(item, own.one[identifier], identifier, to=False)
        call = self._scalar_call(own.first)
        body.append(f"{INDENT}const int {own.found} = {call};" if fails else f"{INDENT}{call};")
        for item, identifier in self._arguments:
            if item.direction == "out":
                body += self._strided(item, own.one[identifier], identifier, to=True)
        if fails:
            body += self._note(own.first, "1")
        return [*self._opening(), *self._loop("1", body)]

    def _strided(self, item: Argument, one: str, identifier: str, *, to: bool) -> list[str]:
        own = self._names
        entry, places = own.entry, own.places[identifier]
        far = f"{identifier}[{own.first} * {places}[0] + {entry} * {places}[1]]"
        near = f"{one}[{entry}]"
        return [
            f"{INDENT}for (int {entry} = 0; {entry} < {item.size}; ++{entry}) {{",
            f"{INDENT * 2}{far} = {near};" if to else f"{INDENT * 2}{near} = {far};",
            f"{INDENT}}}",
        ]
