"""Sines and cosines inline: units in the last place over many angles, and nanoseconds beside the library's.

    python tests/benchmarks/trigonometry.py [ANGLES]

ANGLES is 1e8 by default, which takes two minutes. The reference is the C library's in long double, with 11 more bits.
In single precision every number between 1e-30 and 1000 is tried whose place is a multiple of 2^31 / ANGLES.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mbsym.codegen.c.trigonometry import sincos_text
from mbsym.codegen.description import Real

PROGRAM = r"""
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef REAL x_real;
LOOP
enum { N = 4096 };
static uint64_t state = 88172645463325252u;
static double drawn(void)
{
    state ^= state << 13; state ^= state >> 7; state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}
static double worst[2], at[2];
static void compare(const x_real *angle)
{
    static x_angles vectors[N / x_ABREAST];
    static x_real found[2][N];
    memcpy(vectors, angle, sizeof vectors);
    x_sincos(N, vectors, found[0], found[1]);
    for (int i = 0; i < N; ++i) {
        const long double exact[2] = {sinl((long double)angle[i]), cosl((long double)angle[i])};
        for (int k = 0; k < 2; ++k) {
            const x_real size = (x_real)fabsl(exact[k]);
            const long double unit = (long double)size - (long double)NEXTAFTER(size, 0);
            const double off = exact[k] == 0 ? 0 : (double)(fabsl((long double)found[k][i] - exact[k]) / unit);
            if (!(off <= worst[k])) { worst[k] = off; at[k] = (double)angle[i]; }
        }
    }
}
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
__attribute__((noinline)) static void few(int n, const x_real *a, x_real *s, x_real *c)
{
    const x_angles v[8 / x_ABREAST] = {x_FOUR(a[0], a[1], a[2], a[3]), x_FOUR(a[4], a[5], 0, 0)};
    (void)n;
    x_sincos(6, v, s, c);
}
__attribute__((noinline)) static void many(int n, const x_real *a, x_real *s, x_real *c)
{
    x_angles v[64 / x_ABREAST];
    memcpy(v, a, (size_t)n * sizeof *a);
    x_sincos(n, v, s, c);
}
__attribute__((noinline)) static void library(int n, const x_real *a, x_real *s, x_real *c)
{
    for (int i = 0; i < n; ++i) { s[i] = SIN(a[i]); c[i] = COS(a[i]); }
}
static double timed(void (*function)(int, const x_real *, x_real *, x_real *), int n)
{
    static x_real a[64], s[64], c[64];
    double best = 1e9;
    for (int i = 0; i < 64; ++i) a[i] = (x_real)(-3 + 0.1 * i);
    for (int round = 0; round < 9; ++round) {
        const double start = now();
        for (int k = 0; k < 20000; ++k) { function(n, n < 64 ? a + 8 * (k & 7) : a, s, c); }
        const double took = (now() - start) / 20000 / n;
        best = took < best ? took : best;
    }
    return 1e9 * best;
}
int main(int count, char **texts)
{
    static x_real angle[N];
    const double all = count > 1 ? atof(texts[1]) : 0;
    long long done = 0;
    if (sizeof(x_real) == 4) {
        const uint32_t step = (uint32_t)(2147483648.0 / (all > 1 ? all : 1)) + 1u;
        x_real first = (x_real)1e-30, last = (x_real)1000;
        uint32_t bits, end;
        memcpy(&bits, &first, 4); memcpy(&end, &last, 4);
        while (all > 0 && bits < end) {
            for (int i = 0; i < N; ++i, bits += step) {
                const uint32_t own = bits < end ? bits : end - 1;
                memcpy(&angle[i], &own, 4);
            }
            compare(angle); done += N;
        }
    } else {
        for (long long block = 0; (double)done < all; ++block, done += N) {
            for (int i = 0; i < N; ++i) {
                const double u = drawn(), v = drawn();
                const double near = (double)(M_PIl / 4 * (long double)(int)(127000 * u));
                const double wide[4] = {2 * u - 1, 7 * (2 * u - 1), 1e5 * (2 * u - 1), exp2(76.6 * u - 60)};
                angle[i] = (x_real)(v < 0.2 ? nextafter(near, v < 0.1 ? 0 : 1e9) : wide[(int)(4.99 * (v - 0.2)) & 3]);
            }
            compare(angle);
        }
    }
    if (done) {
        printf("%lld angles, worst %.3f and %.3f units in the last place", done, worst[0], worst[1]);
        printf(" (at %.9g, %.9g)\n", at[0], at[1]);
    }
    printf("6 angles: %.1f ns each, library %.1f; ", timed(few, 6), timed(library, 6));
    printf("64: %.1f, library %.1f\n", timed(many, 64), timed(library, 64));
    return 0;
}
"""
FUNCTIONS: dict[Real, tuple[str, str, str]] = {
    "double": ("nextafter", "sin", "cos"),
    "float": ("nextafterf", "sinf", "cosf"),
}
BUILDS = (("gcc", "-O2"), ("gcc", "-O3", "-march=x86-64-v3"), ("gcc", "-O3", "-march=native"), ("clang", "-O2"))


def main(angles: str) -> None:
    """Prints a line for each type, then one for each compiler."""
    with TemporaryDirectory() as scratch:
        for real, (nextafter, sine, cosine) in FUNCTIONS.items():
            text = PROGRAM.replace("LOOP", sincos_text(real, "inline", "x_")).replace("REAL", real)
            text = text.replace("NEXTAFTER", nextafter).replace("SIN(", f"{sine}(").replace("COS(", f"{cosine}(")
            (Path(scratch) / "trial.c").write_text(text)
            for place, build in enumerate(BUILDS):
                files = ("trial.c", "-o", "trial", "-lm")
                if subprocess.run([*build, "-std=gnu11", *files], cwd=scratch, check=False).returncode:
                    print(f"{real}, {' '.join(build)}: left out")
                    continue
                tried = [] if place else [angles]
                told = subprocess.run([f"{scratch}/trial", *tried], capture_output=True, text=True, check=True).stdout
                print(f"{real}, {' '.join(build)}: {told.strip()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "1e8")
