// What a launch's counters say, under rocprof's names.
//
// In: the sums of one finished launch (counter.h). Out: what emulator_counters() returns and, with
// EMULATOR_COUNTERS=FILE.csv, one line per launch in rocprof's columns.
#ifndef EMULATOR_COUNTERS_H
#define EMULATOR_COUNTERS_H

#include "counter.h"
#include "launch.h"

#include <stdbool.h>

void counters_add(Counters *total, const Counters *part);

// Makes the counters of a finished launch visible to emulator_counters(), with the metrics that
// follow from them (VALUInsts, FETCH_SIZE, OccupancyPercent, ...), and writes them to the
// EMULATOR_COUNTERS file: the first launch of a process begins the file anew, later ones append.
// If it cannot be written, one sentence on stderr says so and the program goes on.
// Names of per-instance counters (TA_*, TCP_*) carry rocprof's "_sum". Not for two threads at once.
void counters_publish(const Counters *counters, const Launch *launch);

// Whether anyone may look at all that a launch counts: a report is wanted, or the program has asked the device for
// something before. Finding out what memory instructions cost takes time, so without the model it is left out of others.
bool counters_wanted(void);
void counters_ask(void); // the program does

#endif
