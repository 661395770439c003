/* Sine and cosine of many angles in one loop without branches, which compilers vectorise; double precision. */
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
#define MODEL_NEAR 1e5
#else
#define MODEL_NEAR 0.0
#endif

static void MODEL_sincos(int count, const MODEL_real *restrict angle, MODEL_real *restrict sine,
                         MODEL_real *restrict cosine)
{
    int far = 0;
    for (int start = 0; start < count; start += MODEL_ABREAST) {
        for (int i = start; i < start + MODEL_ABREAST; ++i) {
            /* The nearest multiple of pi/2: so large a sum has no digits behind the point; its last bits count. */
            const double shifted = angle[i] * 0.6366197723675814 + 6755399441055744.0;
            const double quarters = shifted - 6755399441055744.0;
            /* What is left, r, and what its rounding lost. All parts of pi/2 but the last make exact products. */
            const double near = angle[i] - quarters * 1.5707963267923333;
            const double second = quarters * 2.5633441515839558e-12;
            const double r = near - second;
            const double rest = ((near - r) - second) - quarters * 1.0562999066987428e-23;
            const double z = r * r;
            const double p = 0.16666666666666666
                + z * (-0.008333333333330948
                + z * (0.0001984126983675853
                + z * (-2.7557316102529747e-06
                + z * (2.5051131840273875e-08 + z * -1.5918128954107197e-10))));
            const double c = 0.041666666666666664
                + z * (-0.0013888888888887398
                + z * (2.4801587298765662e-05
                + z * (-2.7557317271715595e-07
                + z * (2.087614626544433e-09 + z * -1.1382632212345609e-11))));
            const double half = 0.5 * z;
            const double most = 1.0 - half;
            const double sine_r = r - (z * (r * p + 0.5 * rest) - rest);
            const double cosine_r = most + (((1.0 - most) - half) + (z * z * c - r * rest));
            /* Odd quarters exchange the two; then the signs. */
            uint64_t quarter;
            uint64_t s;
            uint64_t k;
            (void)memcpy(&quarter, &shifted, sizeof quarter);
            (void)memcpy(&s, &sine_r, sizeof s);
            (void)memcpy(&k, &cosine_r, sizeof k);
            const uint64_t exchange = (s ^ k) & (UINT64_C(0) - (quarter & 1u));
            s ^= exchange ^ ((quarter << 62) & (UINT64_C(1) << 63));
            k ^= exchange ^ (((quarter + 1u) << 62) & (UINT64_C(1) << 63));
            (void)memcpy(&sine[i], &s, sizeof s);
            (void)memcpy(&cosine[i], &k, sizeof k);
        }
    }
    for (int i = 0; i < count; ++i) {
        far += (fabs(angle[i]) < MODEL_NEAR) ? 0 : 1;
    }
    if (far > 0) {
        for (int i = 0; i < count; ++i) {
            if (!(fabs(angle[i]) < MODEL_NEAR)) {
                sine[i] = sin(angle[i]);
                cosine[i] = cos(angle[i]);
            }
        }
    }
}

#undef MODEL_NEAR
