// Traces of launches on disk, so that the memory model can replay them with other parameters.
//
// In: with EMULATOR_TRACES=FILE, each modelled launch, the traces of its workgroups in the order of
// their index, and the counters that do not depend on the model. Out: the file, and from it the same
// again. Words are written as differences to those of the workgroup before, which repeats itself, so
// that any packer makes little of them. The format is that of one build of the emulator.
#ifndef EMULATOR_TRACE_FILE_H
#define EMULATOR_TRACE_FILE_H

#include "counter.h"
#include "launch.h"
#include "model.h"

#include <stdio.h>

// Whether EMULATOR_TRACES names a file that can be written.
bool trace_file_wanted(void);
// A launch, then each of its workgroups, then its counters. What cannot be written is told once.
void trace_file_launch(const Launch *launch);
void trace_file_group(const GroupTrace *group);
void trace_file_counters(const Counters *counters);

typedef struct {
  FILE *file;
  GroupTrace *before; // the workgroup that the next one is told by
} TraceReader;

// Whether the file goes on.
bool trace_file_more(TraceReader *reader);
// The next launch, its pointers null. These three give false or NULL where the file is cut short or
// is no such file.
bool trace_file_next(TraceReader *reader, Launch *launch);
// The next workgroup of the launch, from malloc.
GroupTrace *trace_file_read(TraceReader *reader);
bool trace_file_read_counters(TraceReader *reader, Counters *counters);

#endif
