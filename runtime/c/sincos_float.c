/* Sine and cosine of many angles in one loop without branches, which compilers vectorise; single precision. */
/* mbsym: copied from here */
/* Angles that the inner loop takes at a time; arrays are as long as the next multiple of four. */
#ifndef MODEL_ABREAST
#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__aarch64__)
#define MODEL_ABREAST 4
#else
#define MODEL_ABREAST 1
#endif
#endif

/* Up to here the loop is below one unit in the last place; where arithmetic is no IEEE arithmetic, nowhere. */
#if FLT_EVAL_METHOD == 0 && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)
#define MODEL_NEAR 1e3f
#else
#define MODEL_NEAR 0.0f
#endif

static void MODEL_sincos(int count, const MODEL_real *restrict angle, MODEL_real *restrict sine,
                         MODEL_real *restrict cosine)
{
    int far = 0;
    for (int start = 0; start < count; start += MODEL_ABREAST) {
        for (int i = start; i < start + MODEL_ABREAST; ++i) {
            /* The nearest multiple of pi/2: so large a sum has no digits behind the point; its last bits count. */
            const float shifted = angle[i] * 0.636619772f + 12582912.0f;
            const float quarters = shifted - 12582912.0f;
            /* What is left, r, and what its rounding lost. All parts of pi/2 but the last make exact products. */
            const float near = angle[i] - quarters * 1.57067871f;
            const float second = quarters * 0.000117614865f;
            const float nearer = near - second;
            const float third = quarters * 9.91803972e-10f;
            const float r = nearer - third;
            const float rest = (((near - nearer) - second) + ((nearer - r) - third)) - quarters * 2.89607395e-13f;
            const float z = r * r;
            const float p = 0.166666672f
                + z * (-0.00833333191f
                + z * (0.000198400638f + z * -2.72468765e-06f));
            const float c = 0.0416666679f
                + z * (-0.00138888881f
                + z * (2.48005799e-05f + z * -2.72984153e-07f));
            const float half = 0.5f * z;
            const float most = 1.0f - half;
            const float sine_r = r - (z * (r * p + 0.5f * rest) - rest);
            const float cosine_r = most + (((1.0f - most) - half) + (z * z * c - r * rest));
            /* Odd quarters exchange the two; then the signs. */
            uint32_t quarter;
            uint32_t s;
            uint32_t k;
            (void)memcpy(&quarter, &shifted, sizeof quarter);
            (void)memcpy(&s, &sine_r, sizeof s);
            (void)memcpy(&k, &cosine_r, sizeof k);
            const uint32_t exchange = (s ^ k) & (UINT32_C(0) - (quarter & 1u));
            s ^= exchange ^ ((quarter << 30) & (UINT32_C(1) << 31));
            k ^= exchange ^ (((quarter + 1u) << 30) & (UINT32_C(1) << 31));
            (void)memcpy(&sine[i], &s, sizeof s);
            (void)memcpy(&cosine[i], &k, sizeof k);
        }
    }
    for (int i = 0; i < count; ++i) {
        far += (fabsf(angle[i]) < MODEL_NEAR) ? 0 : 1;
    }
    if (far > 0) {
        for (int i = 0; i < count; ++i) {
            if (!(fabsf(angle[i]) < MODEL_NEAR)) {
                sine[i] = sinf(angle[i]);
                cosine[i] = cosf(angle[i]);
            }
        }
    }
}

#undef MODEL_NEAR
