"""Finds submissions of a lab that are nearly the same text, whatever their names, comments and layout.

In:  source texts; what everybody was given, the lab's starter, does not count.
Out: groups of those who share most of what they added, with the share. Evidence to look at, proof of nothing: two people
     who solve a small task well may write the same.

Fingerprints by winnowing: Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting",
SIGMOD 2003.
"""
import re
import zlib

WORDS = 12  # of a fingerprint: shorter ones are found in all C
WINDOW = 4  # any WORDS + WINDOW - 1 words that two texts share are noticed
ENOUGH = 20  # fingerprints beyond the starter's; with fewer, all right answers are alike
ALIKE = 0.8

# A comment or string that nobody closed ends with the text: no text takes more than one pass.
WORD = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\s+|^#[ \t]*include[^\n]*|\"(?:\\.|[^\"\\\n])*\"?|[A-Za-z_]\w*|[\d.][\w.]*|\S",
                  re.DOTALL | re.MULTILINE)
# These keep their names; all others may be renamed at will.
KEPT = set("""auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool
    size_t ptrdiff_t define ifdef ifndef endif elif undef pragma unroll template typename namespace class
    __global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __launch_bounds__ __syncthreads
    threadIdx blockIdx blockDim gridDim dim3 __builtin_nontemporal_store __builtin_nontemporal_load""".split())


def words_of(text):
    found = (word for word in WORD.findall(text) if not re.match(r"//|/\*|\s|#[ \t]*include", word))
    return ["name" if re.match(r"[A-Za-z_]", word) and word not in KEPT else word for word in found]


def fingerprints(text):
    words = words_of(text)
    hashes = [zlib.crc32("\0".join(words[n:n + WORDS]).encode("utf-8", "replace")) for n in range(len(words) - WORDS + 1)]
    return {min(hashes[n:n + WINDOW]) for n in range(max(0, len(hashes) - WINDOW + 1))}


def share(one, other):
    """How much of the smaller one is in the other."""
    return len(one & other) / min(len(one), len(other))


def find_alike(texts, starter):
    """texts: {name: text}. Returns [(sorted names, largest share)] of groups in which each is much like another one."""
    given = fingerprints(starter)
    added = {name: fingerprints(text) - given for name, text in sorted(texts.items())}
    added = {name: prints for name, prints in added.items() if len(prints) >= ENOUGH}
    groups = []  # [names, share]
    names = list(added)
    for n, name in enumerate(names):
        for other in names[:n]:
            alike = share(added[name], added[other])
            if alike >= ALIKE:
                joined = [group for group in groups if name in group[0] or other in group[0]]
                groups = [group for group in groups if group not in joined]
                groups.append([{name, other}.union(*(group[0] for group in joined)),
                               max([alike, *(group[1] for group in joined)])])
    return sorted((sorted(group), alike) for group, alike in groups)
