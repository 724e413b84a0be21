// Streams: which there are, and which of them write their calls down instead of executing them.
//
// In: the HIP stream calls. Out: a stream's attributes and the state of its recording, which
// capture.h changes.
#ifndef EMULATOR_STREAM_H
#define EMULATOR_STREAM_H

#include "node_list.h"
#include "queue.h"
#include "runtime.h"

#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

struct Graph;
enum { STREAM_MASK_WORDS = 16 }; // of 32 compute units
enum { STREAM_ATTRIBUTES = 11, STREAM_ATTRIBUTE_BYTES = 64 };
typedef struct {
  uint32_t set; // a bit for each that the program set
  uint8_t value[STREAM_ATTRIBUTES][STREAM_ATTRIBUTE_BYTES];
} StreamAttributes;
typedef struct Stream {
  struct Stream *next; // of all streams
  uint64_t id;         // never used twice; 0 is the null stream's
  unsigned flags;
  int priority, device;
  struct Graph *capture; // graph being recorded, NULL if none
  uint64_t capture_id;   // of that recording, never used twice
  NodeList after;        // what was recorded last on this stream: new nodes come behind all of it
  NodeList released;     // what the program took out of that: nobody needs to wait for it
  bool origin;           // hipStreamBeginCapture was called on this stream
  bool lent;             // the graph is the program's: see hipStreamBeginCaptureToGraph
  bool invalid;          // a call was made that no recording allows
  uint32_t mask[STREAM_MASK_WORDS]; // of compute units
  bool masked;                      // by the program
  StreamAttributes attributes;
  hipStreamCaptureMode mode; // which calls the recording forbids, and to whom
  const void *recorder;      // the thread that began it (stream_thread)
  bool of_thread;            // hipStreamPerThread of a thread
} Stream;
extern Stream *streams;
extern _Thread_local hipStreamCaptureMode
    stream_mode; // of this thread: which calls it does without

bool stream_is_null(hipStream_t stream);
bool stream_live(hipStream_t stream);         // the null stream and hipStreamPerThread are
Stream *stream_object(hipStream_t stream);    // of a live stream but the null stream, else NULL
Stream *stream_capturing(hipStream_t stream); // NULL if its calls are to be executed
// Whether a stream is recorded whose recording forbids this thread calls that it cannot hold.
bool stream_recorded(void);
// Whether a stream is recorded that is in order with the null stream, so that nobody can say whether that one is, too.
bool stream_null_ambiguous(void);
// Whether the call offends recordings; those are invalid from then on.
bool stream_null_in_use(void); // work of the null stream would be part of a recording
bool stream_forbidden(void);   // to this thread: calls that no recording can hold
bool stream_capture_broken(uint64_t capture_id); // by a call that needs what it records
const void *stream_thread(void);                 // the address is another one in each thread
int stream_device(hipStream_t stream);           // of a live stream
QueueStream stream_order(hipStream_t stream); // of a live stream: its place in the device's queue
void stream_wait(hipStream_t stream);         // for what it was asked for so far; hold no lock
// The same for the null streams of the current device and of those whose memory is at these addresses (NULL: of none), as ROCm
// does before it copies or fills (hipamd hip_memory.cpp, ihipMemcpyCommand); and of all devices.
void stream_wait_for(const void *to, const void *from);
void stream_wait_for_all(void);
hipError_t stream_call(hipStream_t stream, hipHostFn_t function, void *data); // from another thread
void streams_destroy_all(void); // of the current device

// Calls that wait for the device are refused while a stream records.
#define SERVE_BEHIND(WAIT, BODY)                                                                   \
  SERVE_AFTER(WAIT, stream_null_in_use() ? hipErrorStreamCaptureImplicit : (BODY))
#define SERVE_COPY(TO, FROM, BODY) SERVE_BEHIND(stream_wait_for(TO, FROM), BODY)
#define SERVE_BLOCKING(BODY) SERVE_BEHIND(stream_wait_for_all(), BODY)
// So are those that change what memory there is.
#define SERVE_UNRECORDED(BODY) SERVE(stream_forbidden() ? hipErrorStreamCaptureUnsupported : (BODY))
// Those that ROCm 7 refuses, too ("HIP API 7.0 changes"): some break the recording, some leave it whole.
#define SERVE_UNRECORDED_7(BODY)                                                                   \
  SERVE(program_abi() >= 7 && stream_forbidden() ? hipErrorStreamCaptureUnsupported : (BODY))
#define SERVE_APART_7(BODY)                                                                        \
  SERVE(program_abi() >= 7 && stream_recorded() ? hipErrorStreamCaptureUnsupported : (BODY))

#endif
