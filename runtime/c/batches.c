/* Many states at a time: a value of lanes holds one number of each of MODEL_LANES neighbouring states. */
/* mbsym: copied from here */

#if MODEL_LANES > 1
typedef MODEL_real MODEL_lanes __attribute__((vector_size(MODEL_LANES * sizeof(MODEL_real))));
#else
typedef MODEL_real MODEL_lanes;
#endif

/* Where an argument's numbers stand when the caller does not say: state after state. */
static void MODEL_places(ptrdiff_t *places, const ptrdiff_t *strides, int size)
{
    places[0] = strides == NULL ? size : strides[0];
    places[1] = strides == NULL ? 1 : strides[1];
}

/* Lanes behind the last state take the last state once more. */
static inline void MODEL_load(MODEL_lanes *block, int size, const MODEL_real *array, const ptrdiff_t *strides,
                              ptrdiff_t first, ptrdiff_t states)
{
    MODEL_real *const x = (MODEL_real *)block;
    const MODEL_real *const start = array + first * strides[0];
    if (first + MODEL_LANES > states) {
        for (int lane = 0; lane < MODEL_LANES; ++lane) {
            const ptrdiff_t state = first + lane < states ? lane : states - 1 - first;
            for (int i = 0; i < size; ++i) {
                x[i * MODEL_LANES + lane] = start[state * strides[0] + i * strides[1]];
            }
        }
    } else if (strides[0] == 1) {
        for (int i = 0; i < size; ++i) {
            memcpy(&x[i * MODEL_LANES], &start[i * strides[1]], MODEL_LANES * sizeof *x);
        }
    } else if (strides[1] == 1) {
        for (int i = 0; i < size; ++i) {
            for (int lane = 0; lane < MODEL_LANES; ++lane) {
                x[i * MODEL_LANES + lane] = start[lane * strides[0] + i];
            }
        }
    } else {
        for (int i = 0; i < size; ++i) {
            for (int lane = 0; lane < MODEL_LANES; ++lane) {
                x[i * MODEL_LANES + lane] = start[lane * strides[0] + i * strides[1]];
            }
        }
    }
}

static inline void MODEL_store(const MODEL_lanes *block, int size, MODEL_real *array, const ptrdiff_t *strides,
                               ptrdiff_t first, ptrdiff_t states)
{
    const MODEL_real *const x = (const MODEL_real *)block;
    MODEL_real *const start = array + first * strides[0];
    const int lanes = first + MODEL_LANES > states ? (int)(states - first) : MODEL_LANES;
    if (strides[0] == 1 && lanes == MODEL_LANES) {
        for (int i = 0; i < size; ++i) {
            memcpy(&start[i * strides[1]], &x[i * MODEL_LANES], MODEL_LANES * sizeof *x);
        }
    } else {
        for (int lane = 0; lane < lanes; ++lane) {
            for (int i = 0; i < size; ++i) {
                start[lane * strides[0] + i * strides[1]] = x[i * MODEL_LANES + lane];
            }
        }
    }
}
