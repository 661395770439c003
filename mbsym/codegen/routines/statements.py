"""Statements of a routine in any language: the walk over a function, and what is given to what."""

from __future__ import annotations

import ast
import re
from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import ClassVar, Final

from mbsym.codegen.routines.expressions import OPERATORS, ExpressionPrinter, Place, Sum, Vector
from mbsym.codegen.routines.language import Array, Kind, Routine, RoutineFunction, Signature, constant_of

INDENT: Final = "    "


class FunctionPrinter(ExpressionPrinter):
    """One function of a routine on its way to lines of text."""

    END: ClassVar[str]
    """What ends a statement."""

    def __init__(self, routine: Routine, function: RoutineFunction) -> None:
        super().__init__(routine, function)
        self.lines: list[str] = []
        self.depth = 1
        self.views: dict[str, Array] = {}
        self.own: dict[str, Array] = {}
        self._last_line = 0
        # Arrays of which some entries are changed.
        self.changed = {
            name.id
            for statement in function.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            for name in ast.walk(node.value)
            if isinstance(name, ast.Name)
        }

    # ---- what each language says in its own way ----------------------------------------------------------------------

    @abstractmethod
    def begin(self, word: str, condition: str) -> None:
        """Opens the block of an if, elif or while."""

    @abstractmethod
    def begin_loop(self, name: str, start: str, stop: str, down: bool) -> None:
        """Opens the block of a loop."""

    @abstractmethod
    def otherwise(self) -> None:
        """Opens the block of an else."""

    @abstractmethod
    def close(self) -> None:
        """Ends a block."""

    @abstractmethod
    def fill(self, target: Place | Array, operator: str, vector: Vector) -> None:
        """Gives entries to a place or to a vector of its own."""

    @abstractmethod
    def invoke(
        self, targets: Sequence[Place | Array], operator: str, name: str, signature: Signature, arguments: Sequence[str]
    ) -> None:
        """Gives the results of a function to places and vectors."""

    @abstractmethod
    def look(self, view: Array, place: str) -> None:
        """Names a place."""

    @abstractmethod
    def give_back(self, value: ast.expr) -> None:
        """Returns a vector."""

    @abstractmethod
    def broken(self, indent: str, text: str) -> list[str]:
        """A statement as one or several lines."""

    @abstractmethod
    def remark(self, text: str) -> None:
        """A comment."""

    # ---- statements --------------------------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Adds a line, or several if it is long."""
        self.lines += self.broken(INDENT * self.depth, text)

    def mentioned(self) -> set[str]:
        """The words of the lines, comments aside."""
        code = (line for line in self.lines if not line.lstrip().startswith(("/*", "#")))
        return set(re.findall(r"\w+", "\n".join(code)))

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Adds the lines of statements."""
        for node in statements:
            above = [line for line in range(self._last_line + 1, node.lineno) if line in self.routine.comments]
            for line in above if self._last_line else ():
                self.remark(self.routine.comments[line])
            self._last_line = node.lineno
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        """Adds the lines of a statement."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._assign(node, node.targets[0], "=", node.value)
        elif isinstance(node, ast.AugAssign):
            self._assign(node, node.target, f"{OPERATORS[type(node.op)][0]}=", node.value)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.While):
            self.begin("while", self.scalar(node.test))
            self.block(node.body)
            self.close()
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.Return):
            self._return(node)
        elif isinstance(node, (ast.Break, ast.Continue)):
            self.write(f"{'break' if isinstance(node, ast.Break) else 'continue'}{self.END}")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self.write(f"{self.scalar(node.value)}{self.END}")
        else:
            self.routine.refuse(node, f"{type(node).__name__} is no statement of the routine language")

    def _if(self, node: ast.If, word: str = "if") -> None:
        self.begin(word, self.scalar(node.test))
        self.block(node.body)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self._if(node.orelse[0], "elif")
            return
        if node.orelse:
            self.otherwise()
            self.block(node.orelse)
        self.close()

    def _for(self, node: ast.For) -> None:
        call = node.iter
        counted = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
        if not (isinstance(node.target, ast.Name) and isinstance(call, ast.Call) and counted):
            self.routine.refuse(node, "a loop runs over a range", "write for i in range(...)")
        step = constant_of(call.args[2], self.routine.sizes) if len(call.args) == 3 else 1
        if step not in (1, -1):
            self.routine.refuse(node, "a loop steps by 1 or -1")
        bounds = [str(self.integer(argument)) for argument in call.args[:2]]
        start, stop = bounds if len(bounds) == 2 else ("0", bounds[0])
        self._declare(node, node.target.id, "int")
        self.begin_loop(node.target.id, start, stop, down=step == -1)
        self.block(node.body)
        self.close()

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            self.write(f"return{self.END}")
        elif isinstance(self.function.returns, int):
            self.give_back(node.value)
        else:
            want = self.function.returns
            if want is None or (self.kind(node.value) != want and want != "real"):
                self.routine.refuse(node, f"the function returns {want or 'nothing'}")
            self.write(f"return {self.scalar(node.value, real=want == 'real')}{self.END}")

    def _assign(self, node: ast.stmt, target: ast.expr, operator: str, value: ast.expr) -> None:
        found = self.callee(value)
        if found is not None:
            name, signature, arguments = found
            several = target.elts if isinstance(target, ast.Tuple) else [target]
            if len(several) != len(signature.outputs):
                self.routine.refuse(node, f"{name} has {len(signature.outputs)} results")
            given = self.actual(node, name, signature, arguments)
            targets = [
                self._target(node, part, Sum("", prod(extents)), operator != "=")
                for part, extents in zip(several, signature.outputs, strict=True)
            ]
            self.invoke(targets, operator, name, signature, given)
        elif isinstance(target, ast.Tuple):
            self.routine.refuse(node, "only results of functions are given to several names")
        elif self.is_vector(value):
            self._give_vector(node, target, operator, value)
        elif isinstance(target, ast.Name) and target.id not in self.arrays:
            kind = self.kind(value)
            if operator == "=":
                self._declare(node, target.id, kind)
            real = self.kinds.get(target.id) == "real"
            self.write(f"{target.id} {operator} {self.scalar(value, real=real)}{self.END}")
        elif isinstance(target, ast.Subscript) and not self.is_vector(target):
            self._require_writable(node, target)
            self.write(f"{self.scalar(target)} {operator} {self.scalar(value, real=True)}{self.END}")
        else:
            self.routine.refuse(node, "a scalar cannot be given to a vector", "write zeros(n), or give one entry")

    def _give_vector(self, node: ast.stmt, target: ast.expr, operator: str, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and operator == "=" and self.is_view(value):
            length = self.view_length(value)
            if target.id in self.arrays and target.id not in (*self.views, *self.own):
                self.routine.refuse(node, f"{target.id} is an array", f"write {target.id}[:]")
            if target.id in self.own or target.id in self.changed or length.text:
                self.routine.refuse(node, f"{target.id} is a vector of its own", "write copy(...)")
            self.views[target.id] = self.arrays[target.id] = Array(target.id, (length.number,), writable=False)
            self.look(self.views[target.id], self.argument(value))
            return
        vector = self.vector(value)
        self.fill(self._target(node, target, vector.length, operator != "="), operator, vector)

    def _target(self, node: ast.stmt, target: ast.expr, length: Sum, known: bool) -> Place | Array:
        """Where a vector goes: a place, or a vector of the function's own."""
        if isinstance(target, ast.Subscript):
            self._require_writable(node, target)
            place = self.place(target)
            if not place.length.text and not length.text and place.length.number != length.number:
                self.routine.refuse(node, f"{length} entries for {place.length}")
            return place
        if not isinstance(target, ast.Name) or (target.id in self.arrays and target.id not in self.own):
            self.routine.refuse(node, "a vector is given to a new name, a row or a slice", "write name[:] for an array")
        if length.text or (target.id in self.own and self.own[target.id].size != length.number):
            self.routine.refuse(node, f"{target.id} has one size", "give it as many entries as before")
        if known and target.id not in self.own:
            self.routine.refuse(node, f"{target.id} has no value yet")
        self.own[target.id] = self.arrays[target.id] = Array(target.id, (length.number,), writable=True)
        return self.own[target.id]

    def _require_writable(self, node: ast.stmt, target: ast.Subscript) -> None:
        inner: ast.expr = target
        while isinstance(inner, ast.Subscript):
            inner = inner.value
        if not isinstance(inner, ast.Name) or inner.id not in self.arrays or not self.arrays[inner.id].writable:
            self.routine.refuse(node, f"{ast.unparse(inner)} is only read here", "write copy(...) for one of its own")

    def _declare(self, node: ast.stmt, name: str, kind: Kind) -> None:
        if name in self.arrays or self.kinds.setdefault(name, kind) != kind:
            was = "a vector" if name in self.arrays else self.kinds[name]
            self.routine.refuse(node, f"{name} is {was} and cannot become {kind}", "use another name")
