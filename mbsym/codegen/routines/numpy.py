"""Routines in Python: rows are lists of floats, which for one state are faster than arrays; a batch is a loop."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from mbsym.codegen.routines.expressions import ATOM, Place, Sum, Vector
from mbsym.codegen.routines.language import Array, Routine, RoutineFunction, Signature
from mbsym.codegen.routines.statements import INDENT, FunctionPrinter
from mbsym.codegen.text import WIDTH


def print_numpy(routine: Routine) -> str:
    """The text of a routine: the class of its scratch memory, and its functions with an underscore before the name."""
    names = [array.name for array in routine.memory]
    with_work = routine.reaching([f.name for f in routine.functions if f.is_public or _mentions(f, names)])
    parts = []
    if routine.numbers:
        parts.append("\n".join(f"_{routine.name}_{name} = {value!r}" for name, value in routine.numbers.items()))
    memory = [f"class {memory_class(routine.name)}:", f'{INDENT}"""Scratch memory of {routine.name}."""', ""]
    memory += [f"{INDENT}def __init__(self, keywords):", f"{INDENT * 2}self.keywords = keywords"]
    memory += [f"{INDENT * 2}self.{array.name} = {_zeros(array.extents)}" for array in routine.memory]
    parts.append("\n".join(memory))
    for function in routine.functions:
        printer = _PythonFunction(routine, function, with_work)
        parts.append("\n".join(printer.text()))
    return "\n\n\n".join(parts)


def memory_class(routine: str) -> str:
    """The class of a routine's scratch memory."""
    return f"_{''.join(part.capitalize() for part in routine.split('_'))}Memory"


def _zeros(extents: Sequence[int]) -> str:
    text = f"[0.0] * {extents[-1]}"
    for extent in reversed(extents[:-1]):
        text = f"[{text} for _ in range({extent})]"
    return text


def _mentions(function: RoutineFunction, names: Sequence[str]) -> bool:
    found = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
    return not found.isdisjoint(names)


_ALONE: Final = Vector("{}", ATOM, (), Sum("", 1))


class _PythonFunction(FunctionPrinter):
    END: ClassVar[str] = ""
    WORDS: ClassVar[Mapping[str, str]] = {"and": "and", "or": "or", "not": "not "}

    def __init__(self, routine: Routine, function: RoutineFunction, with_work: frozenset[str]) -> None:
        super().__init__(routine, function)
        self.with_work = with_work

    def text(self) -> list[str]:
        """The lines of the function."""
        function = self.function
        self.depth = 1 if function.otherwise is None else 2
        self.block(function.body)
        mentioned = self.mentioned()
        formals = [item.name for item in function.formals] + ["work"] * (function.name in self.with_work)
        lines = [f"def {self.symbol(function)}({', '.join(formals)}):"]
        if len(lines[0]) > WIDTH:
            lines = [f"def {self.symbol(function)}(", *(f"{INDENT}{formal}," for formal in formals), "):"]
        if function.documentation:
            lines.append(f'{INDENT}"""{function.documentation}"""')
        used = [array.name for array in self.routine.memory if array.name in mentioned]
        for start in range(0, len(used), 4):
            names = used[start : start + 4]
            lines.append(f"{INDENT}{', '.join(names)} = {', '.join(f'work.{name}' for name in names)}")
        if function.otherwise is None:
            return [*lines, *self.lines]
        value = self.scalar(function.otherwise)
        failed = [f"{INDENT}except (ArithmeticError, ValueError):", f"{INDENT * 2}return {value}"]
        return [*lines, f"{INDENT}try:", *self.lines, *failed]

    def symbol(self, function: RoutineFunction) -> str:
        """The name of a function."""
        return f"_{function.name}" if function.is_public else f"_{self.routine.name}_{function.name}"

    def entry(self, place: Place, index: str) -> str:
        return f"{self._row(place)}[{index}]"

    def _row(self, place: Place) -> str:
        return place.array.name + "".join(f"[{index}]" for index in place.indices)

    def address(self, place: Place) -> str:
        return f"{self._row(place)}[{place.start}:{place.stop}]" if place.is_part else self._row(place)

    def literal(self, value: bool | int | float) -> str:
        return repr(value)

    def named(self, name: str) -> str:
        return f"_{self.routine.name}_{name}"

    def converted(self, text: str) -> str:
        return text

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{first} if {test} else {second}"

    def elementary(self, name: str, argument: str) -> str:
        return f"{name if name in ('abs', 'int') else f'math.{name}'}({argument})"

    def dot(self, first: Place, second: Place) -> str:
        return f"sum([_a * _b for _a, _b in zip({self.address(first)}, {self.address(second)})])"

    def called(self, function: RoutineFunction, arguments: Sequence[str]) -> str:
        actual = [*arguments, *["work"] * (function.name in self.with_work)]
        return f"{self.symbol(function)}({', '.join(actual)})"

    def begin(self, word: str, condition: str) -> None:
        if word == "elif":
            self.depth -= 1
        self.write(f"{word} {condition}:")
        self.depth += 1

    def begin_loop(self, name: str, start: str, stop: str, down: bool) -> None:
        bounds = f"{start}, {stop}, -1" if down else stop if start == "0" else f"{start}, {stop}"
        self.write(f"for {name} in range({bounds}):")
        self.depth += 1

    def otherwise(self) -> None:
        self.depth -= 1
        self.write("else:")
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1

    def fill(self, target: Place | Array, operator: str, vector: Vector) -> None:
        if vector.length != Sum("") or isinstance(target, Array):
            self._store(f"{self._goal(target)} = ", target, operator, vector, list(map(self.address, vector.places)))

    def _goal(self, target: Place | Array) -> str:
        if isinstance(target, Array):
            return target.name
        return self.address(target) if target.is_part else f"{self.address(target)}[:]"

    def _store(self, start: str, target: Place | Array, operator: str, vector: Vector, texts: Sequence[str]) -> None:
        """Writes ``start`` and the vector, whose places have the texts given; += and so on begin with the target."""
        names = [f"_{letter}" for letter in "abcdefgh"[: len(texts)]]
        text = vector.text.format(*names)
        if operator != "=":
            text = f"_t {operator[0]} {text if vector.level == ATOM else f'({text})'}"
            names = ["_t", *names]
            texts = [target.name if isinstance(target, Array) else self.address(target), *texts]
        if not names:
            self.write(f"{start}[{text}] * {vector.length}")
            return
        if text == names[0]:
            is_new = isinstance(target, Place) or vector.places[0].is_part
            self.write(f"{start}{texts[0]}{'' if is_new else '[:]'}")
            return
        places = texts[0] if len(names) == 1 else f"zip({', '.join(texts)})"
        loop = f"for {', '.join(names)} in {places}"
        line = f"{start}[{text} {loop}]"
        if len(INDENT * self.depth + line) <= WIDTH:
            self.write(line)
            return
        for part in (f"{start}[", f"{INDENT}{text}", f"{INDENT}{loop}", "]"):
            self.write(part)

    def invoke(
        self, targets: Sequence[Place | Array], operator: str, name: str, signature: Signature, arguments: Sequence[str]
    ) -> None:
        if any(isinstance(target, Place) and len(target.array.extents) > 1 + len(target.indices) for target in targets):
            call = f"{name}({', '.join([*arguments, '**work.keywords'])})"
            self.write(f"{', '.join(map(self._goal, targets))} = (_array.tolist() for _array in {call})")
            return
        call = self._result(name, arguments, len(targets))
        if operator != "=":
            self._store(f"{self._goal(targets[0])} = ", targets[0], operator, _ALONE, [call])
            return
        self.write(f"{', '.join(map(self._goal, targets))} = {call}")
        for target in targets:
            if isinstance(target, Array) and target.name in self.changed:
                self.write(f"{target.name} = list({target.name})")

    def _result(self, name: str, arguments: Sequence[str], results: int) -> str:
        function = self.routine.function(name)
        if function is not None:
            return self.called(function, arguments)
        return f"_{name}({', '.join(['_Floats', *arguments])}){'[0]' if results == 1 else ''}"

    def give_back(self, value: ast.expr) -> None:
        found = self.callee(value)
        if found is None:
            vector = self.vector(value)
            result = Array("result", (1,), writable=True)
            self._store("return ", result, "=", vector, list(map(self.address, vector.places)))
            return
        name, signature, arguments = found
        self.write(f"return {self._result(name, self.actual(value, name, signature, arguments), 1)}")

    def look(self, view: Array, place: str) -> None:
        self.write(f"{view.name} = {place}")

    def broken(self, indent: str, text: str) -> list[str]:
        return [indent + text]

    def remark(self, text: str) -> None:
        self.write(f"# {text}")
