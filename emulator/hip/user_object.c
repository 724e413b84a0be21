// User objects: see user_object.h.
#define _GNU_SOURCE
#include "user_object.h"

#include "handle.h"
#include "runtime.h"

#include <stdlib.h>

struct UserObject {
  void *data;
  hipHostFn_t destroy;
  unsigned count;
};

// A graph's object may have been released by the program alone.
static void drop(UserObject *object, unsigned count) {
  if (!handle_live(HANDLE_USER_OBJECT, object))
    return;
  object->count -= count < object->count ? count : object->count;
  if (object->count)
    return;
  handle_remove(HANDLE_USER_OBJECT, object);
  object->destroy(object->data);
  free(object);
}

bool user_objects_add(UserObjects *objects, UserObject *object, unsigned count) {
  for (size_t i = 0; i < objects->count; i++)
    if (objects->reference[i].object == object) {
      objects->reference[i].count += count;
      return true;
    }
  UserReference *grown =
      realloc(objects->reference, (objects->count + 1) * sizeof *objects->reference);
  if (!grown)
    return false;
  objects->reference = grown;
  grown[objects->count++] = (UserReference){object, count};
  return true;
}

void user_objects_drop(UserObjects *objects, const UserObject *object, unsigned count) {
  for (size_t i = 0; i < objects->count; i++) {
    UserReference *r = &objects->reference[i];
    if (r->object != object)
      continue;
    UserObject *dropped = r->object;
    const bool live = handle_live(HANDLE_USER_OBJECT, dropped);
    if (live && count > dropped->count)
      return;
    r->count -= count < r->count ? count : r->count;
    if (!r->count || !live || count == dropped->count)
      *r = objects->reference[--objects->count];
    drop(dropped, count);
    return;
  }
}

bool user_objects_copy(UserObjects *to, const UserObjects *from) {
  *to = (UserObjects){NULL, 0};
  for (size_t i = 0; i < from->count; i++) {
    const UserReference *r = &from->reference[i];
    if (!user_objects_add(to, r->object, r->count))
      return false;
    r->object->count += r->count;
  }
  return true;
}

void user_objects_release(UserObjects *objects) {
  for (size_t i = 0; i < objects->count; i++)
    drop(objects->reference[i].object, objects->reference[i].count);
  free(objects->reference);
  *objects = (UserObjects){NULL, 0};
}

// ---- calls ----

EXPORT hipError_t hipUserObjectCreate(UserObject **object, void *data, hipHostFn_t destroy,
                                      unsigned count, unsigned flags);
EXPORT hipError_t hipUserObjectRelease(UserObject *object, unsigned count);
EXPORT hipError_t hipUserObjectRetain(UserObject *object, unsigned count);

static hipError_t create(UserObject **target, void *data, hipHostFn_t destroy, unsigned count,
                         unsigned flags) {
  enum { NO_DESTRUCTOR_SYNC = 1 }; // the only flag that there is
  if (!target || !destroy || !count || flags != NO_DESTRUCTOR_SYNC)
    return hipErrorInvalidValue;
  UserObject *object = malloc(sizeof *object);
  if (!object || !handle_add(HANDLE_USER_OBJECT, object))
    return hipErrorOutOfMemory;
  *object = (UserObject){data, destroy, count};
  *target = object;
  return hipSuccess;
}

// Of more references than there are none is released, and that is no error.
static hipError_t release(UserObject *object, unsigned count) {
  if (!count || !object)
    return hipErrorInvalidValue;
  if (handle_live(HANDLE_USER_OBJECT, object) && count <= object->count)
    drop(object, count);
  return hipSuccess;
}

hipError_t user_object_retain(UserObject *object, unsigned count) {
  if (!count || !handle_live(HANDLE_USER_OBJECT, object))
    return hipErrorInvalidValue;
  object->count += count;
  return hipSuccess;
}

hipError_t hipUserObjectCreate(UserObject **object, void *data, hipHostFn_t destroy, unsigned count,
                               unsigned flags) {
  SERVE(create(object, data, destroy, count, flags));
}
hipError_t hipUserObjectRelease(UserObject *object, unsigned count) {
  SERVE(release(object, count));
}
hipError_t hipUserObjectRetain(UserObject *object, unsigned count) {
  SERVE(user_object_retain(object, count));
}
