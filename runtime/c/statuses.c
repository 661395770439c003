/* What functions that can fail share. */
/* mbsym: copied from here */
static bool MODEL_finite(const MODEL_real *x, int size)
{
    for (int i = 0; i < size; ++i) {
        if (!(MODEL_ABS(x[i]) < MODEL_INFINITY)) {
            return false;
        }
    }
    return true;
}
