/* Functions for many states as Python calls them, straight from NumPy's arrays. Compiled once for each Python. */
/* mbsym: copied from here */
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    int type;
    int axes;
    npy_intp shape[NPY_MAXDIMS];
} Argument;

/* A function for n states: of parameters, or NULL for those of the model, and where arguments and results are. */
typedef int (*Call)(
    ptrdiff_t n, const void *parameters, ptrdiff_t stride, void *const *places, const ptrdiff_t *const *strides, int *status);

/* What is not as the direct way has it goes to `general`, in Python, which has the meaning of everything. */
typedef struct {
    PyObject_HEAD
    vectorcallfunc called;
    Call call;
    PyObject *general;
    PyObject *words; /* names of the inputs, then "out" */
    PyObject *named; /* type of several results, or None */
    int inputs;
    int outputs;
    Argument *arguments; /* inputs, then outputs */
} Function;

static const ptrdiff_t ALIKE[2] = {0, 1};

/* How many axes an array has in front of an argument's own; -1 where it is not as C reads it. */
static int leading_axes(PyObject *value, const Argument *argument, int flags)
{
    if (!PyArray_CheckExact(value)) {
        return -1;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    const int axes = PyArray_NDIM(array) - argument->axes;
    if (PyArray_TYPE(array) != argument->type || !PyArray_CHKFLAGS(array, flags) || PyArray_ISBYTESWAPPED(array) ||
        axes < 0 || !PyArray_CompareLists(PyArray_DIMS(array) + axes, argument->shape, argument->axes)) {
        return -1;
    }
    return axes;
}

static int overlap(PyArrayObject *a, PyArrayObject *b)
{
    const char *const x = PyArray_BYTES(a), *const y = PyArray_BYTES(b);
    return x < y + PyArray_NBYTES(b) && y < x + PyArray_NBYTES(a);
}

/* Sorts what is given by the words; 0 where something is missing, given twice or unknown. */
static int sorted(const Function *self, PyObject *const *given, Py_ssize_t count, PyObject *words, PyObject **values)
{
    if (count > self->inputs) {
        return 0;
    }
    for (int i = 0; i <= self->inputs; ++i) {
        values[i] = i < count ? given[i] : NULL;
    }
    const Py_ssize_t named = words == NULL ? 0 : PyTuple_GET_SIZE(words);
    for (Py_ssize_t k = 0; k < named; ++k) {
        int i = 0;
        /* Words of a call are interned, as those here are; others go the general way. */
        while (i <= self->inputs && PyTuple_GET_ITEM(self->words, i) != PyTuple_GET_ITEM(words, k)) {
            ++i;
        }
        if (i > self->inputs || values[i] != NULL) {
            return 0;
        }
        values[i] = given[count + k];
    }
    for (int i = 0; i < self->inputs; ++i) {
        if (values[i] == NULL) {
            return 0;
        }
    }
    return 1;
}

/* A number for an argument that is one, as C reads it; 0 where it is none. */
static int number(PyObject *value, const Argument *argument, double *place)
{
    if (argument->axes != 0 || !(PyFloat_Check(value) || PyLong_CheckExact(value))) {
        return 0;
    }
    *place = PyFloat_AsDouble(value);
    if (*place == -1.0 && PyErr_Occurred() != NULL) {
        PyErr_Clear();
        return 0;
    }
    if (argument->type == NPY_FLOAT) {
        *(float *)place = (float)*place;
    }
    return 1;
}

/* The array for a result: the one given, or a new one. NULL without an exception where the one given is unfit. */
static PyObject *target(PyObject *given, const Argument *argument, int axes, npy_intp *shape)
{
    if (given == NULL) {
        memcpy(shape + axes, argument->shape, (size_t)argument->axes * sizeof *shape);
        return PyArray_SimpleNew(axes + argument->axes, shape, argument->type);
    }
    if (leading_axes(given, argument, NPY_ARRAY_CARRAY) != axes ||
        !PyArray_CompareLists(PyArray_DIMS((PyArrayObject *)given), shape, axes)) {
        return NULL;
    }
    return Py_NewRef(given);
}

/* The results as the function has them: one array, or a named tuple. Takes over the arrays. */
static PyObject *handed_over(const Function *self, PyObject *const *results)
{
    if (self->outputs == 1) {
        return results[0];
    }
    PyTypeObject *type = (PyTypeObject *)self->named;
    PyObject *tuple = type->tp_alloc(type, self->outputs);
    for (int k = 0; k < self->outputs; ++k) {
        if (tuple != NULL) {
            PyTuple_SET_ITEM(tuple, k, results[k]);
        } else {
            Py_DECREF(results[k]);
        }
    }
    return tuple;
}

/* NULL without an exception where the direct way does not lead, or a state has no result. */
static PyObject *directly(const Function *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    const int inputs = self->inputs, outputs = self->outputs;
    PyObject *values[inputs + 1], *results[outputs];
    void *places[inputs + outputs];
    const ptrdiff_t *strides[inputs + outputs];
    double numbers[inputs + 1];
    npy_intp shape[NPY_MAXDIMS];
    int axes = 0;
    if (!sorted(self, given, count, words, values)) {
        return NULL;
    }
    for (int i = 0; i < inputs; ++i) {
        strides[i] = ALIKE;
        if (number(values[i], &self->arguments[i], &numbers[i])) {
            places[i] = &numbers[i];
            values[i] = NULL;
            continue;
        }
        const int own = leading_axes(values[i], &self->arguments[i], NPY_ARRAY_CARRAY_RO);
        if (own < 0) {
            return NULL;
        }
        PyArrayObject *array = (PyArrayObject *)values[i];
        places[i] = PyArray_DATA(array);
        if (own == 0) {
            continue;
        }
        strides[i] = NULL;
        if (axes == 0) {
            axes = own;
            memcpy(shape, PyArray_DIMS(array), (size_t)axes * sizeof *shape);
        } else if (own != axes || !PyArray_CompareLists(shape, PyArray_DIMS(array), axes)) {
            return NULL;
        }
    }
    PyObject *out = values[inputs];
    if (out != NULL && outputs > 1 && (!PyTuple_Check(out) || PyTuple_GET_SIZE(out) != outputs)) {
        return NULL;
    }
    int made = 0, fit = 1;
    while (fit && made < outputs) {
        const Argument *argument = &self->arguments[inputs + made];
        PyObject *one = out == NULL || outputs == 1 ? out : PyTuple_GET_ITEM(out, made);
        if (axes + argument->axes > NPY_MAXDIMS || (results[made] = target(one, argument, axes, shape)) == NULL) {
            break;
        }
        PyArrayObject *array = (PyArrayObject *)results[made];
        for (int i = 0; out != NULL && i < inputs; ++i) {
            fit = fit && (values[i] == NULL || !overlap(array, (PyArrayObject *)values[i]));
        }
        for (int k = 0; out != NULL && k < made; ++k) {
            fit = fit && !overlap(array, (PyArrayObject *)results[k]);
        }
        places[inputs + made] = PyArray_DATA(array);
        strides[inputs + made] = NULL;
        ++made;
    }
    if (fit && made == outputs) {
        const npy_intp n = PyArray_MultiplyList(shape, axes);
        /* One state takes less time than letting others run meanwhile. */
        PyThreadState *const state = n > 1 ? PyEval_SaveThread() : NULL;
        const int status = self->call(n, NULL, 0, places, strides, NULL);
        if (state != NULL) {
            PyEval_RestoreThread(state);
        }
        if (status == 0) {
            return handed_over(self, results);
        }
    }
    while (made > 0) {
        Py_DECREF(results[--made]);
    }
    return NULL;
}

static PyObject *called(PyObject *function, PyObject *const *given, size_t count, PyObject *words)
{
    const Function *self = (const Function *)function;
    PyObject *found = directly(self, given, PyVectorcall_NARGS(count), words);
    return found != NULL || PyErr_Occurred() != NULL ? found : PyObject_Vectorcall(self->general, given, count, words);
}

static void let_go(PyObject *function)
{
    Function *self = (Function *)function;
    Py_XDECREF(self->general);
    Py_XDECREF(self->words);
    Py_XDECREF(self->named);
    PyMem_Free(self->arguments);
    Py_TYPE(function)->tp_free(function);
}

static PyObject *attribute(PyObject *function, PyObject *name)
{
    return PyObject_GetAttr(((Function *)function)->general, name);
}

static PyObject *shown(PyObject *function)
{
    return PyObject_Repr(((Function *)function)->general);
}

static PyObject *reduced(PyObject *function, PyObject *Py_UNUSED(nothing))
{
    return PyObject_CallMethod(((Function *)function)->general, "__reduce__", NULL);
}

/* Copies ask the type for it; everything else is asked of `general`. */
static PyMethodDef METHODS[] = {{"__reduce__", reduced, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyTypeObject TYPE = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "mbsym.Function",
    .tp_basicsize = sizeof(Function),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_dealloc = let_go,
    .tp_vectorcall_offset = offsetof(Function, called),
    .tp_call = PyVectorcall_Call,
    .tp_getattro = attribute,
    .tp_repr = shown,
    .tp_methods = METHODS,
};

/* A function from (address, general, words, type of several results or None, ((type, shape) of each argument)). */
PyObject *mbsym_function(PyObject *description);

PyObject *mbsym_function(PyObject *description)
{
    if (PyArray_API == NULL && _import_array() < 0) {
        return NULL;
    }
    PyObject *address, *general, *words, *named, *arguments;
    if (PyType_Ready(&TYPE) < 0 || !PyArg_ParseTuple(description, "OOO!OO!", &address, &general, &PyTuple_Type, &words,
                                                     &named, &PyTuple_Type, &arguments)) {
        return NULL;
    }
    Function *self = PyObject_New(Function, &TYPE);
    if (self == NULL) {
        return NULL;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    self->called = called;
    self->general = Py_NewRef(general);
    self->words = Py_NewRef(words);
    self->named = Py_NewRef(named);
    self->inputs = (int)PyTuple_GET_SIZE(words) - 1;
    self->outputs = (int)count - self->inputs;
    self->arguments = PyMem_Calloc((size_t)count, sizeof *self->arguments);
    void *const place = PyLong_AsVoidPtr(address);
    memcpy(&self->call, &place, sizeof place);
    for (Py_ssize_t k = 0; k < count && self->arguments != NULL; ++k) {
        Argument *argument = &self->arguments[k];
        PyObject *sizes;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(arguments, k), "iO!", &argument->type, &PyTuple_Type, &sizes)) {
            break;
        }
        argument->axes = PyArray_IntpFromSequence(sizes, argument->shape, NPY_MAXDIMS);
    }
    if (self->arguments == NULL) {
        PyErr_NoMemory();
    }
    if (PyErr_Occurred() != NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}
