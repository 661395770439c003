/* What clang needs to compile kernels where no CUDA is installed: words of the language, and functions without bodies. */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned first, unsigned second = 1, unsigned third = 1) : x(first), y(second), z(third) {}
};
typedef int cudaError_t;
typedef struct stream *cudaStream_t;
extern "C" {
cudaError_t cudaGetLastError();
unsigned __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, void * = 0);
int cudaConfigureCall(dim3, dim3, unsigned long = 0, cudaStream_t = 0);
}
static __device__ struct {
    unsigned x;
} blockIdx, blockDim, threadIdx;
