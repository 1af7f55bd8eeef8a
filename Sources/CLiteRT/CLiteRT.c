#define _GNU_SOURCE  // asprintf
#include "CLiteRT.h"
#include "Silence.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;

// The layouts of LiteRT 2.3.0's C API.
typedef struct {
    int32_t element;  // 1: float32
    uint32_t rank_bits;  // the low seven bits
    int32_t dimensions[CLITERT_MAX_RANK];
    uint32_t strides[CLITERT_MAX_RANK];
} RankedType;

typedef struct {
    int32_t tag, pad0, type, pad1;
    int64_t value;
} EnvironmentOption;

// X(name, parameters): every function of the library that is used.
#define FUNCTIONS(X) \
    X(CreateEnvironment, (int, const EnvironmentOption *, Handle *)) \
    X(DestroyEnvironment, (Handle)) \
    X(CreateModelFromBuffer, (Handle, const void *, size_t, Handle *)) \
    X(DestroyModel, (Handle)) \
    X(GetModelSubgraph, (Handle, size_t, Handle *)) \
    X(GetNumSubgraphInputs, (Handle, size_t *)) \
    X(GetNumSubgraphOutputs, (Handle, size_t *)) \
    X(GetSubgraphInput, (Handle, size_t, Handle *)) \
    X(GetSubgraphOutput, (Handle, size_t, Handle *)) \
    X(GetTensorName, (Handle, const char **)) \
    X(GetRankedTensorType, (Handle, RankedType *)) \
    X(CreateOptions, (Handle *)) \
    X(DestroyOptions, (Handle)) \
    X(SetOptionsHardwareAccelerators, (Handle, int)) \
    X(CreateOpaqueOptions, (const char *, void *, void (*)(void *), Handle *)) \
    X(AddOpaqueOptions, (Handle, Handle)) \
    X(CreateCompiledModel, (Handle, Handle, Handle, Handle *)) \
    X(DestroyCompiledModel, (Handle)) \
    X(CreateTensorBufferFromHostMemory, \
      (const RankedType *, void *, size_t, void (*)(void *), Handle *)) \
    X(DestroyTensorBuffer, (Handle)) \
    X(RunCompiledModel, (Handle, size_t, size_t, Handle *, size_t, Handle *))

struct CLiteRTLibrary {
#define DECLARE(name, parameters) int32_t (*name) parameters;
    FUNCTIONS(DECLARE)
#undef DECLARE
};

typedef struct {
    size_t count;
    const char *names[CLITERT_MAX_TENSORS];
    RankedType types[CLITERT_MAX_TENSORS];
    Handle buffers[CLITERT_MAX_TENSORS];
} TensorList;

struct CLiteRTModel {
    const CLiteRTLibrary *api;
    Handle environment, model, compiled;
    TensorList lists[2];  // inputs, outputs
};

CLiteRTStatus clitert_open(const char *path, CLiteRTLibrary **library, const char **missing) {
    void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!file) return CLITERT_NO_LIBRARY;
    CLiteRTLibrary *api = calloc(1, sizeof *api);
    if (!api) return CLITERT_NO_ENVIRONMENT;
#define LOAD(name, parameters) \
    void *address_##name = dlsym(file, "LiteRt" #name); \
    if (!address_##name) { \
        *missing = "LiteRt" #name; \
        free(api); \
        dlclose(file); \
        return CLITERT_NO_SYMBOL; \
    } \
    memcpy(&api->name, &address_##name, sizeof address_##name);
    FUNCTIONS(LOAD)
#undef LOAD
    clitert_silence(file);
    *library = api;
    return CLITERT_OK;
}

static bool list_tensors(const CLiteRTLibrary *api, Handle subgraph, bool output, TensorList *list) {
    if ((output ? api->GetNumSubgraphOutputs : api->GetNumSubgraphInputs)(subgraph, &list->count))
        return false;
    if (list->count > CLITERT_MAX_TENSORS) return false;
    for (size_t i = 0; i < list->count; i++) {
        Handle tensor = NULL;
        if ((output ? api->GetSubgraphOutput : api->GetSubgraphInput)(subgraph, i, &tensor) ||
            api->GetTensorName(tensor, &list->names[i]) ||
            api->GetRankedTensorType(tensor, &list->types[i]) ||
            (list->types[i].rank_bits & 0x7f) > CLITERT_MAX_RANK)
            return false;
    }
    return true;
}

static bool compile(CLiteRTModel *model, int threads) {
    const CLiteRTLibrary *api = model->api;
    Handle options = NULL, xnnpack = NULL;
    if (api->CreateOptions(&options)) return false;
    char *setting = NULL;
    if (asprintf(&setting, "num_threads = %d\n", threads) < 0) setting = NULL;
    bool ready = setting && !api->SetOptionsHardwareAccelerators(options, 1 /* CPU */);
    if (!ready || api->CreateOpaqueOptions("xnnpack", setting, free, &xnnpack)) {
        free(setting);
        ready = false;
    }
    ready = ready && !api->AddOpaqueOptions(options, xnnpack) &&
        !api->CreateCompiledModel(model->environment, model->model, options, &model->compiled);
    api->DestroyOptions(options);
    return ready;
}

static CLiteRTStatus prepare(CLiteRTModel *model, const void *bytes, size_t size, int threads) {
    const CLiteRTLibrary *api = model->api;
    const EnvironmentOption options[] = {
        {.tag = 24, .type = 2, .value = 1},  // accelerators: CPU alone
        {.tag = 25, .type = 2, .value = 3},  // log errors alone
    };
    if (api->CreateEnvironment(2, options, &model->environment)) return CLITERT_NO_ENVIRONMENT;
    Handle subgraph = NULL;
    if (api->CreateModelFromBuffer(model->environment, bytes, size, &model->model) ||
        api->GetModelSubgraph(model->model, 0, &subgraph) ||
        !list_tensors(api, subgraph, false, &model->lists[0]) ||
        !list_tensors(api, subgraph, true, &model->lists[1]))
        return CLITERT_BAD_MODEL;
    return compile(model, threads) ? CLITERT_OK : CLITERT_NOT_COMPILED;
}

CLiteRTStatus clitert_model_create(
    const CLiteRTLibrary *library, const void *bytes, size_t size, int threads, CLiteRTModel **result) {
    CLiteRTModel *model = calloc(1, sizeof *model);
    if (!model) return CLITERT_NO_ENVIRONMENT;
    model->api = library;
    CLiteRTStatus status = prepare(model, bytes, size, threads);
    if (status == CLITERT_OK) *result = model;
    else clitert_model_destroy(model);
    return status;
}

void clitert_model_destroy(CLiteRTModel *model) {
    const CLiteRTLibrary *api = model->api;
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; i < CLITERT_MAX_TENSORS; i++)
            if (model->lists[l].buffers[i]) api->DestroyTensorBuffer(model->lists[l].buffers[i]);
    if (model->compiled) api->DestroyCompiledModel(model->compiled);
    if (model->model) api->DestroyModel(model->model);
    if (model->environment) api->DestroyEnvironment(model->environment);
    free(model);
}

size_t clitert_model_tensor_count(const CLiteRTModel *model, bool output) {
    return model->lists[output].count;
}

CLiteRTTensorInfo clitert_model_tensor(const CLiteRTModel *model, bool output, size_t index) {
    const TensorList *list = &model->lists[output];
    CLiteRTTensorInfo info = {
        .name = list->names[index],
        .is_float32 = list->types[index].element == 1,
        .rank = (int32_t)(list->types[index].rank_bits & 0x7f),
    };
    memcpy(info.dimensions, list->types[index].dimensions, sizeof info.dimensions);
    return info;
}

CLiteRTStatus clitert_model_bind(
    CLiteRTModel *model, bool output, size_t index, void *memory, size_t size) {
    TensorList *list = &model->lists[output];
    return model->api->CreateTensorBufferFromHostMemory(
        &list->types[index], memory, size, NULL, &list->buffers[index])
        ? CLITERT_BAD_TENSOR : CLITERT_OK;
}

CLiteRTStatus clitert_model_run(CLiteRTModel *model) {
    return model->api->RunCompiledModel(
        model->compiled, 0, model->lists[0].count, model->lists[0].buffers,
        model->lists[1].count, model->lists[1].buffers) ? CLITERT_RUN_FAILED : CLITERT_OK;
}
