"""A routine without what few states need: it says instead which states it does not serve.

What remains of a branch into a function that is marked ``@seldom`` is ``require(test)``; states for which the test
fails are left to the function for one state.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from mbsym.codegen import expressions as ex
from mbsym.codegen import statements as st
from mbsym.codegen.expressions import parts
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.statements import bodies_replaced, expressions, walk


def without_seldom(routine: Routine) -> Routine:
    """The routine for ordinary states."""
    seldom = {function.name for function in routine.functions if function.is_seldom}

    def kept(body: tuple[st.Statement, ...]) -> tuple[st.Statement, ...]:
        found: list[st.Statement] = []
        for node in body:
            if isinstance(node, st.If) and is_seldom(node.body, seldom):
                test = node.test
                inner = test.operands[0] if isinstance(test, ex.Operation) and test.operator == "not" else None
                found.append(_required(inner or ex.Operation("not", (test,)), node))
                found += kept(node.otherwise)
            elif isinstance(node, st.If) and is_seldom(node.otherwise, seldom):
                found += [_required(node.test, node), *kept(node.body)]
            else:
                found.append(bodies_replaced(node, kept))
        return tuple(found)

    functions = []
    for function in routine.functions:
        if not function.is_seldom:
            body = kept(function.body)
            calls = {each.function for statement in walk(body) for each in _calls(statement)}
            functions.append(replace(function, body=body, calls=frozenset(calls)))
    return replace(routine, functions=tuple(functions))


def needed_of(routine: Routine) -> tuple[dict[str, st.Record], dict[str, frozenset[int]]]:
    """The records with the fields that somebody reads, and places of the results that nobody does, by derived function.

    What every function is handed is read.
    """
    read = {owner for function in routine.functions for owner in _read_by(function)}
    idle: dict[str, frozenset[int]] = {}
    filled: list[tuple[str, int, ex.Place]] = []
    for function in routine.functions:
        for statement in walk(function.body):
            if isinstance(statement, st.Invoke) and statement.call.function in routine.kernels:
                name = statement.call.function
                filled += [(name, k, target) for k, target in enumerate(statement.targets)]
                unread = (k for k, x in enumerate(statement.targets) if _owner(x.array, function.name) not in read)
                idle[name] = frozenset(unread) & idle.get(name, frozenset(range(len(statement.targets))))
    named = {target.array.name for name, k, target in filled if target.array.record and k not in idle[name]}
    named |= {name for owner, name in read if not owner}
    records = {
        name: replace(record, fields=tuple(item for item in record.fields if item.name in named))
        for name, record in routine.records.items()
    }
    return records, idle


def _read_by(function: st.Function) -> Iterator[tuple[str, str]]:
    """What a function reads, by its owners, and what it is handed."""
    yield from ((function.name, item.name) for item in function.formals)
    for statement in walk(function.body):
        given = statement.targets if isinstance(statement, st.Invoke) else ()
        for each in expressions(statement):
            for part in parts(each) if not any(each is target for target in given) else ():
                if isinstance(part, ex.Place):
                    yield _owner(part.array, function.name)
                elif isinstance(part, ex.Variable) and part.record:
                    yield "", part.identifier


def _owner(array: ex.Array, function: str) -> tuple[str, str]:
    """Fields of records belong to nobody in particular."""
    return ("" if array.record else function, array.name)


def _required(test: ex.Expression, node: st.Statement) -> st.Do:
    return st.Do(ex.Call("require", (test,), "bool"), node.remarks)


def is_seldom(body: tuple[st.Statement, ...], seldom: Set[str]) -> bool:
    """Whether a block does nothing but call functions that few states need."""
    plain = all(isinstance(each, (st.Do, st.Let, st.Store, st.Return)) for each in body)
    return bool(body) and plain and all(any(call.function in seldom for call in _calls(each)) for each in body)


def _calls(statement: st.Statement) -> list[ex.Call]:
    return [part for each in expressions(statement) for part in parts(each) if isinstance(part, ex.Call)]
