// The calls of programs that are compiled with -fgpu-default-stream=per-thread, or with HIP_API_PER_THREAD_DEFAULT_STREAM: headers
// and compiler put _spt behind the names.
//
// In: the arguments of the plain call. Out: what that does, with hipStreamPerThread where the stream is 0, and in place of the null
// stream that calls without a stream mean. Source: hipamd 5.2 hip_internal.hpp, PER_THREAD_DEFAULT_STREAM, and its uses.
#include "runtime.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // served all the same

static hipStream_t own(hipStream_t stream) { return stream ? stream : hipStreamPerThread; }

static hipError_t when_done(hipError_t error) {
  return error == hipSuccess ? hipStreamSynchronize(hipStreamPerThread) : error;
}

#define OWN(NAME, PARAMETERS, ARGUMENTS)                                                           \
  EXPORT hipError_t NAME##_spt PARAMETERS;                                                         \
  hipError_t NAME##_spt PARAMETERS { return NAME ARGUMENTS; }

OWN(hipLaunchKernel,
    (const void *function, dim3 grid, dim3 block, void **arguments, size_t lds, hipStream_t stream),
    (function, grid, block, arguments, lds, own(stream)))
OWN(hipLaunchCooperativeKernel,
    (const void *function, dim3 grid, dim3 block, void **arguments, unsigned lds,
     hipStream_t stream),
    (function, grid, block, arguments, lds, own(stream)))
OWN(hipLaunchHostFunc, (hipStream_t stream, hipHostFn_t function, void *data),
    (own(stream), function, data))
OWN(hipGraphLaunch, (hipGraphExec_t graph, hipStream_t stream), (graph, own(stream)))
OWN(hipEventRecord, (hipEvent_t event, hipStream_t stream), (event, own(stream)))
OWN(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags),
    (own(stream), event, flags))
OWN(hipStreamSynchronize, (hipStream_t stream), (own(stream)))
OWN(hipStreamQuery, (hipStream_t stream), (own(stream)))
OWN(hipStreamGetFlags, (hipStream_t stream, unsigned *flags), (own(stream), flags))
OWN(hipStreamGetPriority, (hipStream_t stream, int *priority), (own(stream), priority))
OWN(hipStreamAddCallback,
    (hipStream_t stream, hipStreamCallback_t function, void *data, unsigned flags),
    (own(stream), function, data, flags))
OWN(hipStreamBeginCapture, (hipStream_t stream, hipStreamCaptureMode mode), (own(stream), mode))
OWN(hipStreamEndCapture, (hipStream_t stream, hipGraph_t *graph), (own(stream), graph))
OWN(hipStreamIsCapturing, (hipStream_t stream, hipStreamCaptureStatus *status),
    (own(stream), status))
OWN(hipStreamGetCaptureInfo,
    (hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id),
    (own(stream), status, id))
OWN(hipStreamGetCaptureInfo_v2,
    (hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *graph,
     const hipGraphNode_t **nodes, size_t *count),
    (own(stream), status, id, graph, nodes, count))
OWN(hipMemcpyAsync,
    (void *to, const void *from, size_t size, hipMemcpyKind kind, hipStream_t stream),
    (to, from, size, kind, own(stream)))
OWN(hipMemcpy2DAsync,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
     hipMemcpyKind kind, hipStream_t stream),
    (to, to_pitch, from, from_pitch, width, height, kind, own(stream)))
OWN(hipMemcpy3DAsync, (const hipMemcpy3DParms *copy, hipStream_t stream), (copy, own(stream)))
OWN(hipMemcpyToSymbolAsync,
    (const void *symbol, const void *from, size_t size, size_t offset, hipMemcpyKind kind,
     hipStream_t stream),
    (symbol, from, size, offset, kind, own(stream)))
OWN(hipMemcpyFromSymbolAsync,
    (void *to, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind,
     hipStream_t stream),
    (to, symbol, size, offset, kind, own(stream)))
OWN(hipMemcpy2DToArrayAsync,
    (hipArray * to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
     hipMemcpyKind kind, hipStream_t stream),
    (to, x, y, from, pitch, width, height, kind, own(stream)))
OWN(hipMemcpy2DFromArrayAsync,
    (void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t width, size_t height,
     hipMemcpyKind kind, hipStream_t stream),
    (to, pitch, from, x, y, width, height, kind, own(stream)))
OWN(hipMemsetAsync, (void *to, int value, size_t size, hipStream_t stream),
    (to, value, size, own(stream)))
OWN(hipMemset2DAsync,
    (void *to, size_t pitch, int value, size_t width, size_t height, hipStream_t stream),
    (to, pitch, value, width, height, own(stream)))
OWN(hipMemset3DAsync, (hipPitchedPtr to, int value, hipExtent extent, hipStream_t stream),
    (to, value, extent, own(stream)))

// ---- calls that wait for what they have begun ----

#define OWN_AND_WAIT(NAME, PARAMETERS, ARGUMENTS)                                                  \
  EXPORT hipError_t NAME##_spt PARAMETERS;                                                         \
  hipError_t NAME##_spt PARAMETERS { return when_done(NAME##Async ARGUMENTS); }

OWN_AND_WAIT(hipMemcpy, (void *to, const void *from, size_t size, hipMemcpyKind kind),
             (to, from, size, kind, hipStreamPerThread))
OWN_AND_WAIT(hipMemcpy2D,
             (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
              size_t height, hipMemcpyKind kind),
             (to, to_pitch, from, from_pitch, width, height, kind, hipStreamPerThread))
OWN_AND_WAIT(hipMemcpy3D, (const hipMemcpy3DParms *copy), (copy, hipStreamPerThread))
OWN_AND_WAIT(hipMemcpyToSymbol,
             (const void *symbol, const void *from, size_t size, size_t offset, hipMemcpyKind kind),
             (symbol, from, size, offset, kind, hipStreamPerThread))
OWN_AND_WAIT(hipMemcpyFromSymbol,
             (void *to, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind),
             (to, symbol, size, offset, kind, hipStreamPerThread))
OWN_AND_WAIT(hipMemcpy2DToArray,
             (hipArray * to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
              size_t height, hipMemcpyKind kind),
             (to, x, y, from, pitch, width, height, kind, hipStreamPerThread))
OWN_AND_WAIT(hipMemcpy2DFromArray,
             (void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t width,
              size_t height, hipMemcpyKind kind),
             (to, pitch, from, x, y, width, height, kind, hipStreamPerThread))
OWN_AND_WAIT(hipMemset, (void *to, int value, size_t size), (to, value, size, hipStreamPerThread))
OWN_AND_WAIT(hipMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
             (to, pitch, value, width, height, hipStreamPerThread))
OWN_AND_WAIT(hipMemset3D, (hipPitchedPtr to, int value, hipExtent extent),
             (to, value, extent, hipStreamPerThread))

// There is none on a stream.
EXPORT hipError_t hipMemcpyFromArray_spt(void *to, hipArray_const_t from, size_t x, size_t y,
                                         size_t count, hipMemcpyKind kind);
hipError_t hipMemcpyFromArray_spt(void *to, hipArray_const_t from, size_t x, size_t y, size_t count,
                                  hipMemcpyKind kind) {
  const hipError_t waited = hipStreamSynchronize(hipStreamPerThread);
  return waited == hipSuccess ? hipMemcpyFromArray(to, from, x, y, count, kind) : waited;
}
