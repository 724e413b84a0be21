// Attributes of streams, of ROCm 7.1 and later. They change nothing here: a stream's policies are hints.
//
// In: HIP calls. Out: what was set.
#define _GNU_SOURCE
#include "runtime.h"
#include "stream.h"

#include <string.h>

// hipLaunchAttributeID: those that streams have.
typedef enum {
  ATTRIBUTE_WINDOW = 1,
  ATTRIBUTE_POLICY = 3,
  ATTRIBUTE_PRIORITY = 8,
  ATTRIBUTE_DOMAIN_MAP = 9,
  ATTRIBUTE_DOMAIN = 10
} Attribute;
_Static_assert((int)ATTRIBUTE_DOMAIN < (int)STREAM_ATTRIBUTES, "there is room for each");

EXPORT hipError_t hipStreamSetAttribute(hipStream_t stream, int attribute, const void *value);
EXPORT hipError_t hipStreamGetAttribute(hipStream_t stream, int attribute, void *value);
EXPORT hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from);

static StreamAttributes *attributes_of(hipStream_t stream) {
  static StreamAttributes of_null_stream;
  return stream_object(stream) ? &stream_object(stream)->attributes : &of_null_stream;
}

static bool is_attribute(int attribute) {
  return attribute == ATTRIBUTE_WINDOW || attribute == ATTRIBUTE_POLICY ||
         (attribute >= ATTRIBUTE_PRIORITY && attribute <= ATTRIBUTE_DOMAIN);
}

static bool is_value(int attribute, const void *value) {
  enum { FIRST_POLICY = 1, LAST_POLICY = 4 }; // hipSynchronizationPolicy
  const int policy = attribute == ATTRIBUTE_POLICY ? *(const int *)value : FIRST_POLICY;
  return policy >= FIRST_POLICY && policy <= LAST_POLICY;
}

static hipError_t set(hipStream_t stream, int attribute, const void *value) {
  if (!stream_live(stream))
    return hipErrorInvalidHandle;
  if (!value || !is_attribute(attribute) || !is_value(attribute, value))
    return hipErrorInvalidValue;
  StreamAttributes *attributes = attributes_of(stream);
  memcpy(attributes->value[attribute], value, sizeof attributes->value[attribute]);
  attributes->set |= 1u << attribute;
  return hipSuccess;
}

static hipError_t get(hipStream_t stream, int attribute, void *value) {
  enum { POLICY_AUTO = 1 };
  if (!stream_live(stream))
    return hipErrorInvalidHandle;
  if (!value || !is_attribute(attribute))
    return hipErrorInvalidValue;
  const StreamAttributes *attributes = attributes_of(stream);
  memcpy(value, attributes->value[attribute], sizeof attributes->value[attribute]);
  if (attributes->set >> attribute & 1)
    return hipSuccess;
  if (attribute == ATTRIBUTE_POLICY)
    *(int *)value = POLICY_AUTO;
  if (attribute == ATTRIBUTE_PRIORITY && stream_object(stream))
    *(int *)value = stream_object(stream)->priority;
  return hipSuccess;
}

static hipError_t copy(hipStream_t to, hipStream_t from) {
  if (!stream_live(to) || !stream_live(from))
    return hipErrorInvalidHandle;
  *attributes_of(to) = *attributes_of(from);
  return hipSuccess;
}

hipError_t hipStreamSetAttribute(hipStream_t stream, int attribute, const void *value) {
  SERVE(set(stream, attribute, value));
}
hipError_t hipStreamGetAttribute(hipStream_t stream, int attribute, void *value) {
  SERVE(get(stream, attribute, value));
}
hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from) { SERVE(copy(to, from)); }
