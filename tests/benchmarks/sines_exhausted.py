"""Worst errors of sines and cosines in single precision over all numbers: of the inline ones, and of the library's.

``python tests/benchmarks/sines_exhausted.py`` takes some minutes; ``--every 97`` takes one number of 97. Errors are in
units in the last place of the exact value, which the double sine of the library stands for: it has 29 bits more.
"""

from __future__ import annotations

import argparse
import ctypes
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mbsym.codegen.build import build_library

RUNTIME: Final = Path(__file__).resolve().parents[2] / "runtime" / "c" / "sincos_float.c"

DRIVER: Final = """
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef float MODEL_real;
{runtime}
/* The error of a value in units in the last place of the exact one. */
static inline double units(float got, double exact)
{
    uint64_t bits;
    (void)memcpy(&bits, &exact, sizeof bits);
    int exponent = (int)((bits >> 52) & 2047) - 1023;
    exponent = exponent < -126 ? -126 : exponent;
    const uint64_t scale = (uint64_t)(1023 + 23 - exponent) << 52;
    double factor;
    (void)memcpy(&factor, &scale, sizeof factor);
    return fabs((double)got - exact) * factor;
}

void worst(int kind, uint32_t first, uint32_t last, uint32_t every, double worst[2], float where[2])
{
    MODEL_angles angle[16];
    float x[64], sine[64], cosine[64];
    const uint32_t count = 16 * (sizeof(MODEL_angles) / sizeof(float));
    worst[0] = worst[1] = 0.0;
    for (uint64_t bits = first; bits <= last; bits += (uint64_t)every * count) {
        for (uint32_t k = 0; k < count; ++k) {
            const uint64_t wanted = bits + (uint64_t)every * k;
            const uint32_t own = wanted > last ? last : (uint32_t)wanted;
            (void)memcpy(&x[k], &own, sizeof own);
        }
        if (kind == 0) {
            (void)memcpy(angle, x, count * sizeof(float));
            MODEL_sincos(16, angle, sine, cosine);
        } else {
            for (uint32_t k = 0; k < count; ++k) {
                sine[k] = sinf(x[k]);
                cosine[k] = cosf(x[k]);
            }
        }
        for (uint32_t k = 0; k < count; ++k) {
            const double own[2] = {units(sine[k], sin((double)x[k])), units(cosine[k], cos((double)x[k]))};
            for (int i = 0; i < 2; ++i) {
                if (!(own[i] <= worst[i])) {
                    worst[i] = own[i];
                    where[i] = x[k];
                }
            }
        }
    }
}
"""

NEAR: Final = 0x447A0000
"""Bits of 1000, from where on the library computes."""

LARGEST: Final = 0x7F7FFFFF


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="one number of so many")
    every = parser.parse_args().every
    with TemporaryDirectory() as scratch:
        source, library = Path(scratch) / "worst.c", Path(scratch) / "worst.so"
        runtime = RUNTIME.read_text(encoding="utf-8").partition("copied from here */\n")[2]
        source.write_text(DRIVER.replace("{runtime}", runtime), encoding="utf-8")
        build_library([source], library, ("-std=c99", "-O2"))
        worst = ctypes.CDLL(str(library)).worst
        print("| sine and cosine | numbers | worst sine [units] | worst cosine [units] |")
        print("|---|---|---|---|")
        rows = (("inline, below 1000", 0, NEAR - 1), ("sinf and cosf of the library, all", 1, LARGEST))
        for name, kind, last in rows:
            found = [0.0, 0.0]
            for sign in (0, 1 << 31):
                errors, places = (ctypes.c_double * 2)(), (ctypes.c_float * 2)()
                worst(kind, ctypes.c_uint32(sign), ctypes.c_uint32(sign + last), ctypes.c_uint32(every), errors, places)
                found = [max(a, b) for a, b in zip(found, errors, strict=True)]
            print(f"| {name} | {2 * (last + 1) // every:.3g} | {found[0]:.4f} | {found[1]:.4f} |", flush=True)


if __name__ == "__main__":
    main()
