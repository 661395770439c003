"""Functions of a routine in C99."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.c.expressions import CPrinter
from mbsym.codegen.description import Real
from mbsym.codegen.expressions import combined, parts, whole
from mbsym.codegen.integers import Integer, as_integer, length, linear
from mbsym.codegen.printer import ATOM, PRODUCT, Item
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.printer import INDENT, FunctionPrinter
from mbsym.codegen.routines.scopes import is_given, scopes_of
from mbsym.codegen.statements import every
from mbsym.codegen.text import c_comment, wrapped

ITEM: Final = "item"
OTHER: Final = "other"
TERM: Final = "term"


def broken(line: str, following: str = INDENT * 2) -> list[str]:
    """A line as one or several."""
    return wrapped(line, first=0, following=following).split("\n")


class CNames:
    """What all functions of a routine in one module call things.

    Attributes:
        routine: with its sizes decided.
        prefix: of every symbol, with its underscore.
        own_prefix: of what belongs to the routine.
        parameters: the structure of parameters.
        type: of real numbers.
        types: of every kind.
        with_work: functions that take the scratch memory.
        with_parameters: those that take the structure of parameters.
    """

    def __init__(self, routine: Routine, prefix: str, real: Real, has_parameters: bool) -> None:
        self.routine, self.prefix, self.real, self.has_parameters = routine, prefix, real, has_parameters
        self.literals = CPrinter(real)
        self.type = f"{prefix}real"
        self.types = {"int": "int", "bool": "bool", "real": self.type}
        self.own_prefix = f"{prefix}{routine.name}_"
        self.parameters = f"{prefix}parameters"
        scratch = {array.name for array in routine.memory}
        using = [f.name for f in routine.functions if f.is_public or _uses(f, scratch)]
        self.with_work = routine.reaching(using) if scratch else frozenset[str]()
        kernels = [f.name for f in routine.functions if f.calls & set(routine.kernels)]
        self.with_parameters = routine.reaching(kernels) if has_parameters else frozenset[str]()

    def symbol(self, function: st.Function) -> str:
        """The name of a function."""
        return f"{self.prefix if function.is_public else self.own_prefix}{function.name}"

    def kernel(self, name: str) -> str:
        """The name of a derived function."""
        return f"{self.prefix}{name}"

    def number(self, value: float) -> str:
        """A real number."""
        return self.literals.literal(float(value))

    def own_array(self, array: ex.Array) -> str:
        """The declaration of an array of a function's own."""
        return f"{self.types[array.kind]} {array.name}[{max(array.size, 1)}];"


def _uses(function: st.Function, names: set[str]) -> bool:
    return any(isinstance(each, ex.Place) and each.array.name in names for each in every(function.body))


class CFunction(CPrinter, FunctionPrinter):
    """A function in C, or in what has its braces and loops."""

    END: ClassVar[str] = ";"
    INDEX: ClassVar[str] = "int"
    """What declares the index of a loop."""
    IGNORED: ClassVar[str] = "(void)"
    """What stands before a call whose result nobody wants."""

    def __init__(self, style: CNames, function: st.Function) -> None:
        CPrinter.__init__(self, style.real)
        FunctionPrinter.__init__(self, style.routine, function)
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

    def block(self, statements: Sequence[st.Statement]) -> None:
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

    def declared_number(self, name: str, *, stays: bool) -> str:
        """The declaration of a real number, which may stay as it is."""
        return f"{'const ' * stays}{self.style.type} {name}"

    def type_of(self, variable: ex.Variable) -> str:
        """The type of a scalar."""
        return self.style.types[variable.kind]

    def _started(self, name: str) -> str:
        """A name where it gets a value, with its type if it begins there."""
        if name not in self.started:
            return name
        constant = "const " * (name in self.scopes.once and name not in self.views)
        return f"{constant}{self.declared(name)}"

    # ---- expressions -------------------------------------------------------------------------------------------------

    def constant(self, node: ex.NamedConstant) -> str:
        prefix = self.style.prefix if node.name in self.routine.module else self.style.own_prefix
        return f"{prefix}{node.name}"

    def variable(self, node: ex.Variable) -> str:
        return f"{self.member(node.record)}{node.identifier}" if node.record else node.identifier

    def format_record(self, node: ex.RecordName, items: Sequence[Item] = ()) -> str:
        return node.name if node.name in self.given else f"&{node.name}"

    def member(self, record: str) -> str:
        """What stands before the fields of a record."""
        return f"{record}->" if record in self.given else f"{record}."

    def array(self, array: ex.Array) -> str:
        """The name of an array."""
        return f"{self.member(array.record)}{array.name}" if array.record else array.name

    def offset(self, place: ex.Place, items: Sequence[Item]) -> Integer:
        """Where an entry stands; one item for several axes goes through all their entries."""
        extents, found = place.array.extents, Integer("")
        left = list(items)
        flat = len(items) == 1 and place.axes > 1
        for index, extent in zip(place.indices, extents, strict=True):
            found = found.times(extent)
            if not isinstance(index, ex.Span):
                found = found.plus(self.integer(index))
            elif items and not flat:
                found = found.plus(left.pop(0).along(index, self))
            else:
                found = found.plus(self.integer(index.start))
        return found.plus(as_integer(items[0].text)) if flat else found

    def place(self, node: ex.Place, items: Sequence[Item]) -> str:
        if not node.axes or items:
            return f"{self.array(node.array)}[{self.offset(node, items)}]"
        offset = str(self.offset(node, ()))
        return self.array(node.array) if offset == "0" else f"&{self.array(node.array)}[{offset}]"

    def call(self, node: ex.Call, items: Sequence[Item] = ()) -> str:
        name = node.function
        function = self.routine.function(name)
        if function is not None:
            return f"{self.style.symbol(function)}({', '.join(self.actual(node))})"
        if name == "zeros":
            return self.number(0.0)
        if name in ("finite", "peak"):
            (vector,) = node.arguments
            assert isinstance(vector, ex.Place)
            prefix = self.style.prefix if name == "finite" else self.style.own_prefix
            return f"{prefix}{name}({self.expression(vector)}, {self.count(vector)})"
        texts = [self.expression(each, 0, items) for each in node.arguments]
        if name in ("int", "real"):
            kind = "int" if name == "int" else self.style.type
            return f"({kind}){texts[0]}" if re.fullmatch(r"\w+(\[[^\]]*\])?", texts[0]) else f"({kind})({texts[0]})"
        if name == "min":
            return f"{self.style.own_prefix}min({', '.join(texts)})"
        if name == "isfinite":
            return f"isfinite({texts[0]})"
        return super().call(node, items)

    def count(self, place: ex.Place) -> Integer:
        """Number of entries of a place."""
        total = 1
        lengths = [linear(span.stop).plus(linear(span.start), -1) for span in place.spans]
        if len(lengths) == 1:
            return self.extent(place.spans[0])
        for each in lengths:
            total *= each.number
        return Integer("", total)

    def actual(self, node: ex.Call) -> list[str]:
        """The arguments of a call, with those that go without saying."""
        function = self.routine.function(node.function)
        takes = node.function in self.style.with_parameters or (
            self.style.has_parameters and (function is None or function.is_public)
        )
        return [
            *["parameters"] * takes,
            *map(self.expression, node.arguments),
            *["work"] * (node.function in self.style.with_work),
        ]

    def product(self, node: ex.MatrixProduct) -> str:
        left, right = node.left, node.right
        if not (isinstance(left, ex.Place) and isinstance(right, ex.Place) and left.axes == right.axes == 1):
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

    def begin_loop(self, node: st.For) -> None:
        name = node.index.identifier
        kind = f"{self.INDEX} " * (name in self.scopes.loops)
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

    def let(self, node: st.Let) -> None:
        name = node.target.identifier
        if isinstance(node.value, ex.MatrixProduct):
            if node.operator == "=":
                self.write(f"{self._started(name)} = {self.zero()};")
            self.sum_into(self.variable(node.target), "-=" if node.operator == "-=" else "+=", node.value, ())
            return
        if node.operator in ("+=", "-=") and node.value == ex.Constant(1, "int"):
            self.write(f"{node.operator[0] * 2}{self.variable(node.target)};")
            return
        target = self.variable(node.target) if node.target.record else self._started(name)
        self.write(f"{target} {node.operator} {self.expression(node.value)};")

    def store(self, node: st.Store) -> None:
        value, minus = node.value, False
        if isinstance(value, ex.Negation) and isinstance(value.operand, ex.MatrixProduct):
            value, minus = value.operand, True
        if isinstance(value, ex.MatrixProduct):
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
            along = [each.spans for each in parts(value) if isinstance(each, ex.Place) and each.axes == target.axes]
            columns = zip(target.spans, *along, strict=True)
            items = [self._through(name, column) for name, column in zip((ITEM, OTHER), columns, strict=False)]
        else:
            self.count_through(f"{self.INDEX} {ITEM}", "0", str(bounds[0]))
            items = [Item(ITEM)]
        self.write(f"{self.place(target, items)} {node.operator} {self.expression(value, 0, items)};")
        for item in items:
            if item.text != "0":
                self.close()

    def extent(self, span: ex.Span) -> Integer:
        """Number of entries."""
        known = length(span)
        return self.integer(combined("-", span.stop, span.start)) if known is None else Integer("", known)

    def _through(self, name: str, spans: Sequence[ex.Span]) -> Item:
        """Opens the loop over spans of one length, from the start that all have or else from zero."""
        first = spans[0]
        base = first.start if all(linear(span.start) == linear(first.start) for span in spans) else None
        if base is None:
            self.count_through(f"{self.INDEX} {name}", "0", str(self.extent(first)))
        else:
            self.count_through(f"{self.INDEX} {name}", str(self.integer(base)), str(self.integer(first.stop)))
        return Item(name, base)

    def _nested(self, target: ex.Place, value: ex.Expression) -> bool:
        """False where one index goes through all entries."""
        if target.axes == 1:
            return True
        places = [target, *(each for each in parts(value) if isinstance(each, ex.Place) and each.axes)]
        return not all(isinstance(x, ex.Span) and x.is_whole for each in places for x in each.indices[-each.axes :])

    def _multiplied(self, node: st.Store, product: ex.MatrixProduct, minus: bool) -> None:
        """Entries get products: each a sum, or, where rows are added to rows, all of a row side by side."""
        target, sign = node.target, "-=" if node.operator == "-=" else "+="
        left, right = product.left, product.right
        assert isinstance(left, ex.Place) and isinstance(right, ex.Place)
        along = [*left.spans[:-1], *right.spans[1:]]
        pairs = list(zip((ITEM, OTHER), zip(target.spans, along, strict=True), strict=False))
        rows = right.axes == 2 and right.spans[1].is_whole
        if not rows or node.operator == "=":
            items = [self._through(name, spans) for name, spans in pairs]
            entry = self.place(target, items)
            self.write("{")
            self.depth += 1
            self.write(
                f"{self.declared_number('total', stays=False)} = {self.zero() if node.operator == '=' else entry};"
            )
            self.sum_into("total", sign, product, items)
            self.write(f"{entry} = {'-' * minus}total;")
            self.close()
            self._joined()
        else:
            items = [self._through(name, spans) for name, spans in pairs[:-1]]
            term = self._through(TERM, (left.spans[-1], right.spans[0]))
            self.write(f"{self.declared_number('factor', stays=True)} = {self.expression(left, 0, [*items, term])};")
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

    def sum_into(self, target: str, sign: str, product: ex.MatrixProduct, items: Sequence[Item]) -> None:
        """Adds the terms of a product to a scalar, or takes them from it."""
        left, right = product.left, product.right
        assert isinstance(left, ex.Place) and isinstance(right, ex.Place)
        term = self._through(TERM, (left.spans[-1], right.spans[0]))
        first = self.expression(left, PRODUCT, [*items[: left.axes - 1], term])
        second = self.expression(right, ATOM, [term, *items[left.axes - 1 :]])
        self.write(f"{target} {sign} {first} * {second};")
        self.close()

    def invoke(self, node: st.Invoke) -> None:
        function = self.routine.function(node.call.function)
        symbol = self.style.kernel(node.call.function) if function is None else self.style.symbol(function)
        actual = self.actual(node.call)
        if node.operator == "=":
            self.write(f"{symbol}({', '.join([*actual, *map(self.expression, node.targets)])});")
            return
        (target,) = node.targets
        share = ex.Array("share", (int(str(self.count(target))),), writable=True)
        self.write("{")
        self.depth += 1
        self.write(self.style.own_array(share))
        self.write(f"{symbol}({', '.join([*actual, 'share'])});")
        self.store(st.Store(target, node.operator, whole(share)))
        self.close()

    def do(self, node: st.Do) -> None:
        if node.call.function == st.BEGIN:
            return
        function = self.routine.function(node.call.function)
        ignored = self.IGNORED * (function is not None and function.returns is not None)
        self.write(f"{ignored}{self.expression(node.call)};")

    def look(self, node: st.Look) -> None:
        self.write(f"{self._started(node.view.name)} = {self.expression(node.value)};")

    def give_back(self, value: ex.Expression) -> None:
        if isinstance(value, ex.Call) and value.function == "all":
            self.return_all(value)
            return
        assert isinstance(self.function.returns, int)
        result = ex.Array("result", (self.function.returns,), writable=True)
        if isinstance(value, ex.Call) and value.function != "zeros":
            self.invoke(st.Invoke((whole(result),), "=", value))
        else:
            self.store(st.Store(whole(result), "=", value))
        self.write("return;")

    def return_all(self, value: ex.Call) -> None:
        """Returns whether a condition holds for all entries."""
        (condition,) = value.arguments
        place = next(each for each in parts(condition) if isinstance(each, ex.Place) and each.axes)
        item = self._through(ITEM, place.spans)
        self.begin("if", f"!({self.expression(condition, 0, [item])})")
        self.write("return false;")
        self.close()
        self.close()
        self.write("return true;")
