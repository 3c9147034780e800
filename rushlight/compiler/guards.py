"""Guards: what must be as it was when a program was written down, checked before it runs again.

A guard is a Python expression over the call's arguments and over objects that are known by
identity. All guards of a program become one function, written out as text, that says None, or which
guard failed. What code can change only through this package's own functions (attributes of modules,
hooks) is covered by counters: as long as a counter stands where it stood, nothing behind it is
looked at.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from .. import config, dtypes
from ..autograd.node import LEAF, Extras
from . import written_functions

Check = Callable[..., Any]
FILE = "<guards>"
TOGETHER = 20  # guards that are asked in one expression

# Settings of the process that functions of ops read: a program is for one value of each, and so is
# what a line was found to be (`earlier.py`).
SETTINGS = {
    "default_dtype()": "the default dtype",
    "settings.matmul_precision": "the precision of float32 products",
    "(settings.deterministic and settings.fill_uninitialized_memory)":
        "whether unfilled memory is filled",
}  # fmt: skip
SETTINGS_SPACE = {"default_dtype": dtypes.get_default_dtype, "settings": config.current}
settings_now: Callable[[], tuple[Any, ...]] = eval(f"lambda: ({', '.join(SETTINGS)})",
                                                   dict(SETTINGS_SPACE))  # fmt: skip


class Guards:
    """The guards of one program while they are found.

    Attributes:
        texts: expression to what it says in words.
        space: names of the objects in the expressions.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.slow: dict[str, str] = {}  # behind the counters
        self.space: dict[str, Any] = {"LEAF": LEAF, "Extras": Extras, "same_number": same_number,
                                      "grad_of": grad_of}  # fmt: skip
        self.names: dict[int, str] = {}

    def name(self, value: Any) -> str:
        """The name of an object in the expressions."""
        found = self.names.get(id(value))
        if found is None:
            found = self.names[id(value)] = f"k{len(self.names)}"
            self.space[found] = value
        return found

    def add(self, text: str, words: str, slow: bool = False) -> None:
        """An expression that must be true."""
        (self.slow if slow and text not in self.texts else self.texts).setdefault(text, words)

    def same(self, expression: str, value: Any, words: str, slow: bool = False) -> None:
        """An expression whose value must be this object, or this number."""
        if value is None or value is True or value is False or value is Ellipsis:
            self.add(f"{expression} is {value!r}", f"{words} is {value!r}", slow)
        elif value.__class__ is int:
            # exact type: True == 1
            self.add(f"({expression}).__class__ is int and {expression} == {value!r}",
                     f"{words} is {value!r}", slow)  # fmt: skip
        elif value.__class__ in (float, complex):
            name = self.name(value)
            self.add(f"({expression} is {name} or same_number({expression}, {name}))",
                     f"{words} is {value!r}", slow)  # fmt: skip
        elif value.__class__ in (str, bytes):
            name = self.name(value)
            cls = value.__class__.__name__
            self.add(f"({expression} is {name} or ({expression}).__class__ is {cls} and "
                     f"{expression} == {name})", f"{words} is {value!r}", slow)  # fmt: skip
        else:
            self.add(f"{expression} is {self.name(value)}", f"{words} is the same {kind(value)}",
                     slow)  # fmt: skip

    def function(self) -> Check:
        """`check(args, kw)`: None, or the number of the guard that failed first."""
        return compiled(self.texts, self.space)

    def slow_function(self) -> Check:
        """The same for those behind the counters; of most programs they are never asked."""
        made = functools.cache(lambda: compiled(self.slow, self.space))
        return lambda args, kw: made()(args, kw)

    def words(self, number: int) -> str:
        """A guard of `function` in words."""
        return list(self.texts.values())[number]


def compiled(texts: dict[str, str], space: dict[str, Any]) -> Check:
    """Guards as a function `check(args, kw)`.

    One `if` for some twenty of them, because that is quickest; which one failed is asked when one
    did, by a function that is written then.
    """
    every, own = list(texts), dict(space)
    lines = ["def check(args, kw):", "    try:"]
    for start in range(0, len(every), TOGETHER):
        part = " and ".join(f"({t})" for t in every[start : start + TOGETHER])
        lines.append(f"        if not ({part}): return failing(args, kw, {start})")
    lines += ["        return None", "    except Exception:",
              "        return unasked(args, kw)"]  # fmt: skip

    @functools.cache
    def asked_singly(start: int) -> Check:
        part = every[start : start + TOGETHER]
        singly = [f"    if not ({t}): return {start + k}" for k, t in enumerate(part)]
        # (another thread may have made it true meanwhile: not a call for this program)
        text = ["def singly(args, kw):", *singly, f"    return {start}"]
        return written_functions.function("singly", "\n".join(text), FILE, own)

    own["failing"] = lambda args, kw, start: asked_singly(start)(args, kw)
    own["unasked"] = lambda args, kw: first_failing(every, own, args, kw)
    return written_functions.function("check", "\n".join(lines), FILE, own)


def first_failing(texts: list[str], space: dict[str, Any], args: Any, kw: Any) -> int:
    """The guard that cannot even be asked, or the first one that is false."""
    for k, text in enumerate(texts):
        try:
            if not eval(text, space, {"args": args, "kw": kw}):
                return k
        except Exception:  # an entry that is gone, an empty cell
            return k
    return 0


def same_number(a: Any, b: Any) -> bool:
    """Whether two floats (or complex numbers) are the same, -0.0 and NaN told apart from others."""
    if a.__class__ is not b.__class__:
        return False
    if a.__class__ is complex:
        return same_number(a.real, b.real) and same_number(a.imag, b.imag)
    return bool((a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b))


def grad_of(t: Any) -> Any:
    """A tensor's gradient, without PyTorch's warning for those that have none."""
    x = t._x
    return x.grad if x.__class__ is Extras else None


def kind(value: Any) -> str:
    """What an object is called in a sentence."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return f"{type(value).__name__}{' ' + name if isinstance(name, str) else ''}"
