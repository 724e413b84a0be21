// Programs that read what a kernel writes, with and without having waited for it.
//
// In: which memory ("managed", "inside" a structure that is an argument, "far" from it, "pinned", "device"), how the program waits ("no": it does
// not), and what it does then ("free", "reset", "end", "twice": both over again). Out: what the emulated device says; exit status 0.
#include <hip/hip_runtime.h>

#include <cstring>
#include <unistd.h>

enum { ITEMS = 64 };

struct Values {
  int count;
  int *values;
};

__global__ void count_up(int *values, int step) { values[threadIdx.x] += step; }
__global__ void count_inside(Values inside) {
  if ((int)threadIdx.x < inside.count)
    inside.values[threadIdx.x] += 1;
}

__global__ void count_far(int *values) { values[1 << 30] += 1; }

static void nothing(void *) {}

static int *memory_of(const char *kind) {
  int *values = nullptr;
  if (!strcmp(kind, "device"))
    (void)hipMalloc((void **)&values, ITEMS * sizeof *values);
  else if (!strcmp(kind, "pinned"))
    (void)hipHostMalloc((void **)&values, ITEMS * sizeof *values, 0);
  else
    (void)hipMallocManaged((void **)&values, ITEMS * sizeof *values);
  return values;
}

static void wait(const char *how, int *values) {
  hipEvent_t event;
  int copy;
  (void)hipEventCreate(&event);
  (void)hipEventRecord(event, nullptr);
  usleep(100000); // the kernel has ended, so that no call has anything to wait for
  if (!strcmp(how, "device"))
    (void)hipDeviceSynchronize();
  else if (!strcmp(how, "stream"))
    (void)hipStreamSynchronize(nullptr);
  else if (!strcmp(how, "event"))
    (void)hipEventSynchronize(event);
  else if (!strcmp(how, "copy"))
    (void)hipMemcpy(&copy, values, sizeof copy, hipMemcpyDefault);
  else if (!strcmp(how, "query-event"))
    while (hipEventQuery(event) == hipErrorNotReady) {
    }
  else if (!strcmp(how, "query-stream"))
    while (hipStreamQuery(nullptr) == hipErrorNotReady) {
    }
  else if (!strcmp(how, "callback"))
    (void)hipLaunchHostFunc(nullptr, nothing, nullptr);
}

static void use(const char *kind, const char *how, const char *then) {
  int *values = memory_of(kind), *another = memory_of(kind);
  if (!strcmp(kind, "inside"))
    count_inside<<<1, ITEMS>>>(Values{ITEMS, values});
  else if (!strcmp(kind, "far"))
    count_far<<<1, 1>>>(values);
  else
    count_up<<<1, ITEMS>>>(values, 1);
  wait(how, values);
  if (!strcmp(then, "reset"))
    (void)hipDeviceReset();
  else if (strcmp(then, "end") != 0)
    (void)(strcmp(kind, "pinned") ? hipFree(another) : hipHostFree(another));
}

int main(int count, char **word) {
  if (count != 4)
    return 2;
  for (int i = strcmp(word[3], "twice") ? 1 : 0; i < 2; i++)
    use(word[1], word[2], word[3]);
  return 0;
}
