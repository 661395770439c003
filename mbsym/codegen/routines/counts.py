"""Operations of an ordinary call of a routine's function: the text is gone through with its loops.

Ordinary is what few states need left out: functions marked ``@seldom``, and branches that leave a function or a loop
early. A loop under a condition is run once, which makes the counts those of one iteration and all the rest. Conditions
are gone through as far as they are looked at: what fails does so at the first entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import operands
from mbsym.codegen.integers import Linear, linear
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.seldom import is_seldom
from mbsym.symbolic.program import OperationCount

_KINDS: Final[Mapping[str, str]] = {"+": "add", "-": "add", "*": "mul", "/": "div"}
_COUNTED: Final[Mapping[type, str]] = {ex.Sum: "add", ex.Product: "mul", ex.Quotient: "div"}
_FUNCTIONS: Final[Mapping[str, str]] = {"sqrt": "sqrt", "abs": "other"}


def count_operations(routine: Routine, name: str) -> tuple[OperationCount, Counter[str]]:
    """The operations of a call besides those of derived functions, and how often it calls each of these."""
    function = routine.function(name)
    assert function is not None
    counter = _Counter(routine)
    counter.function(function, truth=True)
    found = {kind: counter.found[kind] for kind in ("add", "mul", "div", "sqrt", "other")}
    return OperationCount(**found), counter.calls


class _Counter:
    def __init__(self, routine: Routine) -> None:
        self.routine = routine
        self.found: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.indices: dict[str, int] = {}

    def function(self, function: st.Function, truth: bool) -> None:
        """A call, whose result is true or not where it is a condition."""
        outer, self.indices = self.indices, {}
        self._block(function.body, truth)
        self.indices = outer

    # ---- statements --------------------------------------------------------------------------------------------------

    def _block(self, body: tuple[st.Statement, ...], truth: bool = True) -> None:
        for statement in body:
            self._statement(statement, truth)

    def _statement(self, node: st.Statement, truth: bool) -> None:
        match node:
            case st.Let(_, operator, value):
                self._given(operator, value, 1)
            case st.Store(target, operator, value):
                self._given(operator, value, self._entries(target))
            case st.Invoke(_, _, call) | st.Do(call):
                self._expression(call)
            case st.If(test, body, otherwise):
                taken = not self._is_extraordinary(body)
                self._condition(test, taken)
                self._block(body if taken else otherwise, truth)
            case st.While(test, body):
                self._condition(test, truth=True)
                self._block(body)
                self._condition(test, truth=False)
            case st.For(index, start, stop, is_down, body):
                for count in range(self._integer(start), self._integer(stop), -1 if is_down else 1):
                    self.indices[index.identifier] = count
                    self._block(body, truth)
            case st.Return(value):
                if value is not None and value.kind == "bool":
                    self._condition(value, truth)
                elif value is not None:
                    self._expression(value)
            case st.Look() | st.Leave():
                return

    def _given(self, operator: str, value: ex.Expression, entries: int) -> None:
        """A value that is computed for a number of entries."""
        bare = value.operand if isinstance(value, ex.Negation) else value
        if isinstance(bare, ex.MatrixProduct):
            terms = self._terms(bare) * entries
            self.found.update({"add": terms, "mul": terms})
            return
        if value.kind == "bool":
            self._condition(value, truth=True)
            return
        self._expression(value, entries)
        if operator != "=":
            self.found[_KINDS[operator[0]]] += entries * (value.kind == "real")

    def _is_extraordinary(self, body: tuple[st.Statement, ...]) -> bool:
        """Whether a branch is for few states, or leaves early."""
        if isinstance(body[-1], (st.Return, st.Leave)):
            return True
        seldom = {function.name for function in self.routine.functions if function.is_seldom}
        return is_seldom(body, seldom)

    # ---- expressions -------------------------------------------------------------------------------------------------

    def _expression(self, node: ex.Expression, entries: int = 1) -> None:
        """Counts an expression, entry by entry."""
        match node:
            case ex.Operation("choice", (test, first, _)):
                self._condition(test, truth=True)
                self._expression(first, entries)
            case ex.Sum() | ex.Product() | ex.Quotient() | ex.Negation() | ex.Operation():
                for each in operands(node):
                    self._expression(each, entries)
                if node.kind == "real":
                    self.found[_COUNTED.get(node.__class__, "none")] += entries
            case ex.Call(name, arguments):
                self._call(name, node, entries)
                for argument in arguments if name != "all" else ():
                    self._expression(argument, entries)
            case ex.MatrixProduct():
                terms = self._terms(node) * entries
                self.found.update({"add": terms, "mul": terms})

    def _call(self, name: str, node: ex.Call, entries: int, truth: bool = True) -> None:
        function = self.routine.function(name)
        if function is not None:
            self.function(function, truth)
        elif name in self.routine.kernels:
            self.calls[name] += 1
        elif name in _FUNCTIONS:
            self.found[_FUNCTIONS[name]] += entries
        elif name == "peak":
            self.found["other"] += self._longest(node)
        elif name == "all":
            (condition,) = node.arguments
            self._expression(condition, self._longest(condition) if truth else 1)

    def _condition(self, node: ex.Expression, truth: bool) -> None:
        """Counts what is looked at of a condition that holds, or that does not."""
        match node:
            case ex.Operation("not", (inner,)):
                self._condition(inner, not truth)
            case ex.Operation("and" | "or" as word, tests):
                decided = (word == "or") is truth
                for each in tests[:1] if decided else tests:
                    self._condition(each, truth)
            case ex.Call(name, arguments):
                self._call(name, node, 1, truth)
                for argument in arguments if name != "all" else ():
                    self._expression(argument)
            case _:
                self._expression(node)

    # ---- sizes -------------------------------------------------------------------------------------------------------

    def _integer(self, node: ex.Expression) -> int:
        return self._value(linear(node))

    def _value(self, found: Linear) -> int:
        total = found.number
        for term, factor in found.terms.items():
            assert isinstance(term, ex.Variable)
            total += factor * self.indices[term.identifier]
        return total

    def _length(self, span: ex.Span) -> int:
        return max(0, self._value(linear(span.stop).plus(linear(span.start), -1)))

    def _entries(self, place: ex.Place) -> int:
        total = 1
        for span in place.spans:
            total *= self._length(span)
        return total

    def _terms(self, product: ex.MatrixProduct) -> int:
        assert isinstance(product.left, ex.Place)
        return self._length(product.left.spans[-1])

    def _longest(self, node: ex.Expression) -> int:
        if isinstance(node, ex.Place):
            return self._entries(node)
        return max(map(self._longest, operands(node)), default=1)
