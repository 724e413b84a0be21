// Serving of API calls: see runtime.h.
#define _GNU_SOURCE
#include "runtime.h"

#include "device_memory.h"
#include "devices.h"
#include "hostcall.h"
#include "missing_memory.h"
#include "own_thread.h"
#include "parameters.h"
#include "program.h"
#include "program_abi.h"
#include "queue.h"
#include "settings.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

typedef struct {
  hipError_t code;
  const char *name, *text;
} ErrorName;

static const ErrorName error_names[] = {
#define X(NAME, TEXT) {NAME, #NAME, TEXT},
#include "errors.def"
#undef X
};
static const ErrorName error_names_7[] = {
    // that ROCm 7 has besides
    {(hipError_t)911, "hipErrorInvalidChannelDescriptor", "unknown error"},
    {(hipError_t)912, "hipErrorInvalidTexture", "unknown error"},
    {(hipError_t)1054, "hipErrorUnknown", // so hipamd, which has a text for it and no name
     "a kernel launch error has occurred due to cluster misconfiguration"},
};

static pthread_mutex_t mutex =
    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; // recursive: host callbacks may call back
static _Thread_local struct {
  int calls;          // in each other, by host callbacks
  int cancelled;      // before them: whether pthread_cancel ends the thread
  unsigned computing; // and how it computes (MXCSR): rounding, denormals, traps
} before;
static _Thread_local const char *current_call = ""; // being served, for sentences; "": queued work
static hipError_t sticky = hipSuccess; // code of the kernel fault that ended the device's work
static bool abort_due;                 // a kernel stopped itself, and the program waits for SIGABRT
static _Thread_local hipError_t last_error = hipSuccess;  // what hipGetLastError tells,
static _Thread_local hipError_t last_result = hipSuccess; // and what the last call returned

static const ErrorName *error_named(hipError_t code) {
  static const ErrorName unknown = {hipErrorUnknown, "hipErrorUnknown", "unknown error"};
  for (size_t i = 0; i < sizeof error_names / sizeof error_names[0]; i++)
    if (error_names[i].code == code)
      return &error_names[i];
  for (size_t i = 0; i < sizeof error_names_7 / sizeof error_names_7[0]; i++)
    if (error_names_7[i].code == code && program_abi() >= 7)
      return &error_names_7[i];
  return &unknown;
}

const char *hipGetErrorName(hipError_t code) { return error_named(code)->name; }

const char *hipGetErrorString(hipError_t code) {
  const ErrorName *named = error_named(code);
  return program_abi() < 6 ? named->name : named->text;
}

// Why the environment allows no device, NULL if it does.
static const char *refused(void) {
  return parameters_refused() ? parameters_refused() : settings_refused();
}

// Said once, however many calls a program goes on to make.
bool runtime_refused(void) {
  static bool said;
  if (refused() && !said)
    runtime_say("%s.", refused());
  said = said || refused();
  return refused();
}

hipError_t runtime_no_device(void) {
  static bool said;
  const char *variable = device_hiding_variable();
  if (!said)
    runtime_say(
        "note: %s=%s leaves no device: the emulated ones have the numbers from 0 to %d. Take it "
        "out of the environment, or name one of them.",
        variable, getenv(variable), (int)settings()->devices - 1);
  said = true;
  return hipErrorNoDevice;
}

// In ROCm 7 every call returns a kernel's fault, hipDeviceReset and hipSetDevice, too (hipamd
// hip_internal.hpp, HIP_INIT_API and HIP_RETURN). Before it the process ended with the fault.
static bool fault_is_for_good(void) { return program_abi() >= 7; }

// A thread that pthread_cancel ended in a call would keep the lock; it ends where it next waits for the device. What the
// program has set by fesetround, feenableexcept or -ffast-math is not for the numbers of this library, nor of kernels, whose
// threads begin in a call and compute as it does.
static void begin_call(void) {
  enum { USUAL = 0x1f80 }; // of a new process: Intel SDM, MXCSR
  if (!before.calls++) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.cancelled);
    before.computing = _mm_getcsr();
    _mm_setcsr(USUAL);
  }
  own_thread_asks();
  pthread_mutex_lock(&mutex);
}

static void end_call(void) {
  pthread_mutex_unlock(&mutex);
  if (!--before.calls) {
    _mm_setcsr(before.computing);
    pthread_setcancelstate(before.cancelled, &before.cancelled);
  }
}

// No other thread is in a call while fork() copies the process: the child has no such thread, and would wait for it, if only
// as it ends.
static void before_fork(void) {
  pthread_mutex_lock(&mutex);
  hostcall_before_fork();
  queue_before_fork();
  program_before_fork();
}
static void after_fork(void) {
  program_after_fork();
  queue_after_fork(false);
  hostcall_after_fork();
  pthread_mutex_unlock(&mutex);
}
static void after_fork_in_child(void) {
  mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  program_after_fork();
  queue_after_fork(true);
  hostcall_after_fork();
  missing_memory_after_fork();
}
__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

hipError_t runtime_enter(const char *call, CallNeeds needs) {
  if (__atomic_load_n(&abort_due, __ATOMIC_ACQUIRE) &&
      __atomic_exchange_n(&abort_due, false, __ATOMIC_ACQ_REL))
    abort();
  if (needs == CALL_NEEDS_QUIET_DEVICE)
    device_lock(); // first: what the device is at may wait for what another thread does after a call
  begin_call();
  device_memory_hold();
  current_call = call;
  device_memory_choose(device_current());
  if (needs != CALL_NEEDS_NOTHING && device_count() == 0)
    return runtime_no_device();
  if (needs != CALL_NEEDS_NOTHING && runtime_refused())
    return hipErrorNotInitialized;
  return needs <= CALL_NEEDS_HEALTHY_DEVICE || fault_is_for_good() ? runtime_fault_code()
                                                                   : hipSuccess;
}

static void let_go(CallNeeds needs) {
  device_memory_let_go();
  if (needs == CALL_NEEDS_QUIET_DEVICE)
    device_unlock();
  end_call();
}

// A place for a debugger's breakpoint (ROCgdb: catch hiperr), called as a call returns what failed.
EXPORT void __hipOnError(const void *failure);
void __hipOnError(const void *failure) { (void)failure; }

// Of the struct later releases have more members: the version says how many are there.
static void tell_debugger(hipError_t code) {
  const struct {
    uint32_t version, code;
    const char *name, *text;
  } failure = {1, code, hipGetErrorName(code), hipGetErrorString(code)};
  __hipOnError(&failure);
}

// From ROCm 7 on success and hipErrorNotReady leave the last error as it is.
hipError_t runtime_leave(CallNeeds needs, hipError_t result) {
  let_go(needs);
  const bool failed = result != hipSuccess && result != hipErrorNotReady;
  if (program_abi() < 7 || failed)
    last_error = result;
  last_result = result;
  if (failed)
    tell_debugger(result);
  return result;
}

// What a thread remembers, unless no call would succeed.
static hipError_t remembered(hipError_t kept) {
  hipError_t result = runtime_enter(__func__, CALL_NEEDS_HEALTHY_DEVICE);
  let_go(CALL_NEEDS_HEALTHY_DEVICE);
  return result != hipSuccess ? result : kept;
}

hipError_t hipPeekAtLastError(void) { return remembered(last_error); }

hipError_t hipGetLastError(void) {
  hipError_t result = remembered(last_error);
  last_error = hipSuccess;
  return result;
}

EXPORT hipError_t hipExtGetLastError(void);
hipError_t hipExtGetLastError(void) {
  hipError_t result = remembered(last_result);
  last_result = hipSuccess;
  return result;
}

void runtime_say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  flockfile(stderr);
  fprintf(stderr, "emulator: %s%s", current_call, *current_call ? ": " : "");
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  funlockfile(stderr);
  va_end(arguments);
}

// One code for whatever is not the program's fault, so that a program can tell by the code alone.
static hipError_t fault_error(FaultKind kind) {
  switch (kind) {
  case FAULT_NONE:
    return hipSuccess;
  case FAULT_ADDRESS:
    return hipErrorIllegalAddress;
  case FAULT_BUDGET:
    return hipErrorLaunchTimeOut;
  case FAULT_GAP:
    return hipErrorNotSupported;
  case FAULT_HOST:
    return hipErrorOperatingSystem;
  case FAULT_LDS:
  case FAULT_SCRATCH:
  case FAULT_BARRIER:
  case FAULT_INSTRUCTION:
  case FAULT_TRAP:
  case FAULT_SANITIZER:
    return hipErrorLaunchFailure;
  }
  return hipErrorUnknown;
}

// Whether a failed assert(), abort() or trap of a kernel ends the process: up to ROCm 6 it does, from 7 on
// the runtime's own default is that it does not.
static bool ends_process(FaultKind kind) {
  const uint64_t skip = settings()->skip_abort;
  return kind == FAULT_TRAP && (skip == SKIP_ABORT_BY_RELEASE ? program_abi() < 7 : !skip);
}

// A program that catches the signal, and may jump from there, has it in its own thread, where the thread calls
// HIP and holds no lock: runtime_enter.
static void end_process(void) {
  struct sigaction action;
  if (sigaction(SIGABRT, NULL, &action) == 0 && action.sa_handler == SIG_DFL)
    abort();
  __atomic_store_n(&abort_due, true, __ATOMIC_RELEASE);
}

// ROCm before 7 ends the process with abort() after a memory fault, too ("Memory access fault by GPU
// node-1 ..."). That code is returned here instead, so that a program under test can report what it
// found; every later call fails as on a lost device.
void runtime_fault(const Fault *fault) {
  size_t length = strlen(fault->text);
  fprintf(stderr, "emulator: %s%s", fault->text,
          length && fault->text[length - 1] == '\n' ? "" : "\n");
  const hipError_t code = fault_error(fault->kind);
  const bool ends = ends_process(fault->kind);
  if (ends)
    fprintf(stderr, "emulator: this ends the process by SIGABRT, as ROCm up to 6 does; with "
                    "HIP_SKIP_ABORT_ON_GPU_ERROR=1 it is an error that HIP calls return.\n");
  else
    fprintf(stderr, "emulator: all further HIP calls return %s%s.\n", hipGetErrorName(code),
            fault_is_for_good() ? ", hipDeviceReset() too, as in ROCm 7"
                                : " until hipDeviceReset()");
  __atomic_store_n(&sticky, code, __ATOMIC_RELEASE);
  if (ends)
    end_process();
}

hipError_t runtime_fault_code(void) { return __atomic_load_n(&sticky, __ATOMIC_ACQUIRE); }

void runtime_forget_fault(void) { __atomic_store_n(&sticky, hipSuccess, __ATOMIC_RELEASE); }
