"""Routines in Python: rows are lists of floats, which for one state are faster than arrays; a batch is a loop."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import ClassVar

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import combined, parts, whole
from mbsym.codegen.numpy.bodies import NumpyPrinter
from mbsym.codegen.printer import ATOM, Item
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.printer import INDENT, FunctionPrinter
from mbsym.codegen.statements import every, walk
from mbsym.codegen.text import WIDTH


def print_numpy(routine: Routine) -> str:
    """The text of a routine: the class of its scratch memory, and its functions with an underscore before the name."""
    names = {array.name for array in routine.memory}
    with_work = routine.reaching([f.name for f in routine.functions if f.is_public or _mentions(f, names)])
    texts = []
    if routine.numbers:
        texts.append("\n".join(f"_{routine.name}_{name} = {value!r}" for name, value in routine.numbers.items()))
    memory = [f"class {memory_class(routine.name)}:", f'{INDENT}"""Scratch memory of {routine.name}."""', ""]
    memory += [f"{INDENT}def __init__(self, keywords):", f"{INDENT * 2}self.keywords = keywords"]
    memory += [f"{INDENT * 2}self.{array.name} = {_zeros(array.extents)}" for array in routine.memory]
    texts.append("\n".join(memory))
    for function in routine.functions:
        printer = ListFunction(routine, function, with_work)
        texts.append("\n".join(printer.text()))
    return "\n\n\n".join(texts)


def memory_class(routine: str) -> str:
    """The class of a routine's scratch memory."""
    return f"_{''.join(part.capitalize() for part in routine.split('_'))}Memory"


def _zeros(extents: Sequence[int]) -> str:
    text = f"[0.0] * {extents[-1]}"
    for extent in reversed(extents[:-1]):
        text = f"[{text} for _ in range({extent})]"
    return text


def _mentions(function: st.Function, names: set[str]) -> bool:
    return any(isinstance(each, ex.Place) and each.array.name in names for each in every(function.body))


class PythonPrinter(NumpyPrinter, FunctionPrinter):
    """What all Python has in common."""

    END: ClassVar[str] = ""

    def broken(self, indent: str, text: str) -> list[str]:
        if len(indent + text) <= WIDTH or text.startswith("#"):
            return [indent + text]
        # Whatever stands in parentheses may be broken at its spaces.
        found = re.search(r" [-+*/]?= ", text) or re.search(" ", text)
        start, mark, rest = (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")
        if mark and not rest.endswith(":"):
            head = [f"{indent}{start}{mark}("]
            if len(head[0]) > WIDTH:
                head = [f"{indent}(", *self._wrapped(indent, start), f"{indent}){mark}("]
            return [*head, *self._wrapped(indent, rest), f"{indent})"]
        return [indent + text]

    def _wrapped(self, indent: str, text: str) -> list[str]:
        return textwrap.wrap(
            text,
            WIDTH,
            initial_indent=indent + INDENT,
            subsequent_indent=indent + INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def remark(self, text: str) -> None:
        self.write(f"# {text}")

    def begin(self, word: str, condition: str) -> None:
        if word == "elif":
            self.depth -= 1
        self.write(f"{word} {condition}:")
        self.depth += 1

    def begin_loop(self, node: st.For) -> None:
        start, stop = str(self.integer(node.start)), str(self.integer(node.stop))
        bounds = f"{start}, {stop}, -1" if node.is_down else stop if start == "0" else f"{start}, {stop}"
        self.write(f"for {node.index.identifier} in range({bounds}):")
        self.depth += 1

    def otherwise(self) -> None:
        self.depth -= 1
        self.write("else:")
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1

    def head(self, name: str, formals: Sequence[str]) -> list[str]:
        """The head of a function."""
        line = f"def {name}({', '.join(formals)}):"
        head = [line] if len(line) <= WIDTH else [f"def {name}(", *(f"{INDENT}{formal}," for formal in formals), "):"]
        documentation = self.function.documentation
        return [*head, *[f'{INDENT}"""{documentation}"""'] * bool(documentation)]


class ListFunction(PythonPrinter):
    """A function of lists."""

    def __init__(self, routine: Routine, function: st.Function, with_work: frozenset[str]) -> None:
        super().__init__(routine, function)
        self.with_work = with_work
        self.letters: dict[int, str] = {}
        # Arrays of which some entries are changed.
        self.changed = {
            each.target.array.name
            for each in walk(function.body)
            if isinstance(each, st.Store)
            and not all(isinstance(x, ex.Span) and x.is_whole for x in each.target.indices)
        }

    def text(self) -> list[str]:
        """The lines of the function."""
        function = self.function
        self.depth = 1 if function.otherwise is None else 2
        self.block(function.body)
        mentioned = {each.array.name for each in every(function.body) if isinstance(each, ex.Place)}
        formals = [item.name for item in function.formals] + ["work"] * (function.name in self.with_work)
        lines = self.head(self.symbol(function), formals)
        used = [array.name for array in self.routine.memory if array.name in mentioned]
        for start in range(0, len(used), 4):
            names = used[start : start + 4]
            lines.append(f"{INDENT}{', '.join(names)} = {', '.join(f'work.{name}' for name in names)}")
        if function.otherwise is None:
            return [*lines, *self.lines]
        value = self.expression(function.otherwise)
        failed = [f"{INDENT}except (ArithmeticError, ValueError):", f"{INDENT * 2}return {value}"]
        return [*lines, f"{INDENT}try:", *self.lines, *failed]

    def symbol(self, function: st.Function) -> str:
        """The name of a function."""
        return f"_{function.name}" if function.is_public else f"_{self.routine.name}_{function.name}"

    # ---- expressions -------------------------------------------------------------------------------------------------

    def constant(self, node: ex.NamedConstant) -> str:
        return f"_{self.routine.name}_{node.name}"

    def variable(self, node: ex.Variable) -> str:
        return node.identifier

    def place(self, node: ex.Place, items: Sequence[Item]) -> str:
        if items and node.axes:
            return self.letters[id(node)]
        text = self.array(node.array)
        for index in node.indices:
            if not isinstance(index, ex.Span):
                text += f"[{self.integer(index)}]"
            elif not index.is_whole:
                step = f":{index.step}" * (index.step > 1)
                text += f"[{self.integer(index.start)}:{self.integer(index.stop)}{step}]"
        return text

    def array(self, array: ex.Array) -> str:
        """The name of an array."""
        return array.name

    def call(self, node: ex.Call, items: Sequence[Item] = ()) -> str:
        name = node.function
        if self.routine.function(name) is not None or name in self.routine.kernels:
            return self.called(node)
        if name == "zeros":
            return "0.0"
        texts = [self.expression(each, 0, items) for each in node.arguments]
        if name == "real":
            return texts[0]
        return f"{name if name in ('abs', 'int', 'min') else f'math.{name}'}({', '.join(texts)})"

    def called(self, node: ex.Call) -> str:
        """A call of another function."""
        function = self.routine.function(node.function)
        arguments = map(self.expression, node.arguments)
        if function is None:
            return f"_{node.function}({', '.join(['_Floats', *arguments])})"
        actual = [*arguments, *["work"] * (function.name in self.with_work)]
        return f"{self.symbol(function)}({', '.join(actual)})"

    def product(self, node: ex.MatrixProduct) -> str:
        return f"sum([_a * _b for _a, _b in zip({self.expression(node.left)}, {self.expression(node.right)})])"

    # ---- statements --------------------------------------------------------------------------------------------------

    def let(self, node: st.Let) -> None:
        self.write(f"{node.target.identifier} {node.operator} {self.expression(node.value)}")

    def store(self, node: st.Store) -> None:
        if not node.target.axes:
            self.write(f"{self.expression(node.target)} {node.operator} {self.expression(node.value)}")
        elif str(self._count(node.target)) != "0" or node.target.array in self.function.own:
            self._fill(f"{self._goal(node.target)} = ", node.target, node.operator, node.value)

    def _count(self, target: ex.Place) -> str:
        spans = target.spans
        if len(spans) > 1:
            return str(whole(target.array).array.size)
        return str(self.integer(combined("-", spans[0].stop, spans[0].start)))

    def _goal(self, target: ex.Place) -> str:
        text = self.expression(target)
        if target.array in self.function.own or not target.spans[-1].is_whole:
            return text
        return f"{text}[:]"

    def _fill(self, start: str, target: ex.Place, operator: str, value: ex.Expression) -> None:
        """Writes ``start`` and a vector; += and so on begin with the target."""
        places = [each for each in parts(value) if isinstance(each, ex.Place) and each.axes]
        letters = [f"_{letter}" for letter in "abcdefgh"[: len(places)]]
        self.letters = {id(place): letter for place, letter in zip(places, letters, strict=True)}
        text = self.expression(value, 0, [Item("")])
        texts = [self.expression(each) for each in places]
        if operator != "=":
            text = f"_t {operator[0]} {text if self.level(value) == ATOM else f'({text})'}"
            letters, texts = ["_t", *letters], [self.expression(target), *texts]
        if not letters:
            self.write(f"{start}[{text}] * {self._count(target)}")
            return
        if text == letters[0]:
            is_new = start != "return " and not (target.array in self.function.own and target.spans[-1].is_whole)
            is_new = is_new or not places[0].spans[-1].is_whole
            self.write(f"{start}{texts[0]}{'' if is_new else '[:]'}")
            return
        through = texts[0] if len(letters) == 1 else f"zip({', '.join(texts)})"
        loop = f"for {', '.join(letters)} in {through}"
        line = f"{start}[{text} {loop}]"
        if len(INDENT * self.depth + line) <= WIDTH:
            self.write(line)
            return
        indent = INDENT * self.depth
        self.lines += [f"{indent}{start}[", *self._wrapped(indent, text), *self._wrapped(indent, loop), f"{indent}]"]

    def invoke(self, node: st.Invoke) -> None:
        targets = node.targets
        goals = ", ".join(map(self._goal, targets))
        if any(target.axes > 1 for target in targets):
            arguments = map(self.expression, node.call.arguments)
            call = f"{node.call.function}({', '.join([*arguments, '**work.keywords'])})"
            self.write(f"{goals} = (_array.tolist() for _array in {call})")
            return
        call = self.called(node.call)
        call += "[0]" * (self.routine.function(node.call.function) is None and len(targets) == 1)
        if node.operator != "=":
            entries = f"zip({self.expression(targets[0])}, {call})"
            self.write(f"{self._goal(targets[0])} = [_t {node.operator[0]} _a for _t, _a in {entries}]")
            return
        self.write(f"{goals} = {call}")
        for target in targets:
            if target.array in self.function.own and target.array.name in self.changed:
                self.write(f"{target.array.name} = list({target.array.name})")

    def look(self, node: st.Look) -> None:
        self.write(f"{node.view.name} = {self.expression(node.value)}")

    def give_back(self, value: ex.Expression) -> None:
        if isinstance(value, ex.Call) and value.function != "zeros":
            call = self.called(value)
            self.write(f"return {call}{'[0]' if self.routine.function(value.function) is None else ''}")
            return
        assert isinstance(self.function.returns, int)
        self._fill("return ", whole(ex.Array("result", (self.function.returns,), writable=True)), "=", value)
