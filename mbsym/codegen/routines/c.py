"""Routines in C99: static functions without allocation; scratch memory is the argument ``work``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from mbsym.codegen.routines.language import Formal, Routine, RoutineFunction
from mbsym.codegen.routines.printer import ATOM, INDENT, PRODUCT, FunctionPrinter, Item, Sum, as_sum
from mbsym.codegen.routines.scopes import is_given, scopes_of
from mbsym.codegen.statements import (
    BEGIN,
    Array,
    Call,
    Constant,
    Do,
    Expression,
    For,
    Invoke,
    Let,
    Look,
    Number,
    Operation,
    Place,
    Product,
    Record,
    Span,
    Statement,
    Store,
    Variable,
    every,
    linear,
    parts,
    whole,
)
from mbsym.codegen.text import WIDTH, c_comment, wrapped

ITEM: Final = "item"
OTHER: Final = "other"
TERM: Final = "term"


def print_c(
    routine: Routine, prefix: str, heads: Mapping[str, tuple[str, ...]], real: str, has_parameters: bool
) -> str:
    """The text of a routine.

    Args:
        routine: with its sizes decided.
        prefix: of every symbol, with its underscore.
        heads: formal arguments of the public functions, the last with what closes the list.
        real: "double" or "float".
        has_parameters: True where derived functions take the structure of parameters first.
    """
    return CStyle(routine, prefix, heads, real, has_parameters).text()


def broken(line: str, following: str = INDENT * 2) -> list[str]:
    """A line as one or several."""
    return wrapped(line, first=0, following=following).split("\n")


class CStyle:
    """What all functions of a routine in one module share."""

    def __init__(
        self, routine: Routine, prefix: str, heads: Mapping[str, tuple[str, ...]], real: str, has_parameters: bool
    ) -> None:
        self.routine, self.prefix, self.heads, self.real = routine, prefix, heads, real
        self.has_parameters = has_parameters
        self.type = f"{prefix}real"
        self.types = {"int": "int", "bool": "bool", "real": self.type}
        self.own_prefix = f"{prefix}{routine.name}_"
        scratch = {array.name for array in routine.memory}
        using = [f.name for f in routine.functions if f.is_public or _uses(f, scratch)]
        self.with_work = routine.reaching(using) if scratch else frozenset[str]()
        kernels = [f.name for f in routine.functions if f.calls & set(routine.kernels)]
        self.with_parameters = routine.reaching(kernels) if has_parameters else frozenset[str]()

    def text(self) -> str:
        """All of it."""
        chunks = ["\n".join(self.constants())] if self.constants() else []
        chunks += [self.structure(record) for record in self.routine.records.values()]
        definitions = "\n\n".join(self.definition(function) for function in self.routine.functions)
        chunks += self.helpers(definitions)
        return "\n\n".join([*chunks, definitions])

    def definition(self, function: RoutineFunction) -> str:
        """A function with its comment."""
        head = self.heads.get(function.name)
        if head is None:
            opening = [*self.static_head(function), "{"]
        else:
            returns = "int" if function.returns == "int" else "void"
            opening = [f"{returns} {self.prefix}{function.name}(", *(f"{INDENT}{formal}" for formal in head), "{"]
        comment = wrapped(f"/* {c_comment(function.documentation)} */", first=0, following=" * ").split("\n")
        return "\n".join([*comment * bool(function.documentation), *opening, *self.body(function), "}"])

    def symbol(self, function: RoutineFunction) -> str:
        """The name of a function."""
        return f"{self.prefix if function.is_public else self.own_prefix}{function.name}"

    def record(self, record: Record) -> str:
        """The name of a structure."""
        return f"{self.prefix}{record.name.lower()}"

    def number(self, value: float) -> str:
        """A real number."""
        return f"{float(value)!r}{'f' if self.real == 'float' else ''}"

    def constants(self) -> Sequence[str]:
        """The integers; other numbers stand in the functions that use them."""
        numbers = [(name, x) for name, x in self.routine.numbers.items() if name not in self.routine.module]
        entries = [f"{self.own_prefix}{name} = {value}" for name, value in numbers if isinstance(value, int)]
        if not entries:
            return []
        return ["enum {", *(f"{INDENT}{entry}," for entry in entries[:-1]), f"{INDENT}{entries[-1]}", "};"]

    def structure(self, record: Record) -> str:
        """The type of a record."""
        comments = dict(record.comments)
        members = []
        for item in record.fields:
            size = f"[{item.size}]" if isinstance(item, Array) else ""
            members.append((f"{INDENT}{self.types[item.kind]} {item.name}{size};", comments.get(item.name, "")))
        width = max(len(text) for text, _ in members)
        lines = [f"{text:{width}} /* {c_comment(note)} */" if note else text for text, note in members]
        head = [f"/* {c_comment(record.documentation)} */"] * bool(record.documentation)
        name = self.record(record)
        return "\n".join([*head, f"typedef struct {name} {{", *lines, f"}} {name};"])

    def formal(self, item: Formal) -> str:
        """An argument of a static function."""
        if item.record is not None:
            return f"{self.record(item.record)} *{item.name}"
        if item.array is None:
            return f"{self.types[item.kind or 'real']} {item.name}"
        return f"{'' if item.array.writable else 'const '}{self.types[item.array.kind]} *{item.name}"

    def static_head(self, function: RoutineFunction) -> list[str]:
        """The head of a static function, on one line or with an argument a line."""
        formals = [f"const {self.prefix}parameters *parameters"] if function.name in self.with_parameters else []
        formals += [self.formal(item) for item in function.formals]
        formals += [f"{self.type} *work"] if function.name in self.with_work else []
        formals += [f"{self.type} *result"] if isinstance(function.returns, int) else []
        returns = self.types.get(str(function.returns), "void")
        line = f"static {returns} {self.symbol(function)}({', '.join(formals) or 'void'})"
        if len(line) <= WIDTH:
            return [line]
        start, _, _ = line.partition("(")
        return [f"{start}(", *(f"{INDENT}{formal}," for formal in formals[:-1]), f"{INDENT}{formals[-1]})"]

    def helpers(self, text: str) -> list[str]:
        """Functions of the language that are functions in C, those that a text calls."""
        made = {"dot": self.dot, "min": self.least, "peak": self.peak}
        return [make() for name, make in made.items() if f"{self.own_prefix}{name}(" in text]

    def dot(self) -> str:
        """The inner product of vectors."""
        head = f"static {self.type} {self.own_prefix}dot(const {self.type} *a, const {self.type} *b, int size)"
        return "\n".join(
            [
                *broken(head),
                "{",
                f"    {self.type} total = {self.number(0)};",
                "    for (int k = 0; k < size; ++k) {",
                "        total += a[k] * b[k];",
                "    }",
                "    return total;",
                "}",
            ]
        )

    def least(self) -> str:
        """The smaller one of two numbers."""
        return "\n".join(
            [
                *broken(f"static {self.type} {self.own_prefix}min({self.type} a, {self.type} b)"),
                "{",
                "    return a < b ? a : b;",
                "}",
            ]
        )

    def peak(self) -> str:
        """The largest size of entries."""
        size = "fabsf" if self.real == "float" else "fabs"
        return "\n".join(
            [
                "/* The largest size of an entry. */",
                *broken(f"static {self.type} {self.own_prefix}peak(const {self.type} *x, int count)"),
                "{",
                f"    {self.type} most = {self.number(0)};",
                "    for (int k = 0; k < count; ++k) {",
                f"        const {self.type} size = {size}(x[k]);",
                "        if (size > most) {",
                "            most = size;",
                "        }",
                "    }",
                "    return most;",
                "}",
            ]
        )

    def printer(self, function: RoutineFunction) -> CFunction:
        """What prints the statements of a function."""
        return CFunction(self, function)

    def body(self, function: RoutineFunction) -> list[str]:
        """Its declarations and statements."""
        printer = self.printer(function)
        printer.block(function.body)
        mentioned = set(re.findall(r"\w+", "\n".join(line for line in printer.lines if "/*" not in line)))
        lines = [
            f"{INDENT}const {self.type} {self.own_prefix}{name} = {self.number(value)};"
            for name, value in self.routine.numbers.items()
            if not isinstance(value, int) and f"{self.own_prefix}{name}" in mentioned
        ]
        place = 0
        for array in self.routine.memory:
            if array.name in mentioned:
                lines.append(f"{INDENT}{self.type} *const {array.name} = {f'&work[{place}]' if place else 'work'};")
                mentioned.add("work")
            place += array.size
        formals = {item.name for item in function.formals}
        lines += [
            f"{INDENT}{self.record(record)} {name};" for name, record in function.records.items() if name not in formals
        ]
        lines += [
            f"{INDENT}{self.types[array.kind]} {array.name}[{max(array.size, 1)}];"
            for array in function.own
            if array.name in mentioned
        ]
        takes = function.name in self.with_parameters or (function.is_public and self.has_parameters)
        hidden = ["parameters"] * takes + ["work"] * (function.name in self.with_work)
        unused = [name for name in (*hidden, *(item.name for item in function.formals)) if name not in mentioned]
        return [*lines, *(f"{INDENT}(void){name};" for name in unused), *printer.lines]


def _uses(function: RoutineFunction, names: set[str]) -> bool:
    return any(isinstance(each, Place) and each.array.name in names for each in every(function.body))


class CFunction(FunctionPrinter):
    """A function in C."""

    END: ClassVar[str] = ";"
    WORDS: ClassVar[Mapping[str, str]] = {"and": "&&", "or": "||", "not": "!"}

    def __init__(self, style: CStyle, function: RoutineFunction) -> None:
        super().__init__(style.routine, function)
        self.style = style
        formals = {item.name for item in function.formals}
        self.views = {view.name for view in function.views}
        self.scopes = scopes_of(function.body, [n for n in (*function.scalars, *self.views) if n not in formals])
        self.given = {item.name for item in function.formals if item.record is not None}

    def broken(self, indent: str, text: str) -> list[str]:
        return broken(indent + text, following=indent + INDENT)

    def remark(self, text: str) -> None:
        self.write(f"/* {c_comment(text)} */")

    # ---- declarations ------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[Statement]) -> None:
        for place, node in enumerate(statements):
            for text in node.remarks:
                self.remark(text)
            for name in self.scopes.at(statements, place):
                if not is_given(node, name):
                    self.write(f"{self.declared(name)};")
            self.started = [name for name in self.scopes.at(statements, place) if is_given(node, name)]
            self.statement(node)

    def declared(self, name: str) -> str:
        """The declaration of a name."""
        if name in self.views:
            return f"const {self.style.type} *{name}"
        return f"{self.type_of(self.function.scalars[name])} {name}"

    def type_of(self, variable: Variable) -> str:
        """The type of a scalar."""
        return self.style.types[variable.kind]

    def _started(self, name: str) -> str:
        """A name where it gets a value, with its type if it begins there."""
        if name not in self.started:
            return name
        constant = "const " * (name in self.scopes.once and name not in self.views)
        return f"{constant}{self.declared(name)}"

    # ---- expressions -------------------------------------------------------------------------------------------------

    def number(self, value: bool | int | float) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        return self.style.number(value) if isinstance(value, float) else str(value)

    def constant(self, node: Constant) -> str:
        prefix = self.style.prefix if node.name in self.routine.module else self.style.own_prefix
        return f"{prefix}{node.name}"

    def variable(self, node: Variable) -> str:
        return f"{self.member(node.record)}{node.name}" if node.record else node.name

    def member(self, record: str) -> str:
        """What stands before the fields of a record."""
        return f"{record}->" if record in self.given else f"{record}."

    def array(self, array: Array) -> str:
        """The name of an array."""
        return f"{self.member(array.record)}{array.name}" if array.record else array.name

    def offset(self, place: Place, items: Sequence[Item]) -> Sum:
        """Where an entry stands; one item for several axes goes through all their entries."""
        extents, found = place.array.extents, Sum("")
        left = list(items)
        flat = len(items) == 1 and place.axes > 1
        for index, extent in zip(place.indices, extents, strict=True):
            found = found.times(extent)
            if not isinstance(index, Span):
                found = found.plus(self.integer(index))
            elif items and not flat:
                found = found.plus(left.pop(0).along(index, self))
            else:
                found = found.plus(self.integer(index.start))
        return found.plus(as_sum(items[0].text)) if flat else found

    def place(self, node: Place, items: Sequence[Item]) -> str:
        if not node.axes or items:
            return f"{self.array(node.array)}[{self.offset(node, items)}]"
        offset = str(self.offset(node, ()))
        return self.array(node.array) if offset == "0" else f"&{self.array(node.array)}[{offset}]"

    def choice(self, test: str, first: str, second: str) -> str:
        return f"{test} ? {first} : {second}"

    def call(self, node: Call, items: Sequence[Item]) -> str:
        name, single = node.function, "f" if self.style.real == "float" else ""
        function = self.routine.function(name)
        if function is not None:
            return f"{self.style.symbol(function)}({', '.join(self.actual(node))})"
        if name == "zeros":
            return self.number(0.0)
        if name in ("finite", "peak"):
            (vector,) = node.arguments
            assert isinstance(vector, Place)
            prefix = self.style.prefix if name == "finite" else self.style.own_prefix
            return f"{prefix}{name}({self.expression(vector)}, {self.count(vector)})"
        texts = [self.expression(each, 0, items) for each in node.arguments if not isinstance(each, str)]
        if name in ("int", "real"):
            kind = "int" if name == "int" else self.style.type
            return f"({kind}){texts[0]}" if re.fullmatch(r"\w+(\[[^\]]*\])?", texts[0]) else f"({kind})({texts[0]})"
        if name == "min":
            return f"{self.style.own_prefix}min({', '.join(texts)})"
        if name == "isfinite":
            return f"isfinite({texts[0]})"
        return f"{'fabs' if name == 'abs' else name}{single}({texts[0]})"

    def count(self, place: Place) -> Sum:
        """Number of entries of a place."""
        total = 1
        lengths = [linear(span.stop).plus(linear(span.start), -1) for span in place.spans]
        if len(lengths) == 1:
            return self.integer(Operation("-", (place.spans[0].stop, place.spans[0].start), "int"))
        for each in lengths:
            total *= each.number
        return Sum("", total)

    def actual(self, node: Call) -> list[str]:
        """The arguments of a call, with those that go without saying."""
        function = self.routine.function(node.function)
        takes = node.function in self.style.with_parameters or (
            self.style.has_parameters and (function is None or function.is_public)
        )
        texts = [
            (each if each in self.given else f"&{each}") if isinstance(each, str) else self.expression(each)
            for each in node.arguments
        ]
        return [*["parameters"] * takes, *texts, *["work"] * (node.function in self.style.with_work)]

    def product(self, node: Product) -> str:
        left, right = node.left, node.right
        if not (isinstance(left, Place) and isinstance(right, Place) and left.axes == right.axes == 1):
            raise TypeError("a product of matrices stands alone")
        texts = self.expression(left), self.expression(right), str(self.count(left))
        return f"{self.style.own_prefix}dot({', '.join(texts)})"

    # ---- statements --------------------------------------------------------------------------------------------------

    def begin(self, word: str, condition: str) -> None:
        if word == "elif":
            self.depth -= 1
            self.write(f"}} else if ({condition}) {{")
        else:
            self.write(f"{word} ({condition}) {{")
        self.depth += 1

    def begin_loop(self, node: For) -> None:
        name = node.index.name
        kind = "int " * (name in self.scopes.loops)
        self.count_through(f"{kind}{name}", str(self.integer(node.start)), str(self.integer(node.stop)), node.is_down)

    def count_through(self, name: str, start: str, stop: str, down: bool = False) -> None:
        """Opens a loop."""
        compare, step = (">", "--") if down else ("<", "++")
        if down and stop.lstrip("-").isdigit():
            compare, stop = ">=", str(int(stop) + 1)
        bare = name.split()[-1]
        self.write(f"for ({name} = {start}; {bare} {compare} {stop}; {step}{bare}) {{")
        self.depth += 1

    def otherwise(self) -> None:
        self.depth -= 1
        self.write("} else {")
        self.depth += 1

    def close(self) -> None:
        self.depth -= 1
        self.write("}")

    def let(self, node: Let) -> None:
        name = node.target.name
        if isinstance(node.value, Product):
            if node.operator == "=":
                self.write(f"{self._started(name)} = {self.zero()};")
            self.sum_into(self.variable(node.target), "-=" if node.operator == "-=" else "+=", node.value, ())
            return
        if node.operator in ("+=", "-=") and node.value == Number(1, "int"):
            self.write(f"{node.operator[0] * 2}{self.variable(node.target)};")
            return
        target = self.variable(node.target) if node.target.record else self._started(name)
        self.write(f"{target} {node.operator} {self.expression(node.value)};")

    def store(self, node: Store) -> None:
        value, minus = node.value, False
        if isinstance(value, Operation) and value.operator == "neg" and isinstance(value.operands[0], Product):
            value, minus = value.operands[0], True
        if isinstance(value, Product):
            self._multiplied(node, value, minus)
            return
        target = node.target
        if not target.axes:
            self.write(f"{self.place(target, ())} {node.operator} {self.expression(value)};")
            return
        nested = self._nested(target, value)
        bounds = [self.extent(span) for span in target.spans] if nested else [self.count(target)]
        if any(str(bound) == "0" for bound in bounds):
            return
        if [str(bound) for bound in bounds] == ["1"]:
            items = [Item("0")]
        elif nested:
            along = [each.spans for each in parts(value) if isinstance(each, Place) and each.axes == target.axes]
            items = [self._through(name, column) for name, column in zip((ITEM, OTHER), zip(target.spans, *along))]
        else:
            self.count_through(f"int {ITEM}", "0", str(bounds[0]))
            items = [Item(ITEM)]
        self.write(f"{self.place(target, items)} {node.operator} {self.expression(value, 0, items)};")
        for item in items:
            if item.text != "0":
                self.close()

    def extent(self, span: Span) -> Sum:
        """Number of entries."""
        return self.integer(Operation("-", (span.stop, span.start), "int"))

    def _through(self, name: str, spans: Sequence[Span]) -> Item:
        """Opens the loop over spans of one length, from the start that all have or else from zero."""
        first = spans[0]
        base = first.start if all(linear(span.start) == linear(first.start) for span in spans) else None
        if base is None:
            self.count_through(f"int {name}", "0", str(self.extent(first)))
        else:
            self.count_through(f"int {name}", str(self.integer(base)), str(self.integer(first.stop)))
        return Item(name, base)

    def _nested(self, target: Place, value: Expression) -> bool:
        """False where one index goes through all entries."""
        if target.axes == 1:
            return True
        places = [target, *(each for each in parts(value) if isinstance(each, Place) and each.axes)]
        return not all(isinstance(x, Span) and x.is_whole for each in places for x in each.indices[-each.axes :])

    def _multiplied(self, node: Store, product: Product, minus: bool) -> None:
        """Entries get products: each a sum, or, where rows are added to rows, all of a row side by side."""
        target, sign = node.target, "-=" if node.operator == "-=" else "+="
        left, right = product.left, product.right
        assert isinstance(left, Place) and isinstance(right, Place)
        along = [*left.spans[:-1], *right.spans[1:]]
        pairs = list(zip((ITEM, OTHER), zip(target.spans, along, strict=True), strict=False))
        rows = right.axes == 2 and right.spans[1].is_whole
        if not rows or node.operator == "=":
            items = [self._through(name, spans) for name, spans in pairs]
            entry = self.place(target, items)
            self.write("{")
            self.depth += 1
            self.write(f"{self.real_type()} total = {self.zero() if node.operator == '=' else entry};")
            self.sum_into("total", sign, product, items)
            self.write(f"{entry} = {'-' * minus}total;")
            self.close()
            self._joined()
        else:
            items = [self._through(name, spans) for name, spans in pairs[:-1]]
            term = self._through(TERM, (left.spans[-1], right.spans[0]))
            self.write(f"const {self.real_type()} factor = {self.expression(left, 0, [*items, term])};")
            items.append(self._through(*pairs[-1]))
            entry = self.expression(right, PRODUCT, [term, items[-1]])
            self.write(f"{self.place(target, items)} {sign} factor * {entry};")
            self.close()
            self.close()
            items.pop()
        for _ in items:
            self.close()

    def _joined(self) -> None:
        """Takes away the braces of a block that is all of a loop's."""
        closing = len(self.lines) - 1
        opening = max(k for k in range(closing) if self.lines[k] == f"{INDENT * self.depth}{{")
        if self.lines[opening - 1].endswith("{"):
            inside = [line.removeprefix(INDENT) for line in self.lines[opening + 1 : closing]]
            self.lines[opening:] = inside

    def zero(self) -> str:
        """What sums begin with."""
        return self.number(0.0)

    def real_type(self) -> str:
        """The type of real numbers."""
        return self.style.type

    def sum_into(self, target: str, sign: str, product: Product, items: Sequence[Item]) -> None:
        """Adds the terms of a product to a scalar, or takes them from it."""
        left, right = product.left, product.right
        assert isinstance(left, Place) and isinstance(right, Place)
        term = self._through(TERM, (left.spans[-1], right.spans[0]))
        first = self.expression(left, PRODUCT, [*items[: left.axes - 1], term])
        second = self.expression(right, ATOM, [term, *items[left.axes - 1 :]])
        self.write(f"{target} {sign} {first} * {second};")
        self.close()

    def invoke(self, node: Invoke) -> None:
        function = self.routine.function(node.call.function)
        symbol = self.style.symbol(function) if function is not None else f"{self.style.prefix}{node.call.function}"
        actual = self.actual(node.call)
        if node.operator == "=":
            self.write(f"{symbol}({', '.join([*actual, *map(self.expression, node.targets)])});")
            return
        (target,) = node.targets
        share = Array("share", (int(str(self.count(target))),), writable=True)
        self.write("{")
        self.depth += 1
        self.write(f"{self.style.type} share[{share.size}];")
        self.write(f"{symbol}({', '.join([*actual, 'share'])});")
        self.store(Store(target, node.operator, whole(share)))
        self.close()

    def do(self, node: Do) -> None:
        if node.call.function == BEGIN:
            return
        function = self.routine.function(node.call.function)
        ignored = "(void)" * (function is not None and function.returns is not None)
        self.write(f"{ignored}{self.expression(node.call)};")

    def look(self, node: Look) -> None:
        self.write(f"{self._started(node.view.name)} = {self.expression(node.value)};")

    def give_back(self, value: Expression) -> None:
        if isinstance(value, Call) and value.function == "all":
            self.return_all(value)
            return
        assert isinstance(self.function.returns, int)
        result = Array("result", (self.function.returns,), writable=True)
        if isinstance(value, Call) and value.function != "zeros":
            self.invoke(Invoke((whole(result),), "=", value))
        else:
            self.store(Store(whole(result), "=", value))
        self.write("return;")

    def return_all(self, value: Call) -> None:
        """Returns whether a condition holds for all entries."""
        (condition,) = value.arguments
        assert not isinstance(condition, str)
        place = next(each for each in parts(condition) if isinstance(each, Place) and each.axes)
        item = self._through(ITEM, place.spans)
        self.begin("if", f"!({self.expression(condition, 0, [item])})")
        self.write("return false;")
        self.close()
        self.close()
        self.write("return true;")
