"""The vocabulary of generated pages: words with the frequencies of natural text, none of them a reserved keyword.

Real stores have a long tail of names and identifiers, and a term dictionary built from a hundred words would flatter
any index. So words are drawn from 40,000 with Zipf weights, and each page adds a few words of its own.
"""

import random

SIZE = 40_000

COMMON = """the of and to a in is that for it as with on be by this are from or an at not have when which was but if
we can will use all one each only no so its then more must should after before same first new time into them there
than file page line call value name test run set get state list key case type change error code user data read write
start stop build server client request response branch commit service function module version config default check
result return order string number folder path option cache queue table column index lock thread process event
message log release""".split()

# Keywords that the prompts ask for. No generated text or keyword may hold one by accident.
RESERVED = frozenset("auth login deploy rollout redirect sign session token".split())

_STARTS = "b c d f g h j k l m n p r s t v w br ch cl cr dr fl gr pl pr qu sc sh sk sp st th tr".split()
_VOWELS = "a e i o u ai ea ee io ou".split()
_ENDS = ["", "l", "m", "n", "r", "s", "t", "nd", "rt", "st", "ck", "x"]


def vocabulary(seed=1, size=SIZE):
    """``size`` distinct words, the frequent ones first."""
    rng = random.Random(f"words {seed}")
    seen = dict.fromkeys(word for word in COMMON if word not in RESERVED)
    while len(seen) < size:
        parts = [rng.choice(_STARTS) + rng.choice(_VOWELS) for _ in range(rng.choice((2, 2, 3)))]
        word = "".join(parts) + rng.choice(_ENDS)
        if word not in RESERVED:
            seen[word] = None
    return list(seen)


def sentences(words, seed=1, count=30_000):
    """``count`` sentences of 6 to 18 words; the word of rank r is drawn with weight 1/(r + 2.7) (Zipf, Mandelbrot)."""
    rng = random.Random(f"sentences {seed}")
    total, weights = 0.0, []
    for rank in range(len(words)):
        total += 1 / (rank + 2.7)
        weights.append(total)
    made = []
    for _ in range(count):
        text = " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(6, 18)))
        made.append(text[0].upper() + text[1:] + ".")
    return made
