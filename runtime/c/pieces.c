/* How functions with tables find the piece that a number lies in. */
/* mbsym: copied from here */
/* The number of the piece in which x lies, the first or the last beyond them; they begin at increasing starts. */
static MODEL_real MODEL_piece(MODEL_real x, const MODEL_real *starts, int last)
{
    int first = 0;
    int left = last;
    while (left > 0) {
        const int half = (left + 1) / 2;
        if (x >= starts[first + half]) {
            first += half;
            left -= half;
        } else {
            left = half - 1;
        }
    }
    return (MODEL_real)first;
}
