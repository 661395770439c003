/* What derived functions do with results that are none. */
/* mbsym: copied from here */
static void MODEL_spoil(MODEL_real *x, int size)
{
    for (int i = 0; i < size; ++i) {
        x[i] = (MODEL_real)NAN;
    }
}
