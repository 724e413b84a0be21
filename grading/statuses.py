"""How a lab program ends: common/status.h for Python. tests/grading/test_statuses.py compares the two."""
import enum


class Status(enum.IntEnum):
    VERIFIED = 0
    NOT_RIGHT = 1
    MALFORMED_OPTIONS = 2
    DEVICE_TROUBLE = 3
    KERNEL_FAULT = 4
    EMULATOR_GAP = 5


NOT_THE_KERNELS = (Status.DEVICE_TROUBLE, Status.EMULATOR_GAP)  # say nothing about the learner's code
