"""How a lab program ends: common/status.h for Python (tests/grading/test_statuses.py compares the two); and the two ways a
grade can end before its time."""
import enum


class Status(enum.IntEnum):
    VERIFIED = 0
    NOT_RIGHT = 1
    MALFORMED_OPTIONS = 2
    DEVICE_TROUBLE = 3
    KERNEL_FAULT = 4
    EMULATOR_GAP = 5


NOT_THE_KERNELS = (Status.DEVICE_TROUBLE, Status.EMULATOR_GAP)  # say nothing about the learner's code


class NotYet(Exception):
    """The learner's program cannot be graded further: why, and the command that repeats the run if one was made."""

    def __init__(self, why, command=None):
        super().__init__(why)
        self.command = command


class GraderTrouble(Exception):
    """Why nothing can be said about the learner's program."""
