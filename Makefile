# Builds, runs, grades and tests the labs. `make` alone lists the targets.
#
# In:  LAB=NN, SRC=labs|solutions, DEVICE=auto|amd|nvidia|emulated, ARGS="..." for the program, OFFLOAD_ARCH
# Out: everything lands in build/: programs beside their compiler reports, results in build/results/*.json

SHELL := /bin/bash
.DEFAULT_GOAL := help

LAB ?=
SRC ?= labs
DEVICE ?= auto
ARGS ?=
OFFLOAD_ARCH ?= gfx90a

EMULATOR := build/emulator/libamdhip64.so.5

help:
	@echo "targets: setup demo run check hint bench test lint clean"

$(EMULATOR): FORCE
	@$(MAKE) --no-print-directory -C common/emulator

FORCE:

.PHONY: help FORCE
