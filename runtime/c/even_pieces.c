/* How functions with tables find the piece that a number lies in, of pieces of one length. */
/* mbsym: copied from here */
/* The number of the piece in which x lies, the first or the last beyond them; what is no number lies in the first. */
static MODEL_real MODEL_even_piece(MODEL_real x, MODEL_real start, MODEL_real per_length, int last)
{
    const MODEL_real place = (x - start) * per_length;
    const int piece = place >= (MODEL_real)1 ? (place < (MODEL_real)last ? (int)place : last) : 0;
    return (MODEL_real)piece;
}
