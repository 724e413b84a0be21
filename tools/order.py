"""Do the solutions' recorded speedups keep the published order?

In:  labs/*/expected.json of the labs whose speedups are over lab 01's baseline: published speedups, and those recorded at
     the published size; tests/validation/bounds.json: how far a speedup may be from the published one.
Out: each pair of stages in the wrong order, as a sentence. Status 1 if one of them is further apart than the model's error.
"""
import glob
import itertools
import json
import sys


def model_error():
    """The largest error of a speedup that the model is allowed: pairs closer than that may change places."""
    with open("tests/validation/bounds.json", encoding="utf-8") as file:
        return next(bound["limit"] for bound in json.load(file)["bounds"]
                    if (bound["table"], bound["column"], bound["kind"]) == ("laplacian", "speedup", "each"))


def main():
    allowed = model_error()
    labs = []
    for path in sorted(glob.glob("labs/*/expected.json")):
        with open(path, encoding="utf-8") as file:
            labs.append(json.load(file))
    labs = [lab for lab in labs if lab["baseline"] == labs[0]["baseline"]]
    rows = []
    for lab in labs:
        for stage in (stage for stage in lab["stages"] if "speedup" in stage["published"]):
            ours = next(row for row in lab["ours"] if row["size"] == lab["published"]["size"]
                        and (row["kernel"], row.get("m")) == (stage["kernel"], stage.get("m")))
            rows.append((f"{lab['lab']} {stage['name']}", stage["published"]["speedup"], ours["time_ms"]))
    baseline, wrong = rows[0][2], 0
    for (a, published_a, time_a), (b, published_b, time_b) in itertools.combinations(rows, 2):
        if (published_a - published_b) * (time_b - time_a) < 0:
            far = max(published_a, published_b) > (1 + allowed) * min(published_a, published_b)
            wrong += far
            print(f"{'WRONG' if far else 'close'}: {a} and {b}: published {published_a:.2f} and {published_b:.2f}, "
                  f"ours {baseline / time_a:.2f} and {baseline / time_b:.2f}")
    print(f"{len(rows)} stages, {wrong} pairs in the wrong order that are published more than {allowed:.0%} apart")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
