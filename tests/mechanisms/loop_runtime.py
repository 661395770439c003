"""The runtime's text run on kernels that answer with given numbers."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mbsym.codegen.build import DEFAULT_FLAGS, compile_c
from mbsym.codegen.c.routines import print_c
from mbsym.codegen.environment import fixed_text
from mbsym.codegen.interface import Real
from mbsym.codegen.numpy.arrays import print_arrays
from mbsym.codegen.routines.language import Routine
from mbsym.codegen.statuses import SENTENCES, Status
from mbsym.loops.runtime import loop_routine
from mbsym.loops.tolerances import RUNTIME

Array = np.ndarray[Any, Any]

STAND_INS = """#include <math.h>
#include <stdbool.h>
#include <string.h>
typedef {real} M_real;
enum {{ M_NQ = {nq}, M_NV = {n}, M_NR = {m}, M_NJ = 1 }};
enum {{ {statuses} }};
#define M_ABS {fabs}
#define M_INFINITY {infinity}
{numbers}
long M_counts[5];
static const M_real *M_taken(const M_real *from, M_real *to, int size)
{{
    memcpy(to, from, sizeof(M_real) * (size_t)size);
    return from + size;
}}
/* q holds the numbers. */
static void M_constrained_terms(const M_real *q, const M_real *v, const M_real *tau, M_real *vdot, M_real *response,
    M_real *delassus, M_real *right, M_real *weighted, M_real *inverses)
{{
    (void)v;
    (void)tau;
    q = M_taken(q, vdot, M_NV);
    q = M_taken(q, right, M_NR);
    q = M_taken(q, response, M_NV * M_NR);
    q = M_taken(q, delassus, M_NR * M_NR);
    q = M_taken(q, weighted, M_NV * M_NR);
    M_taken(q, inverses, M_NV);
}}
static void M_velocity_correction(const M_real *q, M_real *jacobian, M_real *response, M_real *delassus,
    M_real *weighted, M_real *inverses)
{{
    M_real vdot[M_NV], right[M_NR];
    M_constrained_terms(q, q, q, vdot, response, delassus, right, weighted, inverses);
    memcpy(jacobian, q + M_NQ - M_NR * M_NV, sizeof(M_real) * M_NR * M_NV);
}}
static void M_position_correction(const M_real *q, M_real *jacobian, M_real *response, M_real *delassus,
    M_real *weighted, M_real *inverses)
{{
    M_velocity_correction(q, jacobian, response, delassus, weighted, inverses);
}}
static void M_constraint_jacobian(const M_real *q, M_real *jacobian)
{{
    memcpy(jacobian, q + M_NQ - M_NR * M_NV, sizeof(M_real) * M_NR * M_NV);
}}
/* Open at first, then closed. */
static void M_constraint_residual(const M_real *q, M_real *residual)
{{
    static int calls;
    (void)q;
    for (int i = 0; i < M_NR; ++i) residual[i] = calls ? (M_real)0 : (M_real)1;
    ++calls;
}}
static void M_closure_scale(const M_real *q, M_real *size, M_real *rounding)
{{
    (void)q;
    for (int i = 0; i < M_NR; ++i) size[i] = rounding[i] = (M_real)1;
}}
static void M_moved_position(const M_real *q, const M_real *motion, M_real *moved)
{{
    (void)motion;
    memcpy(moved, q, sizeof(M_real) * M_NQ);
}}
static void M_constrained_wrenches(const M_real *q, const M_real *v, const M_real *vdot, const M_real *lambda,
    M_real *wrenches)
{{
    (void)q;
    (void)v;
    (void)vdot;
    (void)lambda;
    wrenches[0] = 0;
}}
static void M_assembly_terms(const M_real *q, M_real *jacobian, M_real *inverses)
{{
    M_constraint_jacobian(q, jacobian);
    for (int i = 0; i < M_NV; ++i) inverses[i] = (M_real)1;
}}
/* Ones. */
static void M_constrained_derivative_terms(const M_real *q, const M_real *v, const M_real *vdot, const M_real *lambda,
    M_real *free_q, M_real *right_q, M_real *free_v, M_real *right_v, M_real *inverse)
{{
    (void)q;
    (void)v;
    (void)vdot;
    (void)lambda;
    for (int i = 0; i < M_NV * M_NV; ++i) free_q[i] = free_v[i] = inverse[i] = (M_real)1;
    for (int i = 0; i < M_NR * M_NV; ++i) right_q[i] = right_v[i] = (M_real)1;
}}
"""


@dataclass(frozen=True)
class Terms:
    """Closure rows J on M = L^T D L, free rates and right side, as a kernel gives them."""

    free: Array
    right: Array
    response: Array
    delassus: Array
    weighted: Array
    inverses: Array
    jacobian: Array
    mass: Array

    @classmethod
    def of_rows(cls, jacobian: Array, right: Array, seed: int = 0) -> Terms:
        """On a random mass matrix."""
        generator = np.random.default_rng(seed)
        n = jacobian.shape[1]
        lower = np.tril(generator.normal(size=(n, n)), -1) * 0.5 + np.eye(n)
        diagonal = generator.uniform(0.5, 2.0, n)
        mass = lower.T @ np.diag(diagonal) @ lower
        weighted = np.linalg.solve(lower.T, jacobian.T)
        inner = weighted / diagonal[:, None]
        return cls(
            generator.normal(size=n), right, np.linalg.solve(lower, inner), weighted.T @ inner, weighted, 1 / diagonal,
            jacobian, mass,
        )  # fmt: skip

    @property
    def packed(self) -> Array:
        """As the stand-ins of the C text read them."""
        parts = (self.free, self.right, self.response, self.delassus, self.weighted, self.inverses, self.jacobian)
        return np.concatenate([np.ravel(part) for part in parts])


def routine(rows: int, speeds: int, real: Real = "double") -> Routine:
    """The text for a number of rows and speeds; q holds the numbers of the stand-ins."""
    size = speeds + rows + 2 * speeds * rows + rows * rows + speeds + rows * speeds
    return loop_routine(size, speeds, rows, 1, real=real)


def solved_by_numpy(terms: Terms) -> tuple[Array, Array, Array]:
    """vdot, lambda, and rank and pivot."""
    m, n = terms.jacobian.shape[-2:]
    given = (terms.free, terms.response, terms.delassus, terms.right, terms.weighted, terms.inverses)
    names: dict[str, Any] = {"np": np, "math": math, "Status": Status, "_SENTENCES": SENTENCES, "_REAL": np.float64}
    names |= {item.name: item.double for item in RUNTIME} | {"constrained_terms": lambda *_: given}
    for file in ("evaluate", "statuses", "states"):
        exec(fixed_text(f"numpy/{file}.py", ""), names)
    made = routine(m, n)
    exec(print_arrays(made), names)
    q = made.kernels["constrained_terms"].inputs[0]
    batch = terms.free.shape[:-1]
    arguments = [("q", np.zeros((*batch, *q)), q), ("v", np.zeros(n), (n,)), ("tau", np.zeros(n), (n,))]
    results = [((n,), float), ((m,), float), ((), int), ((), float)]
    found, _ = names["_for_states"](names["_constrained_dynamics_report"], {}, arguments, results)
    return found[0], found[1], np.stack([found[2], found[3]], axis=-1)


def printed(rows: int, speeds: int, real: Real = "double") -> str:
    """The C text of all functions."""
    made = routine(rows, speeds, real)
    heads = {}
    for function in made.functions:
        if function.is_public:
            formals = [
                f"{'' if array.writable else 'const '}{'int' if array.kind == 'int' else 'M_real'} *{item.name}"
                for item in function.formals
                if (array := item.array) is not None
            ]
            heads[function.name] = (*(f"{formal}," for formal in formals[:-1]), f"{formals[-1]})")
    return print_c(made, "M_", heads, real, has_parameters=False)


def compiled(
    place: Path, rows: int, speeds: int, real: Real = "double", change: Callable[[str], str] = lambda text: text
) -> Any:
    """The library of the C text for a number of rows and speeds; ``change`` is applied to the text."""
    size = speeds + rows + 2 * speeds * rows + rows * rows + speeds + rows * speeds
    suffix = "f" if real == "float" else ""
    values = {item.name: item.of(real) for item in RUNTIME}
    numbers = [
        f"#define M_{name} {value!r}{'' if isinstance(value, int) else suffix}" for name, value in values.items()
    ]
    head = STAND_INS.format(
        real=real,
        nq=size,
        n=speeds,
        m=rows,
        numbers="\n".join(numbers),
        fabs=f"fabs{suffix}",
        infinity="HUGE_VALF" if suffix else "HUGE_VAL",
        statuses=", ".join(f"M_{status.name} = {status.value}" for status in Status),
    )
    text = "\n\n".join([fixed_text("c/statuses.c", "M_"), change(printed(rows, speeds, real))])
    # A generated header declares what the text defines.
    definitions = re.findall(r"^int M_\w+\([^{]*\)(?=\n\{)", text, flags=re.MULTILINE)
    declared = "".join(f"{' '.join(found.split())};\n" for found in definitions)
    (place / "runtime.c").write_text(f"{head}{declared}{text}\n")
    return compile_c(place, "runtime", (*DEFAULT_FLAGS, "-Wdouble-promotion", "-Wfloat-conversion")).handle


def solved_by_c(place: Path, terms: Terms, real: Real = "double") -> tuple[Array, Array, Array]:
    """vdot, lambda, and rank and pivot."""
    m, n = terms.jacobian.shape
    kind = np.dtype(np.float32 if real == "float" else np.float64)
    library = compiled(place, m, n, real)
    arrays = [terms.packed.astype(kind), *(np.zeros(size, kind) for size in (n, n, n, m))]
    rank, pivot = np.zeros(1, np.intc), np.zeros(1, kind)
    library.M_constrained_dynamics_report(*(ctypes.c_void_p(array.ctypes.data) for array in (*arrays, rank, pivot)))
    return arrays[3], arrays[4], np.concatenate([rank, pivot])
