"""How products can be carried out on parts. Each has its dimensions named: a cut along a name that
the result has is a cut of the result, a cut along one that is summed over leaves what is still to
be added up.

    mm      mk, kn -> mn        linear   ...k, nk, n -> ...n
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ._dispatch import REPLICATE, Call, Way, everywhere
from ._rules import placed, rule
from .placement_types import Partial, Placement, Shard

LETTERS = "abcdefghij"  # leading dimensions; k, m, n are those of the matrices
Names = tuple[list[str], str]


def named(names: Callable[[Call], Names], *records: str, added: int | None = None) -> None:
    """Register products by the names of their dimensions; `added` is the operand that is added to
    the product."""

    def ways(call: Call, i: int) -> list[Way]:
        operands, out = names(call)
        now = placed(call, i)
        found = [*added_up(now, added), everywhere(call)]
        for letter in dict.fromkeys("".join(operands)):
            found.append(along(call, operands, out, letter, now, added))
        return found

    rule(*records)(ways)


def along(
    call: Call, operands: list[str], out: str, letter: str, now: list[Placement], added: int | None
) -> Way:
    """The way that cuts one name."""
    places: list[Placement] = []
    kind = next((p for p in now if isinstance(p, Shard)), Shard(0))
    for k, own in enumerate(operands):
        if letter in own and (call.shape(k)[own.index(letter)] != 1 or letter in "kmn"):
            places.append(kind.at(own.index(letter)))
        elif k == added and letter not in out:
            places.append(Partial())
        else:
            places.append(REPLICATE)
    result: Placement = kind.at(out.index(letter)) if letter in out else Partial()
    return Way(result, tuple(places))


def added_up(now: list[Placement], added: int | None) -> list[Way]:
    """A factor that is still to be added up, where the others are whole."""
    found = []
    for k, p in enumerate(now):
        if isinstance(p, Partial) and p.linear and k != added:
            rest: list[Placement] = [REPLICATE] * len(now)
            rest[k] = p
            if added is not None and added < len(now):
                rest[added] = p
            found.append(Way(p, tuple(rest)))
    return found


def matrices(a: Sequence[int], b: Sequence[int]) -> Names:
    """The names of `matmul`."""
    one = "k" if len(a) == 1 else "mk"
    two = "k" if len(b) == 1 else "kn"
    lead = max(len(a) - 2, len(b) - 2, 0)
    letters = LETTERS[:lead]
    left = letters[lead - max(len(a) - 2, 0) :] + one
    right = letters[lead - max(len(b) - 2, 0) :] + two
    out = letters + ("" if len(a) == 1 else "m") + ("" if len(b) == 1 else "n")
    return [left, right], out


named(lambda c: matrices(c.shape(0), c.shape(1)), "mm", "bmm", "mv", "dot", "matmul")
named(lambda c: (["m", "n"], "mn"), "outer", "ger")


def linear(call: Call) -> Names:
    letters = LETTERS[: len(call.shape(0)) - 1]
    weight = "nk" if len(call.shape(1)) == 2 else "k"
    out = letters + weight[:-1]
    return [letters + "k", weight, *(["n"] if len(call.tensors) > 2 else [])], out


named(linear, "linear", added=2)


def with_sum(out: str, a: str, b: str) -> Callable[[Call], Names]:
    def names(call: Call) -> Names:
        n = len(call.shape(0))
        return [out[len(out) - n :] if n else "", a, b], out

    return names


named(with_sum("mn", "mk", "kn"), "addmm", added=0)
named(with_sum("m", "mk", "k"), "addmv", added=0)
named(with_sum("mn", "m", "n"), "addr", added=0)
named(with_sum("amn", "amk", "akn"), "baddbmm", added=0)
named(with_sum("mn", "amk", "akn"), "addbmm", added=0)
