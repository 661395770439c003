/* Many states, wherever they stand. */
/* mbsym: copied from here */

/* Where an argument's numbers stand when the caller does not say: state after state. */
static void MODEL_places(ptrdiff_t *places, const ptrdiff_t *strides, int size)
{
    places[0] = strides == NULL ? size : strides[0];
    places[1] = strides == NULL ? 1 : strides[1];
}
