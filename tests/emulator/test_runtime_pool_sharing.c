// Memory pools, and memory of hipMemCreate, whose file descriptors go to another process.
#include "other_process.h"
#include "runtime_test.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 64, CHUNK = 2 << 20 };

static const hipMemAllocationHandleType by_descriptor = hipMemHandleTypePosixFileDescriptor;

// What the first process tells the other, besides two descriptors.
typedef struct {
  hipMemPoolPtrExportData whole, middle;
} Told;
enum { POOL, MEMORY, DESCRIPTORS };

typedef union {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
} Control;

static struct msghdr message(struct iovec *part, Control *control) {
  return (struct msghdr){
      .msg_iov = part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof *control};
}

static void tell(int socket, Told *told, const int descriptor[DESCRIPTORS]) {
  Control control = {0};
  struct iovec part = {told, sizeof *told};
  const struct msghdr out = message(&part, &control);
  control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int)),
                                    .cmsg_level = SOL_SOCKET,
                                    .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.header), descriptor, DESCRIPTORS * sizeof(int));
  cr_assert(eq(sz, (size_t)sendmsg(socket, &out, 0), sizeof *told));
}

static void add_one_to(int *memory) {
  hipModule_t module;
  hipFunction_t add_one;
  int n = N;
  void *arguments[] = {&memory, &n};
  EXPECT(hipSuccess, hipModuleLoad(&module, RUNTIME_KERNELS));
  EXPECT(hipSuccess, hipModuleGetFunction(&add_one, module, "add_one"));
  EXPECT(hipSuccess, hipModuleLaunchKernel(add_one, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
  EXPECT(hipSuccess, hipDeviceSynchronize());
}

static void work_on_pool(int descriptor, Told *told) {
  hipMemPool_t pool;
  int *memory, *middle;
  void *own;
  // By value, as in CUDA.
  EXPECT(hipSuccess, hipMemPoolImportFromShareableHandle(&pool, (void *)(uintptr_t)descriptor,
                                                         by_descriptor, 0));
  EXPECT(hipSuccess, hipMemPoolImportPointer((void **)&memory, pool, &told->whole));
  EXPECT(hipSuccess, hipMemPoolImportPointer((void **)&middle, pool, &told->middle));
  if (middle != memory + N / 2)
    _exit(2);
  EXPECT(hipSuccess, hipMallocFromPoolAsync(&own, 4, pool, NULL)); // of this process
  EXPECT(hipSuccess, hipMemset(own, 7, 4));
  EXPECT(hipSuccess, hipFreeAsync(own, NULL));
  EXPECT(hipErrorInvalidValue, hipDeviceSetMemPool(0, pool));
  add_one_to(memory);
  EXPECT(hipErrorInvalidValue, hipIpcCloseMemHandle(memory));
  EXPECT(hipSuccess, hipFreeAsync(memory, NULL));
  EXPECT(hipSuccess, hipFree(middle));
  EXPECT(hipErrorInvalidValue, hipFree(middle));
  EXPECT(hipSuccess, hipMemPoolDestroy(pool));
}

static void work_on_memory(int descriptor) {
  hipMemGenericAllocationHandle_t memory;
  const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  void *range;
  EXPECT(hipSuccess, hipMemImportFromShareableHandle(&memory, &descriptor, by_descriptor));
  EXPECT(hipSuccess, hipMemAddressReserve(&range, CHUNK, 0, NULL, 0));
  EXPECT(hipSuccess, hipMemMap(range, CHUNK, 0, memory, 0));
  EXPECT(hipSuccess, hipMemSetAccess(range, CHUNK, &access, 1));
  add_one_to(range);
  EXPECT(hipSuccess, hipMemUnmap(range, CHUNK));
  EXPECT(hipSuccess, hipMemRelease(memory));
}

static void other_side(int socket) {
  Told told;
  Control control = {0};
  struct iovec part = {&told, sizeof told};
  struct msghdr in = message(&part, &control);
  int descriptor[DESCRIPTORS];
  alarm(50); // it must not outlive a test that failed
  if (recvmsg(socket, &in, 0) != sizeof told)
    _exit(3);
  memcpy(descriptor, CMSG_DATA(&control.header), sizeof descriptor);
  work_on_pool(descriptor[POOL], &told);
  work_on_memory(descriptor[MEMORY]);
  _exit(0);
}

static hipMemPool_t shared_pool(void) {
  hipMemPool_t pool = NULL;
  const hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                      .handleTypes = by_descriptor,
                                      .location = {hipMemLocationTypeDevice, 0}};
  SUCCEEDS(hipMemPoolCreate(&pool, &properties));
  return pool;
}

static int *mapped(hipMemGenericAllocationHandle_t *memory) {
  const hipMemAllocationProp pinned = {.type = hipMemAllocationTypePinned,
                                       .requestedHandleType = by_descriptor,
                                       .location = {hipMemLocationTypeDevice, 0}};
  const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  void *range = NULL;
  SUCCEEDS(hipMemCreate(memory, CHUNK, &pinned, 0));
  SUCCEEDS(hipMemAddressReserve(&range, CHUNK, 0, NULL, 0));
  SUCCEEDS(hipMemMap(range, CHUNK, 0, *memory, 0));
  SUCCEEDS(hipMemSetAccess(range, CHUNK, &access, 1));
  return range;
}

static void expect_sevens(const int *memory, int added) {
  int back[N];
  SUCCEEDS(hipMemcpy(back, memory, sizeof back, hipMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    cr_assert(eq(int, back[i], 7 * i + added));
}

Test(runtime_pool_sharing, another_process_works_on_the_same_memory, .timeout = 60) {
  int sockets[2], descriptor[DESCRIPTORS], *pooled, start[N], status = -1;
  cr_assert(zero(int, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)));
  const pid_t other = fork();
  cr_assert(ge(int, other, 0));
  if (other == 0)
    other_side(sockets[1]);
  Told told;
  hipMemPool_t pool = shared_pool();
  hipMemGenericAllocationHandle_t memory;
  int *range = mapped(&memory);
  for (int i = 0; i < N; i++)
    start[i] = 7 * i;
  SUCCEEDS(hipMallocFromPoolAsync((void **)&pooled, sizeof start, pool, NULL));
  SUCCEEDS(hipMemcpy(pooled, start, sizeof start, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy(range, start, sizeof start, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemPoolExportToShareableHandle(&descriptor[POOL], pool, by_descriptor, 0));
  SUCCEEDS(hipMemPoolExportPointer(&told.whole, pooled));
  SUCCEEDS(hipMemPoolExportPointer(&told.middle, pooled + N / 2));
  SUCCEEDS(hipMemExportToShareableHandle(&descriptor[MEMORY], memory, by_descriptor, 0));
  tell(sockets[0], &told, descriptor);
  cr_assert(eq(int, waitpid(other, &status, 0), other));
  cr_assert(zero(int, status));
  expect_sevens(pooled, 1);
  expect_sevens(range, 1);
}

Test(runtime_pool_sharing, a_process_may_import_its_own) {
  hipMemPool_t pool = shared_pool(), imported = NULL;
  hipMemPoolPtrExportData data;
  int descriptor = -1, *memory, *again, start[N];
  for (int i = 0; i < N; i++)
    start[i] = 7 * i;
  SUCCEEDS(hipMallocFromPoolAsync((void **)&memory, sizeof start, pool, NULL));
  SUCCEEDS(hipMemPoolExportToShareableHandle(&descriptor, pool, by_descriptor, 0));
  SUCCEEDS(hipMemPoolExportPointer(&data, memory));
  // From where it stands, as in HIP.
  SUCCEEDS(hipMemPoolImportFromShareableHandle(&imported, &descriptor, by_descriptor, 0));
  SUCCEEDS(hipMemPoolImportPointer((void **)&again, imported, &data));
  cr_assert(ne(ptr, again, memory));
  SUCCEEDS(hipMemcpy(again, start, sizeof start, hipMemcpyHostToDevice));
  expect_sevens(memory, 0);
  SUCCEEDS(hipFree(again));
  expect_sevens(memory, 0);
}

Test(runtime_pool_sharing, what_is_not_shared) {
  cr_redirect_stderr();
  hipMemPool_t pool = shared_pool(), plain = NULL, imported = NULL;
  hipMemPoolPtrExportData data = {{0}};
  hipMemGenericAllocationHandle_t memory;
  int descriptor = -1, other_file = open("Makefile", O_RDONLY);
  void *address = NULL;
  SUCCEEDS(hipDeviceGetDefaultMemPool(&plain, 0));
  GIVES(hipErrorInvalidValue,
        hipMemPoolExportToShareableHandle(&descriptor, plain, by_descriptor, 0));
  GIVES(hipErrorNotSupported,
        hipMemPoolExportToShareableHandle(&descriptor, pool, hipMemHandleTypeWin32, 0));
  GIVES(hipErrorInvalidValue,
        hipMemPoolExportToShareableHandle(&descriptor, pool, hipMemHandleTypeNone, 0));
  GIVES(hipErrorInvalidValue,
        hipMemPoolImportFromShareableHandle(&imported, &descriptor, hipMemHandleTypeNone, 0));
  GIVES(hipErrorInvalidValue,
        hipMemPoolExportToShareableHandle(&descriptor, pool, by_descriptor, 1));
  GIVES(hipErrorInvalidValue,
        hipMemPoolImportFromShareableHandle(&imported, &other_file, by_descriptor, 0));
  GIVES(hipErrorInvalidValue, hipMemPoolImportPointer(&address, pool, &data));
  SUCCEEDS(hipMemPoolExportToShareableHandle(&descriptor, pool, by_descriptor, 0));
  SUCCEEDS(hipMemPoolImportFromShareableHandle(&imported, &descriptor, by_descriptor, 0));
  GIVES(hipErrorInvalidValue, hipMemPoolImportPointer(&address, imported, &data));
  GIVES(hipErrorInvalidValue, hipMemImportFromShareableHandle(&memory, &other_file, by_descriptor));
  mapped(&memory);
  GIVES(hipErrorInvalidValue,
        hipMemExportToShareableHandle(&descriptor, memory, hipMemHandleTypeWin32, 0));
  GIVES(hipErrorInvalidValue, hipMemExportToShareableHandle(&descriptor, NULL, by_descriptor, 0));
  const char *text = said();
  SAYS(text, "was not made to be shared: hipMemPoolCreate with handleTypes");
  SAYS(text, "pools are shared by file descriptors");
  SAYS(text, "is no file descriptor of a memory pool");
  SAYS(text, "the pointer is none of process");
  SAYS(text, "is no file descriptor of hipMemExportToShareableHandle");
}
