// User objects: data of the program that graphs keep alive, and that goes with the last reference.
//
// In: HIP calls. Out: a call of the program's function when nobody refers to the object any more.
// Codes: hipamd hip_graph.cpp.
#ifndef EMULATOR_USER_OBJECT_H
#define EMULATOR_USER_OBJECT_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

typedef struct {
  struct UserObject *object;
  unsigned count; // references that the owner of the list has
} UserReference;

typedef struct {
  UserReference *reference;
  size_t count;
} UserObjects;

typedef struct UserObject UserObject;
hipError_t user_object_retain(UserObject *object, unsigned count);
// The list refers to it so many times more; false: no memory.
bool user_objects_add(UserObjects *objects, UserObject *object, unsigned count);
// So many references go, the program's too if the list has fewer; none if it has none, or if there
// are not so many.
void user_objects_drop(UserObjects *objects, const UserObject *object, unsigned count);
bool user_objects_copy(UserObjects *to, const UserObjects *from); // refers to each as often
void user_objects_release(UserObjects *objects);

#endif
