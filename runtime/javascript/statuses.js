/* mbsym: copied from here */

/* The status of a derived function, whose results are no numbers unless it is OK: what it needs of guarded values,
   arguments, results. */
function settled(needs, guarded, given, found) {
    const sound = {
        "nonzero": (value, size) => Math.abs(value) > VANISHES * size,
        "within one": value => Math.abs(value) <= 1,
        "not negative": value => value >= 0,
        "positive": value => value > 0,
    };
    const numbers = arrays => arrays.every(array => array.every(Number.isFinite));
    const failed = needs.filter(([need, size], k) => !sound[need](guarded[k], size));
    let status = failed.length ? SINGULAR : OK;
    // A number outside a domain makes divisors of no account.
    if (failed.some(([need]) => need !== "nonzero")) {
        status = OUT_OF_REACH;
    }
    if (!numbers(given) || (status === OK && !numbers(found))) {
        status = NOT_FINITE;
    }
    if (status !== OK) {
        found.forEach(array => array.fill(NaN));
    }
    return status;
}
