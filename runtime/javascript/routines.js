/* mbsym: copied from here */

/* What functions that iterate call, on the first entries of arrays. */
function finite(array, count) {
    for (let k = 0; k < count; ++k) {
        if (!Number.isFinite(array[k])) {
            return false;
        }
    }
    return true;
}
function dot(a, b, count) {
    let total = 0;
    for (let k = 0; k < count; ++k) {
        total += a[k] * b[k];
    }
    return total;
}
/* The largest size of an entry. */
function peak(array, count) {
    let most = 0;
    for (let k = 0; k < count; ++k) {
        const size = Math.abs(array[k]);
        if (size > most) {
            most = size;
        }
    }
    return most;
}
