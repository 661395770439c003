/* Many states at a time: a value of lanes holds one number of each of MODEL_LANES neighbouring states. */
/* mbsym: copied from here */

#if MODEL_LANES > 1
typedef MODEL_real MODEL_lanes __attribute__((vector_size(MODEL_LANES * sizeof(MODEL_real))));
#else
typedef MODEL_real MODEL_lanes;
#endif

/* Where compilers interleave vectors, squares of as many numbers as lanes each way are transposed in registers. */
#if defined(__has_builtin) && (MODEL_LANES == 4 || MODEL_LANES == 8 || MODEL_LANES == 16)
#if __has_builtin(__builtin_shufflevector)
#define MODEL_SQUARES
#endif
#endif

#ifdef MODEL_SQUARES
#if MODEL_LANES == 4
#define MODEL_FIRST_HALVES 0, 4, 1, 5
#define MODEL_SECOND_HALVES 2, 6, 3, 7
#elif MODEL_LANES == 8
#define MODEL_FIRST_HALVES 0, 8, 1, 9, 2, 10, 3, 11
#define MODEL_SECOND_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define MODEL_FIRST_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define MODEL_SECOND_HALVES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#endif

/* A round interleaves the first half of the rows with the second; after as many rounds as halvings rows are columns. */
static inline void MODEL_transpose(MODEL_lanes *square)
{
    for (int halvings = 1; halvings < MODEL_LANES; halvings *= 2) {
        MODEL_lanes mixed[MODEL_LANES];
        for (int i = 0; i < MODEL_LANES / 2; ++i) {
            const MODEL_lanes a = square[i];
            const MODEL_lanes b = square[i + MODEL_LANES / 2];
            mixed[2 * i] = __builtin_shufflevector(a, b, MODEL_FIRST_HALVES);
            mixed[2 * i + 1] = __builtin_shufflevector(a, b, MODEL_SECOND_HALVES);
        }
        memcpy(square, mixed, sizeof mixed);
    }
}

/* Whether rows are moved by squares: short ones only where nothing lies between them. */
static inline int MODEL_in_squares(int size, const ptrdiff_t *strides)
{
    return strides[1] == 1 && (size >= MODEL_LANES || strides[0] == size);
}

/* Whether as many numbers as lanes can be moved from where a lane's row begins: not beyond the last of these rows. */
static inline int MODEL_is_whole(int lane, int size)
{
    return size >= MODEL_LANES || lane * size + MODEL_LANES <= MODEL_LANES * size;
}

/* The last square of a long row overlaps the one before. What follows a short row is read with it, and not used. */
static inline void MODEL_load_squares(MODEL_lanes *block, int size, const MODEL_real *rows, ptrdiff_t apart)
{
    const int width = size < MODEL_LANES ? size : MODEL_LANES;
    for (int i = 0; i < size; i += MODEL_LANES) {
        const int start = i + width <= size ? i : size - width;
        MODEL_lanes square[MODEL_LANES];
        memset(square, 0, sizeof square);
        for (int lane = 0; lane < MODEL_LANES; ++lane) {
            const size_t moved = MODEL_is_whole(lane, size) ? MODEL_LANES : (size_t)size;
            memcpy(&square[lane], &rows[lane * apart + start], moved * sizeof *rows);
        }
        MODEL_transpose(square);
        memcpy(&block[start], square, (size_t)width * sizeof *block);
    }
}

/* Lane after lane, so that a row puts right what the row before it has written into its place. */
static inline void MODEL_store_squares(const MODEL_lanes *block, int size, MODEL_real *rows, ptrdiff_t apart)
{
    const int width = size < MODEL_LANES ? size : MODEL_LANES;
    for (int i = 0; i < size; i += MODEL_LANES) {
        const int start = i + width <= size ? i : size - width;
        MODEL_lanes square[MODEL_LANES];
        memset(square, 0, sizeof square);
        memcpy(square, &block[start], (size_t)width * sizeof *block);
        MODEL_transpose(square);
        for (int lane = 0; lane < MODEL_LANES; ++lane) {
            const size_t moved = MODEL_is_whole(lane, size) ? MODEL_LANES : (size_t)size;
            memcpy(&rows[lane * apart + start], &square[lane], moved * sizeof *rows);
        }
    }
}
#endif

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
#ifdef MODEL_SQUARES
    } else if (MODEL_in_squares(size, strides)) {
        MODEL_load_squares(block, size, start, strides[0]);
#endif
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
#ifdef MODEL_SQUARES
    } else if (lanes == MODEL_LANES && MODEL_in_squares(size, strides)) {
        MODEL_store_squares(block, size, start, strides[0]);
#endif
    } else {
        for (int lane = 0; lane < lanes; ++lane) {
            for (int i = 0; i < size; ++i) {
                start[lane * strides[0] + i * strides[1]] = x[i * MODEL_LANES + lane];
            }
        }
    }
}
