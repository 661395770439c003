"""A function that a user wrote by hand, in Python or C, against mbsym's function of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from mbsym.doors import numpy as np
from mbsym.errors import CodegenError, ToolchainError
from mbsym.model.system import Model
from mbsym.testing.at_states import StateVerdict, at_states
from mbsym.testing.subject import Subject, bound, subject_of
from mbsym.testing.users_function import CFunction, PythonFunction, UsersFunction, c_function

Way: TypeAlias = Literal["auto", "exact", "numeric"]

STATES: Final = 20


@dataclass(frozen=True, slots=True)
class FunctionComparison:
    """What was found; true where both functions are the same.

    Attributes:
        function: mbsym's.
        equal: whether nothing differs.
        way: "exact" where a finite field decided, "numeric" where states in double precision did.
        why: why it is not exact, or "".
        entry: the first entry that differs, in words, or "".
        values: of that entry, the user's and mbsym's.
        allowed: by how much doubles may differ there.
        state: value of each argument and parameter there, by name.
        states: random states that were tried in double precision.
        probability: with which functions that are equal in the field differ all the same.
        sentence: all of it in words.
    """

    function: str
    equal: bool
    way: str
    why: str
    entry: str
    values: tuple[float, float]
    allowed: float
    state: dict[str, Any]
    states: int
    probability: float
    sentence: str

    def __bool__(self) -> bool:
        return self.equal


def assert_same_function(
    function: Callable[..., Any] | str | Path,
    model: Model | str | Path,
    name: str,
    *,
    arguments: Sequence[str] = (),
    symbol: str = "",
    way: Way = "auto",
    states: int = STATES,
    seed: int = 0,
) -> FunctionComparison:
    """Passes if a function that was written by hand computes what mbsym's does, else says what differs, and where.

    Args:
        function: anything that Python calls, with numbers and arrays, or the path of a C source. C functions take
            ``double`` and ``const double *`` (or arrays) and return a ``double`` or fill ``double *``: one for each
            result of mbsym's function, or one for each entry.
        model: the mechanism, a model file, or the name of a bundled example.
        name: of mbsym's function, such as ``inverse_dynamics``.
        arguments: what the arguments of your function stand for, in their order: an argument of mbsym's function
            (``q``), an entry of one (``q_hinge``, ``v_hinge``, ``vdot_hinge``, ``tau_hinge``, an input) or a parameter
            of the model. By default the names of your arguments say so; those that say nothing are the remaining
            arguments in order, or the remaining entries. Parameters that your function does not take are numbers.
        symbol: the function's name in a C source, where there are several.
        way: "exact" evaluates both in a finite field, "numeric" at random states in double precision. "auto" does
            both; where the field does not decide, states do.
        states: how many.
        seed: of the states.

    Returns:
        What was found, and in which way.

    Raises:
        AssertionError: they differ, or with way "exact" the field does not decide.
        MbsymError: the model is unusable or has no such function; your function does not fit it, or does not compile.
    """
    found = compare_function(
        function, model, name, arguments=arguments, symbol=symbol, way=way, states=states, seed=seed
    )
    if not found:
        raise AssertionError(found.sentence)
    return found


def compare_function(
    function: Callable[..., Any] | str | Path,
    model: Model | str | Path,
    name: str,
    *,
    arguments: Sequence[str] = (),
    symbol: str = "",
    way: Way = "auto",
    states: int = STATES,
    seed: int = 0,
) -> FunctionComparison:
    """What was found; see ``assert_same_function``."""
    if way not in ("auto", "exact", "numeric"):
        raise CodegenError(f"way is {way!r}", where="way", remedy="give 'auto', 'exact' or 'numeric'")
    users: UsersFunction
    if callable(function):
        users = PythonFunction(function)
        subject = subject_of(model, name, {*arguments, *users.own})
    else:
        first = c_function(Path(function), symbol, name, ())
        asked = {item.name for item in first.declared.arguments}
        subject = subject_of(model, name, {*arguments, *asked})
        results = {item.name for item in subject.function.outputs}
        taken = {*subject.names, *([] if not arguments else _inputs_by_number(first, len(arguments)))} - results
        users = CFunction(first.path, first.source, first.declared, frozenset(taken))
    own = users.own or (tuple(subject.shapes) if not arguments else ())
    names = bound(subject, own, arguments, users.scalars or (None,) * len(own))
    return _Comparer(users, names, subject).compared(way, states, seed)


def _inputs_by_number(function: CFunction, count: int) -> list[str]:
    """Names of the first arguments, where the user says what they stand for, constant or not."""
    return [item.name for item in function.declared.arguments][:count]


@dataclass(frozen=True, slots=True)
class _Comparer:
    users: UsersFunction
    names: Sequence[str]
    subject: Subject

    def compared(self, way: Way, states: int, seed: int) -> FunctionComparison:
        from mbsym.testing.in_the_field import FieldVerdict, in_the_field

        field = FieldVerdict("undecided", "it was not asked for")
        if way != "numeric":
            field = in_the_field(self.users, self.names, self.subject)
        seen = StateVerdict(0)
        try:
            if way != "exact" or field.outcome == "different":
                seen = at_states(self.users, self.names, self.subject, states, seed)
        except ToolchainError:
            if field.outcome == "undecided":
                raise
        if field.outcome == "undecided" and way == "exact":
            return self._told(False, "exact", field.why, seen, field.probability, f"it is not decided: {field.why}")
        is_exact = field.outcome != "undecided"
        decided = "exact" if is_exact else "numeric"
        if seen.position is not None:
            return self._different(decided, field, seen)
        if field.outcome == "different":
            entry = self.subject.entry_name(field.position)
            told = (
                f"{entry} differs in the field of 2^61 - 1 elements: {field.values[0]}, and mbsym's is "
                f"{field.values[1]}; doubles at {seen.states} states do not show it\n(a number of the model with 16 "
                "digits is that decimal: if it is to be a third, write 1/3 there, or compare with way='numeric')"
            )
            return self._told(False, "exact", "", seen, 0.0, told, entry)
        if is_exact:
            told = f"the same function (exact: probability of error below {field.probability:.1e}"
            told += f"; {seen.states} states in double precision agree too)" if seen.states else ")"
        else:
            told = (
                f"the same at {seen.states} random states in double precision (numeric, largest difference "
                f"{seen.worst:.2g} of what rounding allows); not exact: {field.why}"
            )
        return self._told(True, decided, field.why if not is_exact else "", seen, field.probability, told)

    def _different(self, way: str, field: Any, seen: StateVerdict) -> FunctionComparison:
        """What is said of a state that shows a difference."""
        assert seen.position is not None
        entry = self.subject.entry_name(seen.position)
        lines = [f"{entry} is different", f"  yours: {seen.values[0]!r}", f"  mbsym: {seen.values[1]!r}", "at"]
        for name, value in (seen.state or {}).items():
            lines += [f"  {each} = {number!r}" for each, number in self._entries(name, value)]
        if field.outcome == "equal":
            lines.append("(over exact numbers both are the same function: yours loses digits, or it rounds)")
        elif way == "exact":
            lines.append("(exact: they differ in the field of 2^61 - 1 elements too)")
        else:
            lines.append(f"(numeric, {seen.allowed:.1e} would be rounding; not exact: {field.why})")
        return self._told(False, way, field.why, seen, field.probability, "\n".join(lines), entry)

    def _entries(self, name: str, value: Any) -> list[tuple[str, float]]:
        """Entries of an argument with their names."""
        flat = [float(x) for x in np.ravel(value)]
        own = [key for key, (array, _) in self.subject.entries.items() if array == name]
        if len(own) != len(flat):
            own = [name] if np.ndim(value) == 0 else [f"{name}[{k}]" for k in range(len(flat))]
        return list(zip(own, flat, strict=True))

    def _told(
        self, equal: bool, way: str, why: str, seen: StateVerdict, probability: float, told: str, entry: str = ""
    ) -> FunctionComparison:
        first, *rest = told.split("\n")
        sentence = "\n".join([f"{self.users.title} and mbsym's {self.subject.name}: {first}", *rest])
        state = dict(seen.state or {})
        return FunctionComparison(
            self.subject.name,
            equal,
            way,
            why,
            entry,
            seen.values,
            seen.allowed,
            state,
            seen.states,
            probability,
            sentence,
        )
