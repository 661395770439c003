"""Tables of all kinds on a slider, whose outputs are their values."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator, RegularGridInterpolator, make_interp_spline

from mbsym import Body, Joint, Model, NamedExpression, Table
from mbsym.values.table import BETWEEN, OUTSIDE

Array = np.ndarray[Any, Any]

EVEN = tuple(np.linspace(-1.0, 2.0, 13).tolist())
UNEVEN = (-1.0, -0.7, -0.65, 0.2, 0.9, 1.1, 1.7, 2.0)
FEW = ((-1.0, 2.0), (-1.0, 0.4, 2.0), (-1.0, -0.5, 1.0, 2.0))
ALONG = (-3.0, -1.0, 0.5, 1.0, 4.0)
"""Points of second arguments."""


def tables() -> tuple[Table, ...]:
    """One argument: each kind on even and uneven points and on few, held and continued; two arguments likewise."""
    random = np.random.default_rng(5)
    found = []
    for points, between, outside in product((EVEN, UNEVEN, *FEW), BETWEEN, OUTSIDE):
        values = random.uniform(-3, 3, len(points)).round(3).tolist()
        found.append(Table(f"c{len(found)}", points, values, between=between, outside=outside))
    for points, outside in product((EVEN, UNEVEN), OUTSIDE):
        values = random.uniform(-3, 3, (len(points), len(ALONG))).round(3).tolist()
        found.append(Table(f"m{len(found)}", points, ALONG, values, outside=outside))
    return tuple(found)


def slider(given: tuple[Table, ...]) -> Model:
    """A body on a rail; of two arguments the second is the speed."""
    return Model(
        "curves",
        (Body("cart", 1.3),),
        (Joint("rail", "prismatic", "ground", "cart", axis=(1, 0, 0), coordinates=("x",), speeds=("v",)),),
        outputs=tuple(
            NamedExpression(f"y_{item.name}", f"{item.name}(x, v)" if item.z else f"{item.name}(x)") for item in given
        ),
        tables=given,
    )


def scipys(table: Table, x: Array, v: Array, order: int = 0) -> Array:
    """Values of a table, or derivatives by its first argument, as SciPy has them."""
    points: Array = np.array(table.x)
    inside = np.clip(x, points[0], points[-1]) if table.outside == "hold" else x
    if table.z:
        speeds = np.clip(v, table.y[0], table.y[-1]) if table.outside == "hold" else v
        grid = RegularGridInterpolator((table.x, table.y), np.array(table.z), bounds_error=False, fill_value=None)
        return np.asarray(grid(np.stack([inside, speeds], axis=-1)))
    if table.between == "linear":
        curve: Any = make_interp_spline(points, table.y, k=1)
    else:
        curve = (PchipInterpolator if table.between == "cubic" else CubicSpline)(points, table.y)
    # SciPy's derivative of a straight line lacks its last piece beyond the end.
    found = np.asarray(curve(inside) if not order else curve.derivative(order)(inside))
    return np.where((order > 0) & (inside != x), 0.0, found)
