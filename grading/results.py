"""Loads the result that a lab program wrote as JSON (common/report.c), and finds values in it.

In:  the file's path.
Out: the result as a dict; look_up() for a value in it, evidence_of() for the word beside it; NoResult, a sentence, for a
     file that is missing or is no result.
"""
import json

# What readers take for granted. Other keys may be null or absent, which look_up() answers with None.
EACH_HAS = {"lab": str, "source": str, "kernel": str, "device": str, "device_name": str, "nx": int, "ny": int, "nz": int,
            "block": list, "seed": int, "verified": bool, "checks": list, "layout": dict, "counters": dict,
            "interior_points": int, "element_bytes": int, "launches": int, "tables": dict}


class NoResult(Exception):
    """There is no result to read; the sentence says why."""


def load(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            result = json.load(file)
    except OSError as trouble:
        raise NoResult(f"there is no result in {path}: {trouble.strerror}") from None
    except ValueError as trouble:
        raise NoResult(f"{path} is no JSON ({trouble}): was the program stopped while it wrote?") from None
    if not isinstance(result, dict):
        raise NoResult(f"{path} holds no result: a lab program writes an object")
    for key, kind in EACH_HAS.items():
        if not isinstance(result.get(key), kind):
            raise NoResult(f"{path} is not a whole result: \"{key}\" is {'missing' if key not in result else 'malformed'}")
    return result


def look_up(result, path):
    """"counters.SQ_WAVES", or its parts, -> result["counters"]["SQ_WAVES"]; None when it is not there."""
    for key in path.split(".") if isinstance(path, str) else path:
        result = result.get(key) if isinstance(result, dict) else None
    return result


# Whose error is that of modelled time; all other modelled figures are of caches and memory.
OF_TIME = ("time_ms", "effective_bandwidth_gbs", "percent_of_target", "speedup", "memory.achieved_bandwidth_gbs")


def evidence_of(result, word, path):
    """The evidence word beside the figure at path: "modelled" carries a large error, as in "modelled, +-15 %"."""
    place = path if isinstance(path, str) else ".".join(path)
    figure = "time" if any(place == timed or place.startswith(f"{timed}.") for timed in OF_TIME) else "memory"
    percent = look_up(result, ("model_error_percent", figure)) if word == "modelled" else None
    return f"{word}, +-{percent} %" if percent else word


def size_of(result):
    return [result[direction] for direction in ("nx", "ny", "nz")]
