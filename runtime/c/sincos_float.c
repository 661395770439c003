/* Sine and cosine of many angles without branches, in the vectors of GCC and Clang; single precision. */
/* mbsym: copied from here */
/* Angles side by side in a vector, where the compiler has vectors. */
#ifndef MODEL_ABREAST
#if defined(__GNUC__) && (defined(__SSE2__) || defined(__ARM_NEON) || defined(__aarch64__))
#define MODEL_ABREAST 4
#define MODEL_FOUR(a, b, c, d) {(a), (b), (c), (d)}
#else
#define MODEL_ABREAST 1
#define MODEL_FOUR(a, b, c, d) (a), (b), (c), (d)
#endif
#endif

/*
 * In vectors, sines and cosines are computed here if each step is rounded to the type's own numbers: methods 16 and
 * 32 round what is narrower than so many bits to these, and leave float alone.
 * Elsewhere, and with -ffast-math, the library computes them, as accurately.
 */
#if MODEL_ABREAST > 1
#define MODEL_INLINE
typedef float MODEL_angles __attribute__((vector_size(4 * MODEL_ABREAST)));
#else
typedef float MODEL_angles;
#endif
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16 && FLT_EVAL_METHOD != 32
#undef MODEL_INLINE
#elif defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
#undef MODEL_INLINE
#endif
#if defined(MODEL_INLINE) && MODEL_ABREAST > 1
typedef uint32_t MODEL_bits __attribute__((vector_size(4 * MODEL_ABREAST)));
#elif defined(MODEL_INLINE)
typedef uint32_t MODEL_bits;
#endif

/* Angles come in vectors: a load of the size of several stores before it would have to wait for them. */
static void MODEL_sincos(int count, const MODEL_angles *restrict angle, MODEL_real *restrict sine,
                         MODEL_real *restrict cosine)
{
#ifdef MODEL_INLINE
    /* Up to here both are below one unit in the last place; beyond, the library computes them. */
    const float bound = 1e3f;
    uint32_t limit;
    uint32_t outside[MODEL_ABREAST];
    MODEL_bits beyond = {0};
    (void)memcpy(&limit, &bound, sizeof limit);
    for (int i = 0; i < count; i += MODEL_ABREAST) {
        const MODEL_angles x = angle[i / MODEL_ABREAST];
        /* The nearest multiple of pi/2: so large a sum has no digits behind the point; its last bits count. */
        const MODEL_angles shifted = x * 0.636619772f + 12582912.0f;
        const MODEL_angles quarters = shifted - 12582912.0f;
        /* What is left, r, and what its rounding lost. All parts of pi/2 but the last make exact products. */
        const MODEL_angles once = x - quarters * 1.57067871f;
        const MODEL_angles second = quarters * 0.000117614865f;
        const MODEL_angles twice = once - second;
        const MODEL_angles third = quarters * 9.91803972e-10f;
        const MODEL_angles r = twice - third;
        const MODEL_angles rest = (((once - twice) - second) + ((twice - r) - third)) - quarters * 2.89607395e-13f;
        const MODEL_angles z = r * r;
        const MODEL_angles zz = z * z;
        /* Pairs of terms wait for each other less long than one term after the other. */
        const MODEL_angles p = (0.166666672f + z * -0.00833333191f) + zz * (0.000198400638f + z * -2.72468765e-06f);
        const MODEL_angles c = (0.0416666679f + z * -0.00138888881f) + zz * (2.48005799e-05f + z * -2.72984153e-07f);
        const MODEL_angles half = 0.5f * z;
        const MODEL_angles most = 1.0f - half;
        const MODEL_angles sine_r = r - (z * (r * p + 0.5f * rest) - rest);
        const MODEL_angles cosine_r = most + (((1.0f - most) - half) + (zz * c - r * rest));
        /* Odd quarters exchange the two; then the signs. */
        MODEL_bits size;
        MODEL_bits quarter;
        MODEL_bits s;
        MODEL_bits k;
        (void)memcpy(&size, &x, sizeof size);
        (void)memcpy(&quarter, &shifted, sizeof quarter);
        (void)memcpy(&s, &sine_r, sizeof s);
        (void)memcpy(&k, &cosine_r, sizeof k);
        const MODEL_bits exchange = (s ^ k) & (UINT32_C(0) - (quarter & UINT32_C(1)));
        s ^= exchange ^ ((quarter << 30) & (UINT32_C(1) << 31));
        k ^= exchange ^ (((quarter + UINT32_C(1)) << 30) & (UINT32_C(1) << 31));
        (void)memcpy(&sine[i], &s, sizeof s);
        (void)memcpy(&cosine[i], &k, sizeof k);
        /* Bits of numbers that are not negative are ordered as they are, and NaN is above; a difference shows below. */
        beyond |= (limit - UINT32_C(1)) - (size & (UINT32_MAX >> 1));
    }
    (void)memcpy(outside, &beyond, sizeof outside);
    for (int i = 1; i < MODEL_ABREAST; ++i) {
        outside[0] |= outside[i];
    }
    if (outside[0] > (UINT32_MAX >> 1)) {
        for (int i = 0; i < count; ++i) {
            const float x = ((const float *)angle)[i];
            if (!(fabsf(x) < bound)) {
                sine[i] = sinf(x);
                cosine[i] = cosf(x);
            }
        }
    }
#else
    for (int i = 0; i < count; ++i) {
        const float x = ((const float *)angle)[i];
        sine[i] = sinf(x);
        cosine[i] = cosf(x);
    }
#endif
}

#undef MODEL_INLINE
