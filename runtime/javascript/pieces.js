/* mbsym: copied from here */

/* The number of the piece in which x lies, the first or the last beyond them; they begin at increasing starts. */
function _piece(x, starts, last) {
    let first = 0;
    while (last > first) {
        const middle = (first + last + 1) >> 1;
        if (x >= starts[middle]) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    return first;
}
/* The same of pieces of one length. */
function _even_piece(x, start, per_length, last) {
    const place = (x - start) * per_length;
    return place >= 1 ? Math.min(Math.floor(place), last) : 0;
}
