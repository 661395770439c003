"""Routines in C for several states side by side: vectors of lanes in the place of numbers, masks in that of conditions.

What few states need is left out. Each public function ``NAME_f_lanes`` says, by what is above zero, for which lanes the
function for one state would return OK with the same results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.c.routine_functions import CFunction
from mbsym.codegen.c.routines import CStyle
from mbsym.codegen.description import Real
from mbsym.codegen.expressions import parts
from mbsym.codegen.printer import ATOM, CONDITION, SUM, Item
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.routines.printer import INDENT
from mbsym.codegen.routines.seldom import needed_of, without_seldom
from mbsym.codegen.routines.spmd import Varying, side_by_side, varies
from mbsym.codegen.statements import every

_ARITHMETIC: Final = ("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True, slots=True)
class LaneText:
    """A routine over lanes.

    Attributes:
        text: of the functions that are asked for and those that they call.
        idle: places of the results of derived functions that the text does without, by function.
    """

    text: str
    idle: Mapping[str, frozenset[int]]


def print_lanes(
    routine: Routine,
    prefix: str,
    heads: Mapping[str, tuple[str, ...]],
    real: Real,
    has_parameters: bool,
    judged: Set[str],
) -> LaneText:
    """The text of a routine over lanes; see ``print_c``.

    Args:
        routine: what is printed.
        prefix: of all its names.
        heads: the arguments of its public functions.
        real: type of numbers.
        has_parameters: whether the module has run-time parameters.
        judged: derived functions that are called by their ``_judged`` form, which says what is not sound.
    """
    made = side_by_side(without_seldom(routine))
    records, idle = needed_of(made.routine)
    style = _LaneStyle(replace(made.routine, records=records), prefix, heads, real, has_parameters)
    style.varying, style.idle, style.judged = made.varying, idle, judged
    return LaneText(style.text(), idle)


class _LaneStyle(CStyle):
    """What all functions of a routine over lanes share."""

    varying: Varying
    idle: Mapping[str, frozenset[int]]
    judged: Set[str]

    def __init__(
        self, routine: Routine, prefix: str, heads: Mapping[str, tuple[str, ...]], real: Real, has_parameters: bool
    ) -> None:
        super().__init__(routine, prefix, heads, real, has_parameters)
        self.number_type = self.type
        self.type = self.types["real"] = f"{prefix}lanes"
        self.mask = f"{prefix}lanes_mask"
        self.own_prefix = f"{prefix}lanes_"
        self.parameters = f"{prefix}lanes_parameters"
        direct = [
            function.name
            for function in routine.functions
            if any(isinstance(each, ex.Call) and each.function == "require" for each in every(function.body))
        ]
        self.with_sound = routine.reaching(direct)

    def record(self, record: st.Record) -> str:
        return f"{self.own_prefix}{record.name.lower()}"

    def symbol(self, function: st.Function) -> str:
        return f"{self.own_prefix}{function.name}"

    def scalar(self, kind: str, *, varies: bool) -> str:
        """The type of a scalar, which is a number for all lanes, or one for each."""
        if varies:
            return self.mask if kind == "bool" else self.type
        return {"int": "int", "bool": "bool", "real": self.number_type}[kind]

    def field_type(self, record: st.Record, item: ex.Array) -> str:
        if (record.name, item.name) in self.varying.fields:
            return self.scalar(item.kind, varies=True)
        return super().field_type(record, item)

    def text(self) -> str:
        public = [function for function in self.routine.functions if function.is_public and function.name in self.heads]
        texts = [super().text(), *(self._wrapper(function) for function in public)]
        return "\n\n".join(texts)

    def _wrapper(self, function: st.Function) -> str:
        """The function as batches call it."""
        actual = ["parameters"] * (function.name in self.with_parameters)
        actual += [item.name for item in function.formals]
        actual += ["&sound"] * (function.name in self.with_sound)
        parameters = self.has_parameters and function.name not in self.with_parameters
        good = f"{self.prefix}ALL(({self.number_type}){self.prefix}OK)"
        lines = [
            f"static {self.type} {self.prefix}{function.name}_lanes(",
            *(f"{INDENT}{formal}" for formal in self.heads[function.name]),
            "{",
            *[f"{INDENT}(void)parameters;"] * parameters,
            f"{INDENT}{self.mask} sound = {self.own_prefix}everywhere();",
            f"{INDENT}const {self.type} status = {self.symbol(function)}({', '.join(actual)});",
            f"{INDENT}return {self.own_prefix}ones(sound & {self.own_prefix}same(status, {good}));",
            "}",
        ]
        return "\n".join(lines)

    def definition(self, function: st.Function) -> str:
        heads, self.heads = self.heads, {}
        text = super().definition(function)
        self.heads = heads
        return text

    def constants(self) -> Sequence[str]:
        return []

    def helpers(self, text: str) -> list[str]:
        return []

    def formal(self, item: st.Formal, function: st.Function) -> str:
        if item.array is not None and item.array.kind == "int":
            return f"int *{item.name}"
        if item.kind is not None:
            return f"{self.scalar(item.kind, varies=item.name in self.varying.scalars[function.name])} {item.name}"
        return super().formal(item, function)

    def formals(self, function: st.Function) -> list[str]:
        return super().formals(function) + [f"{self.mask} *sound"] * (function.name in self.with_sound)

    def returned(self, function: st.Function) -> str:
        if function.returns is None:
            return "void"
        return self.scalar(str(function.returns), varies=function.name in self.varying.results)

    def own_array(self, array: ex.Array) -> str:
        if array.kind == "int":
            return f"int {array.name}[{array.size} * {self.prefix}LANES];"
        return super().own_array(array)

    def printer(self, function: st.Function) -> CFunction:
        return _LaneFunction(self, function)

    def body(self, function: st.Function) -> list[str]:
        lines = super().body(function)
        if function.name in self.with_sound and not any("sound" in line for line in lines):
            lines.insert(0, f"{INDENT}(void)sound;")
        return lines


class _LaneFunction(CFunction):
    style: _LaneStyle

    def varies(self, node: ex.Expression) -> bool:
        """Whether an expression differs from lane to lane."""
        return varies(node, self.function, self.style.varying)

    def type_of(self, variable: ex.Variable) -> str:
        return self.style.scalar(variable.kind, varies=self.varies(variable))

    def in_lanes(self, node: ex.Expression, items: Sequence[Item] = (), level: int = CONDITION) -> str:
        """An expression in every lane."""
        if node.kind == "bool":
            if isinstance(node, ex.Constant):
                whole = f"{self.style.own_prefix}everywhere()"
                return whole if node.value else f"{self.style.own_prefix}not({whole})"
            return self.expression(node, level, items)
        if self.varies(node):
            return self.expression(node, level, items)
        return f"{self.style.prefix}ALL({self._real(node, items)})"

    def _real(self, node: ex.Expression, items: Sequence[Item] = ()) -> str:
        """A uniform number as a real one."""
        text = self.expression(node, ATOM, items)
        return text if node.kind == "real" else f"({self.style.number_type}){text}"

    # ---- expressions -------------------------------------------------------------------------------------------------

    def operation(self, node: ex.Operation, items: Sequence[Item] = ()) -> str:
        operator, operands = node.operator, node.operands
        if not any(self.varies(each) for each in operands):
            return super().operation(node, items)
        own = self.style.own_prefix
        if operator == "choice":
            if not self.varies(operands[0]):
                first, second = (self.in_lanes(each, items) for each in operands[1:])
                return self.choice(self.expression(operands[0], SUM, items), first, second)
            texts = [self.expression(operands[0], CONDITION, items)]
            return f"{own}chosen({', '.join([*texts, *(self.in_lanes(each, items) for each in operands[1:])])})"
        if operator in ("and", "or"):
            sign = "&" if operator == "and" else "|"
            return f" {sign} ".join(self.in_lanes(each, items, ATOM) for each in operands)
        if operator == "not":
            return f"{own}not({self.expression(operands[0], CONDITION, items)})"
        if operator in ("==", "!="):
            same = f"{own}same({', '.join(self.in_lanes(each, items) for each in operands)})"
            return same if operator == "==" else f"{own}not({same})"
        if operator in _ARITHMETIC and any(each.kind == "int" for each in operands):
            operands = tuple(
                each
                if self.varies(each) or not isinstance(each, (ex.NamedConstant, ex.Constant, ex.Variable))
                else _Cast.of(each)
                for each in operands
            )
            return super().operation(replace(node, operands=operands), items)
        return super().operation(node, items)

    def call(self, node: ex.Call, items: Sequence[Item] = ()) -> str:
        name, own = node.function, self.style.own_prefix
        if name in ("both", "except"):
            mask, test = node.arguments
            text = self.expression(test, ATOM) if name == "both" else f"{own}not({self.expression(test)})"
            if isinstance(mask, ex.Call) and mask.function == "everywhere":
                return text
            return f"({self.expression(mask, ATOM)} & {text})"
        if name == "real" and not self.varies(node.arguments[0]):
            return f"({self.style.number_type}){self.expression(node.arguments[0], ATOM)}"
        if name in ("finite", "peak"):
            (vector,) = node.arguments
            assert isinstance(vector, ex.Place)
            return f"{own}{name}({self.expression(vector)}, {self.count(vector)})"
        if name == "everywhere":
            return f"{own}everywhere()"
        if name == "any":
            return f"{own}any({self.expression(node.arguments[0])})"
        if name == "chosen":
            mask, new, old = node.arguments
            texts = [self.expression(mask), self.in_lanes(new, items), self.in_lanes(old, items)]
            return f"{own}chosen({', '.join(texts)})"
        if name in ("abs", "min", "sqrt", "isfinite"):
            texts = [self.in_lanes(each, items) for each in node.arguments]
            return f"{own}{name}({', '.join(texts)})"
        return super().call(node, items)

    def actual(self, node: ex.Call) -> list[str]:
        texts = super().actual(node)
        if node.function in self.style.with_sound:
            texts.append("sound")
        return texts

    # ---- statements --------------------------------------------------------------------------------------------------

    def let(self, node: st.Let) -> None:
        if self.varies(node.target) and not self.varies(node.value) and node.operator == "=":
            target = self.variable(node.target) if node.target.record else self._started(node.target.identifier)
            self.write(f"{target} = {self.in_lanes(node.value)};")
            return
        super().let(node)

    def zero(self) -> str:
        return f"{self.style.prefix}ALL({self.number(0.0)})"

    def store(self, node: st.Store) -> None:
        if node.target.array.kind == "int":
            self._store_integers(node)
        elif node.operator == "=" and not self.varies(node.value):
            super().store(replace(node, value=ex.Call("chosen", (_EVERYWHERE, node.value, node.value), "real", 0)))
        else:
            super().store(node)

    def _store_integers(self, node: st.Store) -> None:
        """An entry of each lane; lanes that are left out are done by the function for one state anyway."""
        value = node.value
        if isinstance(value, ex.Call) and value.function == "chosen":
            value = value.arguments[1]
        lanes = f"{self.style.prefix}LANES"
        self.count_through("int lane", "0", lanes)
        text = self.expression(value)
        if self.varies(value):
            text = f"(int)((const {self.style.number_type} *)&{text})[lane]"
        index = str(self.offset(node.target, ()))
        place = "lane" if index == "0" else f"{index} * {lanes} + lane"
        self.write(f"{self.array(node.target.array)}[{place}] = {text};")
        self.close()

    def invoke(self, node: st.Invoke) -> None:
        name = node.call.function
        left = self.style.idle.get(name, frozenset())
        targets = [self.expression(target) for k, target in enumerate(node.targets) if k not in left]
        symbol = f"{self.style.prefix}{name}_{'brief' if left else 'lanes'}{'_judged' * (name in self.style.judged)}"
        self.write(f"{symbol}({', '.join([*self.actual(node.call), *targets])});")

    def do(self, node: st.Do) -> None:
        if node.call.function == "require":
            self.write(f"*sound &= {self.expression(node.call.arguments[0], ATOM)};")
            return
        super().do(node)

    def return_all(self, value: ex.Call) -> None:
        condition = value.arguments[0]
        place = next(each for each in parts(condition) if isinstance(each, ex.Place) and each.axes)
        self.write(f"{self.style.mask} all = {self.style.own_prefix}everywhere();")
        item = self._through("item", place.spans)
        self.write(f"all &= {self.expression(condition, 0, [item])};")
        self.close()
        self.write("return all;")

    def finish(self, value: ex.Expression | None) -> None:
        if value is not None and self.function.name in self.style.varying.results and not self.varies(value):
            self.write(f"return {self.in_lanes(value)};")
            return
        super().finish(value)


_EVERYWHERE: Final = ex.Call("everywhere", (), "bool")


class _Cast:
    """An integer that is compared with lanes."""

    @staticmethod
    def of(node: ex.NamedConstant | ex.Constant | ex.Variable) -> ex.Expression:
        """As a real number."""
        if isinstance(node, ex.Constant):
            return ex.Constant(float(node.value), "real")
        return ex.Call("real", (node,), "real")
