/* What S-functions see of Simulink, as far as the exported ones use it. */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

#include <stddef.h>
#include <string.h>

typedef double real_T;
typedef int int_T;
typedef double time_T;

typedef struct {
    const double *values;
    size_t count;
} mxArray;

enum { LARGEST = 64, CONTINUOUS_SAMPLE_TIME = 0, SS_OPTION_EXCEPTION_FREE_CODE = 1 };

typedef struct {
    const char *error;
    mxArray parameters[3];
    int expected, given, states, inputs, outputs;
    int input_widths[2], output_widths[3];
    double state[LARGEST], rate[LARGEST], input[2][LARGEST], output[3][LARGEST];
    double time;
} SimStruct;

#define ssSetNumSFcnParams(S, n) ((S)->expected = (n))
#define ssGetNumSFcnParams(S) ((S)->expected)
#define ssGetSFcnParamsCount(S) ((S)->given)
#define ssGetSFcnParam(S, k) (&(S)->parameters[k])
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetErrorStatus(S) ((S)->error)
#define ssSetNumContStates(S, n) ((S)->states = (n))
#define ssSetNumDiscStates(S, n) ((void)(S), (void)(n))
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n))
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n))
#define ssSetInputPortWidth(S, k, n) ((S)->input_widths[k] = (n))
#define ssSetOutputPortWidth(S, k, n) ((S)->output_widths[k] = (n))
#define ssSetInputPortRequiredContiguous(S, k, yes) ((void)(S), (void)(yes))
#define ssSetInputPortDirectFeedThrough(S, k, yes) ((void)(S), (void)(yes))
#define ssSetNumSampleTimes(S, n) ((void)(S), (void)(n))
#define ssSetSampleTime(S, k, time) ((void)(S), (void)(time))
#define ssSetOffsetTime(S, k, time) ((void)(S), (void)(time))
#define ssSetOptions(S, options) ((void)(S), (void)(options))
#define ssGetContStates(S) ((S)->state)
#define ssGetdX(S) ((S)->rate)
#define ssGetT(S) ((S)->time)
#define ssGetInputPortRealSignal(S, k) ((const real_T *)(S)->input[k])
#define ssGetOutputPortRealSignal(S, k) ((S)->output[k])
#define mxGetPr(array) ((array)->values)
#define mxGetNumberOfElements(array) ((array)->count)
#define mxIsDouble(array) ((array)->values != NULL)
#define mxIsComplex(array) ((array)->count == 0)

#endif
