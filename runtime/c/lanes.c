/* What is made of vectors of lanes and of masks: of these a module has those that its text needs. */
/* mbsym: copied from here */
/* What a comparison gives, lane by lane. */
#if MODEL_LANES > 1
typedef __typeof__((MODEL_lanes){0} < (MODEL_lanes){0}) MODEL_lanes_mask;
#else
typedef int MODEL_lanes_mask;
#endif

/* In each lane a where the mask holds, else b. */
static inline MODEL_lanes MODEL_lanes_chosen(MODEL_lanes_mask mask, MODEL_lanes a, MODEL_lanes b)
{
#if MODEL_LANES > 1
    return (MODEL_lanes)(((MODEL_lanes_mask)a & mask) | ((MODEL_lanes_mask)b & ~mask));
#else
    return mask ? a : b;
#endif
}

static inline MODEL_lanes_mask MODEL_lanes_not(MODEL_lanes_mask mask)
{
#if MODEL_LANES > 1
    return ~mask;
#else
    return !mask;
#endif
}

/* Where two whole numbers are the same. */
static inline MODEL_lanes_mask MODEL_lanes_same(MODEL_lanes a, MODEL_lanes b)
{
    return (a <= b) & (a >= b);
}

/* One in each lane in which the mask holds, else zero. */
static inline MODEL_lanes MODEL_lanes_ones(MODEL_lanes_mask mask)
{
    return MODEL_lanes_chosen(mask, MODEL_ALL((MODEL_real)1), MODEL_ALL((MODEL_real)0));
}

static inline bool MODEL_lanes_any(MODEL_lanes_mask mask)
{
    const MODEL_lanes ones = MODEL_lanes_ones(mask);
    bool any = false;
    for (int lane = 0; lane < MODEL_LANES; ++lane) {
        any = any || ((const MODEL_real *)&ones)[lane] > (MODEL_real)0;
    }
    return any;
}

/* Without its sign, which is the one bit in which 1 and -1 differ. */
static inline MODEL_lanes MODEL_lanes_abs(MODEL_lanes x)
{
#if MODEL_LANES > 1
    const MODEL_lanes_mask one = (MODEL_lanes_mask)MODEL_ALL((MODEL_real)1);
    const MODEL_lanes_mask sign = one ^ (MODEL_lanes_mask)MODEL_ALL((MODEL_real)-1);
    return (MODEL_lanes)((MODEL_lanes_mask)x & ~sign);
#else
    return MODEL_ABS(x);
#endif
}

static inline MODEL_lanes MODEL_lanes_sign(MODEL_lanes x)
{
    const MODEL_lanes one = MODEL_ALL((MODEL_real)1);
    return MODEL_lanes_chosen(x > (MODEL_real)0, one, MODEL_lanes_chosen(x < (MODEL_real)0, -one, x));
}

/* a where the condition is above zero, else b. */
static inline MODEL_lanes MODEL_lanes_select(MODEL_lanes condition, MODEL_lanes a, MODEL_lanes b)
{
    return MODEL_lanes_chosen(condition > (MODEL_real)0, a, b);
}

/* Whether all numbers of a lane are finite: only these become zero when multiplied by it. */
static inline MODEL_lanes_mask MODEL_lanes_finite(const MODEL_lanes *x, int size)
{
    MODEL_lanes nothing = x[0] * (MODEL_real)0;
    for (int i = 1; i < size; ++i) {
        nothing += x[i] * (MODEL_real)0;
    }
    return nothing <= (MODEL_real)0;
}

static inline MODEL_lanes_mask MODEL_lanes_everywhere(void)
{
    return MODEL_ALL((MODEL_real)0) <= MODEL_ALL((MODEL_real)0);
}

/* The smaller one; the other where one is no number. */
static inline MODEL_lanes MODEL_lanes_min(MODEL_lanes a, MODEL_lanes b)
{
    return MODEL_lanes_chosen((a <= b) | MODEL_lanes_not(b <= b), a, b);
}

/* The larger one; the other where one is no number. */
static inline MODEL_lanes MODEL_lanes_max(MODEL_lanes a, MODEL_lanes b)
{
    return MODEL_lanes_chosen((a >= b) | MODEL_lanes_not(b <= b), a, b);
}

/* The largest size of a lane's numbers; infinite where one is no number. */
static inline MODEL_lanes MODEL_lanes_peak(const MODEL_lanes *x, int count)
{
    MODEL_lanes largest = MODEL_ALL((MODEL_real)0);
    for (int i = 0; i < count; ++i) {
        const MODEL_lanes size = MODEL_lanes_abs(x[i]);
        largest = MODEL_lanes_chosen(size <= largest, largest, size);
    }
    return MODEL_lanes_chosen(MODEL_lanes_finite(x, count), largest, MODEL_ALL(MODEL_INFINITY));
}
