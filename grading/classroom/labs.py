"""Which lab is a handed-in file for? Its folder says so, its name, or that only one lab has a file of that name.

In:  labs/NN-name/ with expected.json and one .hip file each; names that learners gave to files and folders.
Out: the lab, None where the names do not tell.
"""
import glob
import json
import os
import re
from dataclasses import dataclass

from grading.classroom.text import Trouble
from grading.words import shown
from grading.scoring import model_of, possible_points

WHOLE_NAME_OR_LAB_N = r"lab[ _.-]*0*(\d+)(?!\d)"
AT_THE_START = r"(\d\d)(?!\d)"
AT_THE_END = r"(?:.*(?<!\d)(?<!\d\d[_.-]\d\d[_.-]))?(\d\d)$"  # but not of a date such as 2024-02-05


@dataclass(frozen=True)
class Lab:
    name: str  # 03-reorder
    file: str  # laplacian.hip
    possible: float  # points on the device

    @property
    def digits(self):
        return self.name.split("-")[0]


def all_labs(device):
    labs, model = [], model_of(device)
    for path in sorted(glob.glob("labs/*/expected.json")):
        folder = os.path.dirname(path)
        with open(path, encoding="utf-8") as file:
            possible = possible_points(json.load(file), device, model)
        sources = glob.glob(f"{folder}/*.hip")
        if len(sources) != 1:
            raise Trouble(f"{folder} needs one .hip file, the lab's own; there are {len(sources)}.")
        labs.append(Lab(os.path.basename(folder), os.path.basename(sources[0]), possible))
    return labs


def chosen_labs(labs, asked):
    """asked: "01 03-reorder", "" for all."""
    chosen = {lab for word in asked.split() for lab in labs if word in (lab.digits, lab.name, lab.digits.lstrip("0"))}
    strange = [w for w in asked.split() if not any(w in (lab.digits, lab.name, lab.digits.lstrip("0")) for lab in labs)]
    if strange:
        raise Trouble(f"LABS={shown(asked)}: {shown(strange[0])} is no lab; there are: {' '.join(lab.name for lab in labs)}")
    return [lab for lab in labs if lab in chosen or not asked.split()]


def mentioned(name, labs, *bare):
    """The lab whose name the text holds, or lab3, lab_03; with bare also patterns of two digits."""
    name = name.lower()
    for lab in labs:
        if lab.name in name:
            return lab
    for pattern, find in ((WHOLE_NAME_OR_LAB_N, re.search), *((pattern, re.match) for pattern in bare)):
        found = find(pattern, name, re.DOTALL)
        for lab in labs:
            if found and int(found[1]) == int(lab.digits):
                return lab
    return None


def lab_of(names, hint, labs, chosen):
    """names: folders and file. hint: what the entry that holds the file is for."""
    for folder in reversed(names[:-1]):
        lab = mentioned(folder, labs, AT_THE_START)
        if lab:
            return lab
    lab = mentioned(os.path.splitext(names[-1])[0], labs, AT_THE_START, AT_THE_END) or hint
    if lab:
        return lab
    alike = [lab for lab in labs if lab.file == names[-1].lower()]
    possible = [lab for lab in alike or chosen if lab in chosen]
    return possible[0] if len(possible) == 1 else alike[0] if not possible else None
