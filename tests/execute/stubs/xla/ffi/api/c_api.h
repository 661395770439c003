/* The part of XLA's public header that exported code uses, for tests where JAX is not installed. */
#ifndef STUB_XLA_FFI_C_API_H
#define STUB_XLA_FFI_C_API_H
#include <stddef.h>
#include <stdint.h>

#define XLA_FFI_API_MAJOR 0
#define XLA_FFI_API_MINOR 3

typedef struct XLA_FFI_Error XLA_FFI_Error;
typedef enum { XLA_FFI_Extension_Metadata = 1 } XLA_FFI_Extension_Type;
typedef struct XLA_FFI_Extension_Base {
    size_t struct_size;
    XLA_FFI_Extension_Type type;
    struct XLA_FFI_Extension_Base *next;
} XLA_FFI_Extension_Base;
typedef struct {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int major_version;
    int minor_version;
} XLA_FFI_Api_Version;
typedef struct {
    size_t struct_size;
    XLA_FFI_Api_Version api_version;
    uint32_t traits;
} XLA_FFI_Metadata;
typedef struct {
    XLA_FFI_Extension_Base extension_base;
    XLA_FFI_Metadata *metadata;
} XLA_FFI_Metadata_Extension;
typedef struct {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int dtype;
    void *data;
    int64_t rank;
    int64_t *dims;
} XLA_FFI_Buffer;
typedef struct {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int64_t size;
    void *types;
    void **args;
} XLA_FFI_Args;
typedef struct {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    int64_t size;
    void *types;
    void **rets;
} XLA_FFI_Rets;
typedef enum { XLA_FFI_ExecutionStage_PREPARE = 1, XLA_FFI_ExecutionStage_EXECUTE = 3 } XLA_FFI_ExecutionStage;
typedef struct {
    size_t struct_size;
    XLA_FFI_Extension_Base *extension_start;
    const void *api;
    void *ctx;
    XLA_FFI_ExecutionStage stage;
    XLA_FFI_Args args;
    XLA_FFI_Rets rets;
} XLA_FFI_CallFrame;

#endif
