// A minimal interface to LiteRT 2.3.0, which is loaded at run time: its wheel
// contains no headers, and the program must start without the library.
#ifndef CLITERT_H
#define CLITERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The result of a call. Nothing is created unless it is CLITERT_OK.
typedef enum : int32_t {
    CLITERT_OK = 0,
    /// The library's file could not be opened.
    CLITERT_NO_LIBRARY,
    /// The library lacks a function: it is another version.
    CLITERT_NO_SYMBOL,
    /// LiteRT could not start, or ran out of memory.
    CLITERT_NO_ENVIRONMENT,
    /// The bytes are not a model that LiteRT can read.
    CLITERT_BAD_MODEL,
    /// The model cannot be prepared for this processor.
    CLITERT_NOT_COMPILED,
    /// A tensor's memory was refused.
    CLITERT_BAD_TENSOR,
    /// The model failed while it ran.
    CLITERT_RUN_FAILED,
} CLiteRTStatus;

/// An opened library. It is never closed (LiteRT leaves thread-local state
/// behind), so it may be shared freely.
typedef struct CLiteRTLibrary CLiteRTLibrary;

/// A model that is ready to run. It must be used by one thread at a time.
typedef struct CLiteRTModel CLiteRTModel;

#define CLITERT_MAX_RANK 8
#define CLITERT_MAX_TENSORS 8

typedef struct {
    /// Owned by the model.
    const char *name;
    bool is_float32;
    int32_t rank;
    int32_t dimensions[CLITERT_MAX_RANK];
} CLiteRTTensorInfo;

/// Opens the library at `path`. On CLITERT_NO_SYMBOL `*missing` names the function.
CLiteRTStatus clitert_open(const char *path, CLiteRTLibrary **library, const char **missing);

/// Prepares a model to run on the processor through XNNPACK with one thread.
/// `bytes` must outlive the model. Standard error is silent while this runs, so it
/// is to be called by one thread at a time.
CLiteRTStatus clitert_model_create(
    const CLiteRTLibrary *library, const void *bytes, size_t size, int threads, CLiteRTModel **model);
void clitert_model_destroy(CLiteRTModel *model);

size_t clitert_model_tensor_count(const CLiteRTModel *model, bool output);
CLiteRTTensorInfo clitert_model_tensor(const CLiteRTModel *model, bool output, size_t index);

/// Lends memory to an input or output: `size` bytes aligned to 64, which must
/// outlive the model. Each must have some before the model runs.
CLiteRTStatus clitert_model_bind(
    CLiteRTModel *model, bool output, size_t index, void *memory, size_t size);
CLiteRTStatus clitert_model_run(CLiteRTModel *model);

#endif
