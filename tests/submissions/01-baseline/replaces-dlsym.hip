// A symbol that nm shows as unique, which an older look at the object let pass.
#include "lab.h"

#include <hip/hip_runtime.h>

#define VALUE 0
__asm__(".type dlsym, @gnu_unique_object\n.globl dlsym\n.data\ndlsym: .quad 0, 0\n.text");
#include "skeleton.h"
