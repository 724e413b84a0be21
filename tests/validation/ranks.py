"""The section of docs/validation.md that puts the emulated device beside GPUs of another make.

In:  rows of gpus.json: lab, on, choices, measured, ours and mi250x in GB/s.
Out: Markdown lines: a table of each family and GPU, and how well the order of the variants agrees.

Order is Spearman's rank correlation (1: the same order, 0: none, -1: reversed), and of the pairs measured more than 5 %
apart how many come out in the measured order.
"""
import errors

FAMILIES = {"Laplacian": ("01", "02", "03", "04", "05"), "derivatives": ("06", "07"), "lattice Boltzmann": ("08",)}
TEXT = """## Beside GPUs that were measured

No AMD GPU was measured by us, but an H100 and an H200 were (`make measure`, `labs/*/expected.json`). The devices
`h100` and `h200` run gfx90a code on caches, compute units and memory bandwidth like theirs; `emulator/base/h200.ini`
says what that can and cannot stand for. Grids are 1024 x 1024 (Laplacian) and 2048 x 2048 (derivatives) planes, of
which the emulated device runs 24 and 16, the derivatives beside the H200 alone; the MI250X's column is of 512 x 512
planes (lattice Boltzmann: 256 x 16), as the labs recorded it. Order is Spearman's rank correlation with what was
measured, then how many of the pairs measured more than 5 % apart come out in the measured order. Renewed by `make
compare-gpus`.

Where the orders differ, and why, as far as the counters tell: in an L2 of 50 or 60 MiB the model fetches nothing
twice, so it sees no gain in the order of loads (lab 03) and in nontemporal stores (lab 05). Both pay on the GPUs,
which behave as if their L2 were smaller. It sees a gain in tiles alone (lab 02), because fewer wavefronts are started
and fewer look-ups made at the MI250X's rates; nvcc's tiles gain nothing. With m=16 hipcc spills and nvcc does not. In
lab 08 step 5 loads least and is fastest on the GPUs; with so much bandwidth the model is bound by latency and issue
instead. The order of derivatives and windows comes out, since it follows from bytes moved. So trust such a device for
traffic, not for time.
"""


def ranks(values):
    """Equal values share the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def spearman(pairs):
    """Of (measured, ours) pairs; None where one side is all alike."""
    return errors.correlation(list(zip(*(ranks(side) for side in zip(*pairs))))) if pairs else None


def order(pairs):
    apart, wrong = errors.misplaced([{"published": measured, "ours": ours} for measured, ours in pairs], errors.APART)
    rho = spearman(pairs)
    return f"{'none' if rho is None else f'{rho:.2f}'}, {apart - len(wrong)} of {apart}"


def name_of(row):
    words = [f"{key} {row[key]}" for key in ("m", "r", "step", "window", "layout") if key in row]
    beyond = ["beyond"] if row.get("source", "").startswith("beyond/") else []
    return " ".join([row["lab"][:2], *beyond, row["kernel"], *words])


def family_table(title, rows):
    lines = [f"| {title} | measured, GB/s | with its caches, GB/s (modelled) | MI250X, GB/s (modelled) |", "|---" * 4 + "|"]
    lines += [f"| {name_of(row)} | {row['measured']:.0f} | {row['ours']:.0f} | "
              f"{'' if row['mi250x'] is None else format(row['mi250x'], '.0f')} |" for row in rows]
    theirs = order([(row["measured"], row["ours"]) for row in rows])
    mi250x = order([(row["measured"], row["mi250x"]) for row in rows if row["mi250x"] is not None])
    return lines + [f"| order | | {theirs} | {mi250x} |", ""]


def render(rows):
    lines = TEXT.split("\n")
    for gpu in sorted({row["on"] for row in rows}):
        lines += [f"### {gpu}", ""]
        for title, labs in FAMILIES.items():
            of_family = [row for row in rows if row["on"] == gpu and row["lab"][:2] in labs]
            lines += family_table(title, of_family) if of_family else []
    return lines
