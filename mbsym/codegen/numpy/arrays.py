"""Routines in NumPy for many states at once: an entry is an array of all states, a branch that varies is a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import is_whole
from mbsym.codegen.numpy.routines import PythonPrinter
from mbsym.codegen.printer import ATOM, CONDITION, SUM, Item
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.printer import INDENT
from mbsym.codegen.routines.spmd import Varying, side_by_side, varies
from mbsym.codegen.statements import every, walk
from mbsym.codegen.statuses import Status

_NAMED: Final[Mapping[str, str]] = {"abs": "np.abs", "min": "np.minimum", "sqrt": "np.sqrt", "isfinite": "np.isfinite"}
_BLANK: Final[Mapping[str, str]] = {"int": "0", "bool": "np.False_", "real": "0.0"}
_SUMS: Final[Mapping[tuple[int, int], str]] = {
    (2, 1): "ij...,j...->i...", (1, 2): "i...,ij...->j...", (2, 2): "ij...,jk...->ik...",
}  # fmt: skip


def print_arrays(routine: Routine) -> str:
    """The text of a routine: its records, and its functions with an underscore before the name."""
    made = side_by_side(routine)
    texts = []
    own = [f"_{routine.name}_{n} = {x!r}" for n, x in routine.numbers.items() if n not in routine.module]
    # Choosing between members of an enumeration takes several times as long as between numbers.
    statuses = [name for name in routine.numbers if name in routine.module and name in Status.__members__]
    own += [f"_{name} = int(Status.{name})" for name in statuses]
    if own:
        texts.append("\n".join(own))
    texts += [_class(record) for record in routine.records.values()]
    texts += ["\n".join(_ArrayFunction(made.routine, each, made.varying).text()) for each in made.routine.functions]
    return "\n\n\n".join(texts)


def _class(record: st.Record) -> str:
    comments = dict(record.comments)
    lines = [f"class _{record.name}:"]
    lines += [f'{INDENT}"""{record.documentation}"""', ""] if record.documentation else []
    lines.append(f"{INDENT}def __init__(self, states):")
    for item in record.fields:
        made = _made(item) if item.extents else _BLANK[item.kind]
        note = f"  # {comments[item.name]}" if item.name in comments else ""
        lines.append(f"{INDENT * 2}self.{item.name} = {made}{note}")
    return "\n".join(lines)


def _made(array: ex.Array) -> str:
    kind = "int" if array.kind == "int" else "_REAL"
    return f"np.zeros(({', '.join(map(str, array.extents))}, *states.axes), dtype={kind})"


class _ArrayFunction(PythonPrinter):
    def __init__(self, routine: Routine, function: st.Function, varying: Varying) -> None:
        super().__init__(routine, function)
        self.varying = varying

    def text(self) -> list[str]:
        """The lines of the function."""
        function = self.function
        parts = {
            each.target.array.name
            for each in walk(function.body)
            if isinstance(each, st.Store) and not is_whole(each.target)
        }
        mentioned = {each.array.name for each in every(function.body) if isinstance(each, ex.Place)}
        handed = {
            each.array.name
            for call in every(function.body)
            if isinstance(call, ex.Call)
            for each in call.arguments
            if isinstance(each, ex.Place)
        }
        first = {each.target.array.name for each in walk(function.body) if isinstance(each, st.Store)}
        first |= {
            target.array.name for each in walk(function.body) if isinstance(each, st.Invoke) for target in each.targets
        }
        for array in function.own:
            if array.name in parts or (array.name in mentioned & handed and array.name not in first):
                self.write(f"{array.name} = {_made(array)}")
        self.block(function.body)
        head = self.head(self.symbol(function), ["states", *(item.name for item in function.formals)])
        return [*head, *self.lines]

    def symbol(self, function: st.Function) -> str:
        """The name of a function."""
        return f"_{function.name}" if function.is_public else f"_{self.routine.name}_{function.name}"

    def varies(self, node: ex.Expression) -> bool:
        """Whether an expression differs from state to state."""
        return varies(node, self.function, self.varying)

    # ---- expressions -------------------------------------------------------------------------------------------------

    def constant(self, node: ex.NamedConstant) -> str:
        if node.name not in self.routine.module:
            return f"_{self.routine.name}_{node.name}"
        return f"_{node.name}" if node.name in Status.__members__ else node.name

    def variable(self, node: ex.Variable) -> str:
        return f"{node.record}.{node.identifier}" if node.record else node.identifier

    def place(self, node: ex.Place, items: Sequence[Item]) -> str:
        name = f"{node.array.record}.{node.array.name}" if node.array.record else node.array.name
        indices = list(node.indices)
        gathers = any(not isinstance(index, ex.Span) and self.varies(index) for index in indices)
        while indices and isinstance(indices[-1], ex.Span) and indices[-1].is_whole:
            indices.pop()
        texts = [self._index(index) for index in indices] + ["*states.each"] * gathers
        return f"{name}[{', '.join(texts)}]" if texts else name

    def _index(self, index: ex.Expression | ex.Span) -> str:
        if not isinstance(index, ex.Span):
            return str(self.integer(index))
        if index.is_whole:
            return ":"
        start, stop = self.integer(index.start), self.integer(index.stop)
        return f"{'' if str(start) == '0' else start}:{stop}"

    def operation(self, node: ex.Operation, items: Sequence[Item] = ()) -> str:
        operator, operands = node.operator, node.operands
        if operator == "choice" and self.varies(operands[0]):
            texts = [self.expression(each, CONDITION) for each in operands]
            return f"np.where({', '.join(texts)})"
        if operator in ("and", "or") and self.varies(node):
            sign = "&" if operator == "and" else "|"
            return f" {sign} ".join(self.expression(each, ATOM) for each in operands)
        if operator == "not" and self.varies(node):
            return f"~{self.expression(operands[0], ATOM)}"
        return super().operation(node, items)

    def call(self, node: ex.Call, items: Sequence[Item] = ()) -> str:
        name = node.function
        if name == "seldom":
            mask, inner = node.arguments
            assert isinstance(inner, ex.Call)
            function = self.routine.function(inner.function)
            assert function is not None
            texts = list(map(self.expression, inner.arguments))
            return f"_on_those({', '.join([self.expression(mask), self.symbol(function), 'states', *texts])})"
        texts = list(map(self.expression, node.arguments))
        function = self.routine.function(name)
        if function is not None:
            return f"{self.symbol(function)}({', '.join(['states', *texts])})"
        if name == "zeros":
            return "0.0"
        if name in ("finite", "peak", "all"):
            (argument,) = node.arguments
            axis = "0" if argument.axes == 1 else str(tuple(range(argument.axes)))
            if name == "finite":
                return f"np.isfinite({texts[0]}).all(axis={axis})"
            if name == "peak":
                return f"np.abs({texts[0]}).max(axis={axis})"
            return f"({texts[0]}).all(axis={axis})"
        if name == "everywhere":
            return "True"
        if name in ("both", "except", "any", "chosen"):
            return f"_{name}({', '.join(texts)})"
        if name == "real":
            return texts[0]
        return f"{_NAMED[name]}({', '.join(texts)})"

    def product(self, node: ex.MatrixProduct) -> str:
        if node.left.axes == node.right.axes == 1:
            return f"({self.expression(node.left)} * {self.expression(node.right)}).sum(axis=0)"
        sums = _SUMS[node.left.axes, node.right.axes]
        return f'np.einsum("{sums}", {self.expression(node.left)}, {self.expression(node.right)})'

    # ---- statements --------------------------------------------------------------------------------------------------

    def let(self, node: st.Let) -> None:
        target = self.variable(node.target)
        value = node.value
        if node.operator != "=":
            # Never in place: what a name holds may be held elsewhere.
            right = SUM + (node.operator in ("-=", "/="))
            self.write(f"{target} = {target} {node.operator[0]} {self.expression(value, ATOM if right else SUM)}")
            return
        if isinstance(value, ex.Place):
            self.write(f"{target} = {self.copied(value)}")
        elif isinstance(value, ex.Constant) and value.kind == "bool" and self.varies(node.target):
            self.write(f"{target} = np.bool_({value.value})")
        else:
            self.write(f"{target} = {self.expression(value)}")

    def copied(self, value: ex.Expression) -> str:
        """The text of a value that does not change when what it was read from does."""
        if isinstance(value, ex.Call) and value.function == "chosen":
            mask, new, old = value.arguments
            return f"_chosen({self.expression(mask)}, {self.copied(new)}, {self.expression(old)})"
        return f"+{self.expression(value)}" if isinstance(value, ex.Place) else self.expression(value)

    def store(self, node: st.Store) -> None:
        target, value = node.target, node.value
        if target.array in self.function.own and is_whole(target) and node.operator == "=":
            if isinstance(value, ex.Call) and value.function == "zeros":
                self.write(f"{self.expression(target)} = {_made(target.array)}")
            else:
                self.write(f"{self.expression(target)} = {self.copied(value)}")
            return
        text = self.expression(target)
        text = text if text.endswith("]") else f"{text}[...]"
        self.write(f"{text} {node.operator} {self.expression(value)}")

    def invoke(self, node: st.Invoke) -> None:
        texts = map(self.expression, node.call.arguments)
        call = f"_results_of({', '.join([node.call.function, 'states', *texts])})"
        given = {item.name for item in self.function.formals}
        goals = []
        for target in node.targets:
            text = self.expression(target)
            kept = target.array.record or (target.array.name not in given and target.array in self.function.own)
            goals.append(text if kept or text.endswith("]") else f"{text}[...]")
        self.write(f"{', '.join(goals)}{',' * (len(goals) == 1)} = {call}")

    def do(self, node: st.Do) -> None:
        if node.call.function == st.BEGIN:
            name = self.expression(node.call.arguments[0])
            self.write(f"{name} = _{self.function.records[name].name}(states)")
            return
        self.write(self.expression(node.call))

    def look(self, node: st.Look) -> None:
        self.write(f"{node.view.name} = {self.expression(node.value)}")

    def give_back(self, value: ex.Expression) -> None:
        self.write(f"return {self.expression(value)}")
