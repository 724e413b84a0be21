// Runs code before main.
__attribute__((constructor)) static void first() { __builtin_trap(); }
#include "skeleton.h"
