"""Tables as SciPy's interpolators have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from mbsym.values.numbers import NumberFunction, to_sympy
from mbsym.values.parameter import Value
from mbsym.values.table import Table


def reference_tables(tables: Iterable[Table]) -> dict[str, NumberFunction]:
    """What the names of tables are in expressions."""
    return {table.name: NumberFunction(table.arguments, table_values(table)) for table in tables}


@cache
def table_values(table: Table) -> Callable[..., Any]:
    """The values of a table at numbers or arrays of them."""
    within = _interpolator(table)
    if table.outside == "extrapolate":
        return within
    points = (table.x, table.y)[: table.arguments]
    return lambda *x: within(*(np.clip(each, at[0], at[-1]) for each, at in zip(x, points, strict=True)))


def table_slopes(table: Table, order: int) -> Callable[[float], float]:
    """A derivative of a table of one argument, that of order 0 the table itself."""
    if order == 0 or table.arguments == 2:
        return table_values(table)
    if order > 1 and table.between == "linear":
        return lambda x: 0.0
    within = _interpolator(table).derivative(order)  # type: ignore[attr-defined]
    held = table.outside == "hold"
    return lambda x: 0.0 if held and not table.x[0] <= x <= table.x[-1] else within(x)


def sympy_with_tables(value: Value, variables: Mapping[str, Any], tables: Iterable[Table]) -> Any:
    """The value in SymPy, which differentiates it; functions in it are those of ``slopes_by_name``."""
    called = {table.name: _slope_function(table.name, 0) for table in tables}
    return to_sympy(value, variables, reference_tables(tables)).replace(
        lambda part: getattr(part.func, "__name__", "") in called, lambda part: called[part.func.__name__](*part.args)
    )


def slopes_by_name(tables: Iterable[Table]) -> dict[str, Callable[[float], float]]:
    """Tables and their derivatives by the names that these have in SymPy."""
    return {f"{table.name}_{order}": table_slopes(table, order) for table in tables for order in range(3)}


@cache
def _slope_function(name: str, order: int) -> Any:
    """A derivative of a table, whose own derivative is the next one."""
    import sympy

    def fdiff(self: Any, _place: int = 1) -> Any:
        return _slope_function(name, order + 1)(*self.args)

    return type(f"{name}_{order}", (sympy.Function,), {"fdiff": fdiff})


def _interpolator(table: Table) -> Callable[..., Any]:
    """What is said between the points and goes on beyond them."""
    from scipy.interpolate import CubicSpline, PchipInterpolator, RegularGridInterpolator, make_interp_spline

    if table.arguments == 2:
        grid = RegularGridInterpolator((table.x, table.y), np.array(table.z), bounds_error=False, fill_value=None)
        return lambda x, y: grid(np.stack(np.broadcast_arrays(x, y), axis=-1)).reshape(np.broadcast(x, y).shape)
    if table.between == "linear":
        found: Callable[..., Any] = make_interp_spline(table.x, table.y, k=1)
    else:
        found = (PchipInterpolator if table.between == "cubic" else CubicSpline)(table.x, table.y)
    return found
