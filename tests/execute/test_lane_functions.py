"""Functions over lanes give what the C library gives, also of zeros with signs and of what is no number."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from mbsym.codegen.build import find_compiler
from mbsym.codegen.environment import fixed_text
from mechanisms.generated_c import require, run

REALS = {"double": ("fabs", "HUGE_VAL", ""), "float": ("fabsf", "HUGE_VALF", "f")}
NUMBERS = ("-HUGE_VAL", "-2.5", "-0.0", "0.0", "1e-300", "1.0", "HUGE_VAL", "NAN")
FINITE = ("-2.5", "-1.0", "0.0", "0.5", "3.0")
EXPECTED = {
    "min(a, b)": "fmin{f}(x, y)",
    "max(a, b)": "fmax{f}(x, y)",
    "abs(a)": "fabs{f}(x)",
    "sign(a)": "x > 0 ? 1 : x < 0 ? -1 : x",
    "select(a, b, a)": "x > 0 ? y : x",
}


def program(real: str, lanes: int, numbers: tuple[str, ...]) -> str:
    """Prints what differs, each function on all pairs of numbers, other lanes holding other ones.

    The library leaves open which of two zeros is the smaller or the larger one.
    """
    library, infinity, suffix = REALS[real]
    vector = f"typedef {real} T_lanes __attribute__((vector_size(sizeof({real}) * {lanes})));"
    pairs = list(product(numbers, repeat=2))
    checks = "\n".join(
        f'        check("{call}", T_lanes_{call}, {expected.format(f=suffix)});' for call, expected in EXPECTED.items()
    )
    return f"""#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#define T_LANES {lanes}
#define T_ABS {library}
#define T_INFINITY {infinity}
typedef {real} T_real;
{vector if lanes > 1 else f"typedef {real} T_lanes;"}
#define T_ALL(x) ((T_lanes){{0}} + (x))
{fixed_text("c/lanes.c", "T_")}
static const volatile T_real pairs[][2] = {{ {", ".join(f"{{(T_real){a}, (T_real){b}}}" for a, b in pairs)} }};
#define check(name, made, expected) do {{ \\
    const T_lanes found = made; \\
    const T_real is = ((const T_real *)&found)[lane], wanted = expected; \\
    const bool same = is == wanted && (name[0] == 'm' || signbit(is) == signbit(wanted)); \\
    if (!same && !(isnan(is) && isnan(wanted))) {{ \\
        printf("%s of %g and %g: %g, not %g\\n", name, (double)x, (double)y, (double)is, (double)wanted); \\
    }} \\
}} while (0)
int main(void)
{{
    for (int k = 0; k < {len(pairs)}; ++k) {{
        const int lane = k % T_LANES;
        T_lanes a = T_ALL((T_real)7), b = T_ALL((T_real)-3);
        const T_real x = pairs[k][0], y = pairs[k][1];
        ((T_real *)&a)[lane] = x;
        ((T_real *)&b)[lane] = y;
{checks}
    }}
    return 0;
}}
"""


@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("fast", [False, True])
def test_lanes_agree_with_the_library(real: str, lanes: int, fast: bool, tmp_path: Path) -> None:
    """With -ffast-math, which knows neither signs of zeros nor what is no number, of all others."""
    require("gcc")
    (tmp_path / "lanes.c").write_text(program(real, lanes, FINITE if fast else NUMBERS))
    flags = ("-O2", "-Wno-psabi", *(["-ffast-math"] if fast else []))
    built = run(*find_compiler(), "-std=gnu99", *flags, "lanes.c", "-o", "lanes", "-lm", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    done = run(str(tmp_path / "lanes"), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
