/* Sine and cosine of many angles without branches, in the vectors of GCC and Clang; double precision. */
/* mbsym: copied from here */
/* Angles side by side in a vector, where the compiler has vectors. */
#ifndef MODEL_ABREAST
#if (defined(__GNUC__) && defined(__AVX__)) || (defined(__clang__) && (defined(__SSE2__) || defined(__aarch64__)))
#define MODEL_ABREAST 4
#define MODEL_FOUR(a, b, c, d) {(a), (b), (c), (d)}
#elif defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__))
#define MODEL_ABREAST 2
#define MODEL_FOUR(a, b, c, d) {(a), (b)}, {(c), (d)}
#else
#define MODEL_ABREAST 1
#define MODEL_FOUR(a, b, c, d) (a), (b), (c), (d)
#endif
#endif

/*
 * In vectors, sines and cosines are computed here if each step is rounded to the type's own numbers: method 1 rounds
 * what is narrower than double to double, and 16, 32 or 64 what is narrower than so many bits to these.
 * Elsewhere, and with -ffast-math, the library computes them, as accurately.
 */
#if MODEL_ABREAST > 1
#define MODEL_INLINE
typedef double MODEL_angles __attribute__((vector_size(8 * MODEL_ABREAST)));
#else
typedef double MODEL_angles;
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16 && FLT_EVAL_METHOD != 32 \
    && FLT_EVAL_METHOD != 64
#undef MODEL_INLINE
#elif defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#undef MODEL_INLINE
#endif
#if defined(MODEL_INLINE) && MODEL_ABREAST > 1
typedef uint64_t MODEL_bits __attribute__((vector_size(8 * MODEL_ABREAST)));
#elif defined(MODEL_INLINE)
typedef uint64_t MODEL_bits;
#endif

/* Angles come in vectors: a load of the size of several stores before it would have to wait for them. */
static void MODEL_sincos(int count, const MODEL_angles *restrict angle, MODEL_real *restrict sine,
                         MODEL_real *restrict cosine)
{
#ifdef MODEL_INLINE
    /* Up to here both are below one unit in the last place; beyond, the library computes them. */
    const double bound = 1e5;
    uint64_t limit;
    uint64_t outside[MODEL_ABREAST];
    MODEL_bits beyond = {0};
    (void)memcpy(&limit, &bound, sizeof limit);
    for (int i = 0; i < count; i += MODEL_ABREAST) {
        const MODEL_angles x = angle[i / MODEL_ABREAST];
        /* The nearest multiple of pi/2: so large a sum has no digits behind the point; its last bits count. */
        const MODEL_angles shifted = x * 0.6366197723675814 + 6755399441055744.0;
        const MODEL_angles quarters = shifted - 6755399441055744.0;
        /* What is left, r, and what its rounding lost. All parts of pi/2 but the last make exact products. */
        const MODEL_angles once = x - quarters * 1.5707963267923333;
        const MODEL_angles second = quarters * 2.5633441515839558e-12;
        const MODEL_angles r = once - second;
        const MODEL_angles rest = ((once - r) - second) - quarters * 1.0562999066987428e-23;
        const MODEL_angles z = r * r;
        const MODEL_angles zz = z * z;
        /* Pairs of terms wait for each other less long than one term after the other. */
        const MODEL_angles p = (0.16666666666666666 + z * -0.008333333333330948)
            + zz * ((0.0001984126983675853 + z * -2.7557316102529747e-06)
            + zz * (2.5051131840273875e-08 + z * -1.5918128954107197e-10));
        const MODEL_angles c = (0.041666666666666664 + z * -0.0013888888888887398)
            + zz * ((2.4801587298765662e-05 + z * -2.7557317271715595e-07)
            + zz * (2.087614626544433e-09 + z * -1.1382632212345609e-11));
        const MODEL_angles half = 0.5 * z;
        const MODEL_angles most = 1.0 - half;
        const MODEL_angles sine_r = r - (z * (r * p + 0.5 * rest) - rest);
        const MODEL_angles cosine_r = most + (((1.0 - most) - half) + (zz * c - r * rest));
        /* Odd quarters exchange the two; then the signs. */
        MODEL_bits size;
        MODEL_bits quarter;
        MODEL_bits s;
        MODEL_bits k;
        (void)memcpy(&size, &x, sizeof size);
        (void)memcpy(&quarter, &shifted, sizeof quarter);
        (void)memcpy(&s, &sine_r, sizeof s);
        (void)memcpy(&k, &cosine_r, sizeof k);
        const MODEL_bits exchange = (s ^ k) & (UINT64_C(0) - (quarter & UINT64_C(1)));
        s ^= exchange ^ ((quarter << 62) & (UINT64_C(1) << 63));
        k ^= exchange ^ (((quarter + UINT64_C(1)) << 62) & (UINT64_C(1) << 63));
        (void)memcpy(&sine[i], &s, sizeof s);
        (void)memcpy(&cosine[i], &k, sizeof k);
        /* Bits of numbers that are not negative are ordered as they are, and NaN is above; a difference shows below. */
        beyond |= (limit - UINT64_C(1)) - (size & (UINT64_MAX >> 1));
    }
    (void)memcpy(outside, &beyond, sizeof outside);
    for (int i = 1; i < MODEL_ABREAST; ++i) {
        outside[0] |= outside[i];
    }
    if (outside[0] > (UINT64_MAX >> 1)) {
        for (int i = 0; i < count; ++i) {
            const double x = ((const double *)angle)[i];
            if (!(fabs(x) < bound)) {
                sine[i] = sin(x);
                cosine[i] = cos(x);
            }
        }
    }
#else
    for (int i = 0; i < count; ++i) {
        const double x = ((const double *)angle)[i];
        sine[i] = sin(x);
        cosine[i] = cos(x);
    }
#endif
}

#undef MODEL_INLINE
