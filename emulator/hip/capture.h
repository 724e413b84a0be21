// Recording: while a stream captures, its calls become nodes of a graph instead of being executed.
//
// In: hipStreamBeginCapture, and the calls made on a stream that stream_capturing() found. Out: the
// graph that hipStreamEndCapture hands over.
#ifndef EMULATOR_CAPTURE_H
#define EMULATOR_CAPTURE_H

#include "launch.h"
#include "stream.h"

hipError_t capture_launch(Stream *stream, const Launch *launch);
hipError_t capture_copy(Stream *stream, void *to, const void *from, size_t size,
                        hipMemcpyKind kind);
hipError_t capture_set(Stream *stream, void *to, uint32_t value, size_t width, size_t count);
// The stream waits for an event that was recorded after a node (NULL: at the begin) of this
// recording.
hipError_t capture_host(Stream *stream, hipHostFn_t function, void *data);
hipError_t capture_join(Stream *stream, uint64_t capture_id, struct GraphNode *after);

#endif
