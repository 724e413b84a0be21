// Recording: while a stream captures, its calls become nodes of a graph instead of being executed.
//
// In: hipStreamBeginCapture, and the calls made on a stream that stream_capturing() found. Out: the
// graph that hipStreamEndCapture hands over.
#ifndef EMULATOR_CAPTURE_H
#define EMULATOR_CAPTURE_H

#include "launch.h"
#include "stream.h"

// function: as the program named the kernel.
hipError_t capture_launch(Stream *stream, const Launch *launch, const void *function);
hipError_t capture_copy(Stream *stream, void *to, const void *from, size_t size,
                        hipMemcpyKind kind);
hipError_t capture_copy_3d(Stream *stream, const hipMemcpy3DParms *parameters);
hipError_t capture_set(Stream *stream, const hipMemsetParams *parameters);
hipError_t capture_host(Stream *stream, hipHostFn_t function, void *data);
// Memory that a launch of the graph allocates, and that a graph allocated.
hipError_t capture_allocate(Stream *stream, void **address, size_t size);
hipError_t capture_free(Stream *stream, void *address);
// The stream waits for an event that was recorded after these nodes (none: at the begin) of a
// recording.
hipError_t capture_join(Stream *stream, uint64_t capture_id, const NodeList *after);

#endif
