/* Functions that CUDA has on the device under the names of the C library. */
extern "C" {
__device__ double sin(double), cos(double), tan(double), asin(double), acos(double), atan2(double, double);
__device__ double sqrt(double), exp(double), log(double), tanh(double), pow(double, double), fabs(double);
__device__ double fmin(double, double), fmax(double, double), ldexp(double, int);
__device__ float sinf(float), cosf(float), tanf(float), asinf(float), acosf(float), atan2f(float, float);
__device__ float sqrtf(float), expf(float), logf(float), tanhf(float), powf(float, float), fabsf(float);
__device__ float fminf(float, float), fmaxf(float, float), ldexpf(float, int);
}
#define NAN __builtin_nanf("")
#define INFINITY __builtin_inff()
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
