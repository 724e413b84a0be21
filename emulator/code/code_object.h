// A loaded code object: its kernels with descriptor and argument layout, and its device variables.
//
// In: code_object_load fills it. Out: what launches, reports and look-ups by symbol read.
#ifndef EMULATOR_CODE_OBJECT_H
#define EMULATOR_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the runtime fills in. Hidden arguments are those of code objects v4 to v6.
typedef enum {
  ARGUMENT_EXPLICIT, // the program does: a value, a pointer
  ARGUMENT_HIDDEN_HOSTCALL_BUFFER,
  ARGUMENT_HIDDEN_PRINTF_BUFFER, // of -mprintf-kind=buffered, and of OpenCL
  ARGUMENT_HIDDEN_MULTIGRID_SYNC,
  ARGUMENT_HIDDEN_BLOCK_COUNT_X, // from here on v5 only
  ARGUMENT_HIDDEN_BLOCK_COUNT_Y,
  ARGUMENT_HIDDEN_BLOCK_COUNT_Z,
  ARGUMENT_HIDDEN_GROUP_SIZE_X,
  ARGUMENT_HIDDEN_GROUP_SIZE_Y,
  ARGUMENT_HIDDEN_GROUP_SIZE_Z,
  ARGUMENT_HIDDEN_REMAINDER_X,
  ARGUMENT_HIDDEN_REMAINDER_Y,
  ARGUMENT_HIDDEN_REMAINDER_Z,
  ARGUMENT_HIDDEN_GRID_DIMS,
  ARGUMENT_HIDDEN_DYNAMIC_LDS_SIZE,
  ARGUMENT_HIDDEN_HEAP,
  ARGUMENT_HIDDEN_ZERO, // global offsets, ...
} ArgumentKind;

typedef struct {
  ArgumentKind kind;
  uint32_t offset; // bytes from the begin of the kernel-argument segment
  uint32_t size;   // bytes
  bool is_pointer; // an explicit one, to global memory
} KernelArgument;

typedef struct CodeObject CodeObject;
typedef struct Program Program; // decoded instructions, see program.h

// Of a kernel with kernarg_preload: code that a device skips (AMDGPUUsage.rst, "Preloaded Kernel Arguments").
enum { CODE_PRELOAD_BYTES = 256 };

typedef struct Kernel {
  CodeObject *object;
  const char *symbol;        // mangled, as registered: "_Z9laplacianPdPKd..."
  const char *name;          // demangled, for people: "laplacian(double*, double const*, ...)"
  uint64_t descriptor;       // loaded address of the 64-byte kernel descriptor
  uint64_t entry;            // loaded address of the first instruction
  uint64_t code_size;        // bytes, from the symbol table; 0: the compiler left nothing
  KernelArgument *arguments; // explicit ones first, in order
  size_t argument_count;
  size_t explicit_count;
  uint32_t kernarg_size, kernarg_align;
  uint32_t group_segment_size;   // static LDS, bytes
  uint32_t private_segment_size; // scratch, bytes per work-item
  bool dynamic_stack;
  // From the metadata. vgpr_count is of the unified file: ArchVGPRs and, behind them, agpr_count.
  uint32_t sgpr_count, vgpr_count, agpr_count;
  uint32_t max_workgroup_size; // launch bound, work-items
  // Fields of the kernel descriptor that execution needs.
  uint32_t accum_offset;    // ArchVGPRs allocated
  uint32_t allocated_vgprs; // per lane, and the AccVGPRs
  uint32_t allocated_sgprs; // as rocprof prints it: multiple of 16
  uint32_t rsrc1, rsrc2;    // raw COMPUTE_PGM_RSRC1/2
  uint16_t code_properties; // raw: which user SGPRs are set up
  uint16_t kernarg_preload; // raw: dwords of arguments that go to SGPRs, and where they begin
  // What the program asked for (hipFuncSetAttribute), bytes a workgroup: told when it asks back, no more.
  bool has_wished_lds;
  int wished_lds;
} Kernel;

typedef struct {
  const char *symbol;
  uint64_t address, size; // loaded
} DeviceVariable;

struct CodeObject {
  uint8_t *image;      // loaded segments in device memory; virtual address 0 of the ELF is image[0]
  uint64_t image_size; // bytes
  uint64_t text_address; // loaded address and size of the executable segment
  uint64_t text_size;    // bytes
  bool wants_xnack, refuses_xnack,
      refuses_ecc; // that it was compiled for (AMDGPUUsage.rst, "Target ID")
  Kernel *kernels;
  size_t kernel_count;
  DeviceVariable *variables;
  size_t variable_count;
  bool has_managed_variable; // memory that host and device share
  Program *program;          // set by program_open at the first launch
  struct SourceLines *lines; // source lines, NULL if there are none: code_object_lines.h
  CodeObject *next;          // of those that are loaded
};

// From now on, or no longer, what code_object_at finds. Safe from any thread, as that is.
void code_object_enter(CodeObject *object);
void code_object_leave(CodeObject *object); // one that did not enter, too

// The loaded object whose code holds the address, or NULL.
CodeObject *code_object_at(uint64_t address);

// A symbol as people read it, to be freed; NULL: it is readable, or no name of C++.
char *code_object_name(const char *symbol);

// NULL if absent.
const Kernel *code_object_kernel(const CodeObject *object, const char *symbol);
const DeviceVariable *code_object_variable(const CodeObject *object, const char *symbol);

#endif
