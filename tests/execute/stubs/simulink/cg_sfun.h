/* Runs the S-function that includes this: the classical Runge-Kutta method, projection after each step, states printed. */
#include <stdio.h>
#include <stdlib.h>

static void stop_on_error(const SimStruct *S)
{
    if (S->error == NULL) { return; }
    printf("%s\n", S->error);
    exit(1);
}

/* Arguments: length of a step, number of steps, force on the last speed, then values of the third parameter if any. */
int main(int count, char **words)
{
    static SimStruct block;
    static double speeds[LARGEST];
    SimStruct *const S = &block;
    const double h = atof(words[1]);
    const int steps = atoi(words[2]);
    S->given = 3;
    for (int k = 4; k < count; ++k) { speeds[k - 4] = atof(words[k]); }
    if (count > 4) { S->parameters[2] = (mxArray){speeds, (size_t)(count - 4)}; }
    mdlInitializeSizes(S);
    stop_on_error(S);
    mdlInitializeSampleTimes(S);
    S->input[0][S->input_widths[0] - 1] = atof(words[3]);
    mdlInitializeConditions(S);
    stop_on_error(S);
    for (int step = 0; step <= steps; ++step) {
        double before[LARGEST], sum[LARGEST] = {0.0};
        mdlOutputs(S, 0);
        for (int port = 0; port < S->outputs; ++port) {
            for (int k = 0; k < S->output_widths[port]; ++k) { printf("%.17g ", S->output[port][k]); }
        }
        printf("\n");
        memcpy(before, S->state, sizeof before);
        for (int stage = 0; stage < 4; ++stage) {
            const double part = stage == 0 ? 0.0 : stage == 3 ? 1.0 : 0.5;
            for (int k = 0; k < S->states; ++k) { S->state[k] = before[k] + part * h * S->rate[k]; }
            S->time = (step + part) * h;
            mdlDerivatives(S);
            stop_on_error(S);
            for (int k = 0; k < S->states; ++k) { sum[k] += (stage == 0 || stage == 3 ? 1.0 : 2.0) * S->rate[k]; }
        }
        for (int k = 0; k < S->states; ++k) { S->state[k] = before[k] + h / 6.0 * sum[k]; }
        mdlProjection(S);
        stop_on_error(S);
    }
    mdlTerminate(S);
    return 0;
}
