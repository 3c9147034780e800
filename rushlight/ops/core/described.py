"""What editors and `help` show of a published function: its signature and its docstring.

A signature is an `inspect.Signature` that asks the record or the function behind it for its
parameters when somebody asks for them, so that an import makes small objects and parses nothing.
What a record cannot say, as PyTorch has several signatures there, is in `described_texts.py`.

Docstrings are written once, at the declaration. Those of methods and of forms with an underscore
are made of them: `torch.abs(x)` in an example becomes `x.abs()` and `x.abs_()`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

Parameter = inspect.Parameter
EMPTY = Parameter.empty
POSITIONAL, NAMED = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
# Parameters that PyTorch takes by name alone, and with them those that follow.
BY_NAME = frozenset(("dtype", "generator", "layout", "out", "device"))
FACTORS = frozenset(("alpha", "beta", "value"))  # of further tensors


class Described(inspect.Signature):
    """A signature whose parameters are made when they are first asked for."""

    __slots__ = ("_make",)

    _make: tuple[Any, ...]

    def __getattr__(self, name: str) -> Any:
        """What has not been made yet: `Signature` keeps its two parts in slots."""
        if name not in ("_parameters", "_return_annotation"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        make, *about = self._make
        inspect.Signature.__init__(self, make(*about))
        return getattr(self, name)


def later(make: Callable[..., list[Parameter]], *about: Any) -> Described:
    """A signature with the parameters that `make(*about)` returns."""
    made = Described.__new__(Described)
    made._make = (make, *about)
    return made


def of_record(op: Any, name: str, form: str) -> list[Parameter]:
    """The parameters of a record's function; `form` is "function", "method", "functional" (with
    `inplace=`), "inplace" or "inplace method"."""
    known = written(name, form, op.public)
    if known is not None:
        return known
    if op.variadic:
        found = [Parameter("tensors", POSITIONAL)]
    else:
        found = [
            Parameter(n, POSITIONAL, default=d)
            for n, d in zip(op.inputs, op.input_defaults, strict=True)
        ]
    kind = NAMED if op.signature.named else POSITIONAL
    optional = bool(found) and found[-1].default is not EMPTY
    for n, default in op.defaults.items():
        factor = n in FACTORS and len(op.inputs) > 1
        if n in BY_NAME or factor or (optional and default is EMPTY):
            kind = NAMED
        found.append(Parameter(n, kind, default=default))
    if form == "functional" and op.publication.switch:
        found.append(Parameter("inplace", kind, default=False))
    elif form == "function" and "out" not in op.defaults and not op.view and takes_out(name):
        found.append(Parameter("out", NAMED, default=None))
    return as_method(found) if form.endswith("method") else ordered(found)


def of_composite(made: Any, name: str, form: str) -> list[Parameter]:
    """The parameters of a composite; `form` as above."""
    known = written(name, form, made.public)
    if known is not None:
        return known
    fn = written_function(made.fn)
    if not isinstance(fn, FunctionType):  # the record of which this is the form in place
        return of_record(fn, name, form)
    found = of_function(fn)
    if form.endswith("method"):
        return as_method(found)
    if not takes_out(name):
        return [p for p in found if p.name != "out"]
    if made.adapted and all(p.name != "out" for p in found):
        found.append(Parameter("out", NAMED, default=None))
    return found


def takes_out(name: str) -> bool:
    """Whether PyTorch's function of this name takes `out=`."""
    from .described_texts import WITHOUT_OUT

    return name not in WITHOUT_OUT and not name.endswith("_")


def written_function(fn: Any) -> Any:
    """The function, or record, as it was written that stands behind a published one."""
    while fn.__class__ is FunctionType:
        inner = fn.__dict__.get("__wrapped__") or fn.__dict__.get("base")
        if inner is None:
            break
        fn = inner
    return fn


def of_function(fn: Any) -> list[Parameter]:
    """The parameters of a Python function as it is written, but without annotations and without
    those that start with an underscore."""
    own = FunctionType(fn.__code__, fn.__globals__, "own", fn.__defaults__, fn.__closure__)
    own.__kwdefaults__ = fn.__kwdefaults__
    found = inspect.Signature.from_callable(own).parameters.values()
    return [p for p in found if p.name[0] != "_"]


def written(name: str, form: str, spaces: tuple[str, ...]) -> list[Parameter] | None:
    """The parameters that are written down for a function or method."""
    from .described_texts import TEXTS

    if form.endswith("method"):
        spaces = ("Tensor",)
    elif form == "functional":
        spaces = ("nn.functional",)
    else:
        spaces = tuple([s for s in spaces if s != "Tensor"])
    for space in spaces:
        text = TEXTS.get(name if space == "torch" else f"{space}.{name}")
        if text is not None:
            return read(text)
    return None


def of_text(key: str) -> list[Parameter]:
    """The parameters that are written down under `key`."""
    from .described_texts import TEXTS

    return read(TEXTS[key])


def read(text: str) -> list[Parameter]:
    """The parameters of a text such as "(input, dim=None, *, out=None)"."""
    import rushlight

    space: dict[str, Any] = {"torch": rushlight, "inf": float("inf")}
    exec(f"def described{text}: ...", space)
    return list(inspect.Signature.from_callable(space["described"]).parameters.values())


def as_method(found: list[Parameter]) -> list[Parameter]:
    """The parameters of a method, whose first is the tensor itself and which has no `out=`."""
    rest = [p for p in found[1:] if p.name != "out"]
    first = Parameter("self", POSITIONAL)
    return ordered([first, *rest])


def ordered(found: list[Parameter]) -> list[Parameter]:
    """The same, with what must be given before what may be: by name where it is not."""
    seen = False
    out = []
    for p in found:
        if p.kind is POSITIONAL:
            if seen and p.default is EMPTY:
                p = p.replace(kind=NAMED)
            seen = seen or p.default is not EMPTY
        out.append(p)
    return sorted(out, key=lambda p: p.kind)


# -- docstrings ----------------------------------------------------------------------------------

# What may stand before a function's name.
BEFORE = ("torch.linalg.", "torch.special.", "torch.nn.functional.", "torch.", "F.")
# In place these write 1 and 0 in the type of the tensor.
TRUTHS = frozenset(
    ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not", "logical_xor")
)


def method_doc(doc: str | None, name: str, form: str = "") -> str | None:
    """The docstring of a method: examples call it as one. `form` is "_" of one in place, of which
    one example is kept: the next would begin with what this one wrote."""
    start = -1 if doc is None else doc.find(">>>")
    if doc is None or start < 0:
        return doc
    call = name + "("
    at = doc.find(call, start)
    while at >= 0:
        end = at + len(call)
        before = length_before(doc, at) if doc[at - 1] == "." else 0
        first = first_argument(doc, end) if before else None
        if first is None:
            at = doc.find(call, end)
            continue
        head = f"{doc[: at - before]}{first}.{name}{form}("
        rest = end + len(first)
        doc = head + doc[rest + 2 if doc[rest] == "," else rest :]
        if form:
            return one_example(doc, len(head), name in TRUTHS)
        at = doc.find(call, len(head))
    return doc


def length_before(doc: str, at: int) -> int:
    """How long what stands before a function's name is; 0 where that is another call."""
    for b in BEFORE:
        if doc.endswith(b, 0, at):
            return len(b)
    return 0


def first_argument(doc: str, at: int) -> str | None:
    """The first argument of the call whose arguments begin at `at`, if it is a name, or a call
    without further calls in it. Strings are searched, and no pattern compiled: imports wait."""
    close = doc.find(")", at)
    first = doc[at:close].partition(", ")[0]
    if "(" in first:  # torch.tensor([1.0])
        first = doc[at : close + 1]
        good = first.startswith("torch.") and first.count("(") == 1
        after = doc[close + 1 : close + 3]
    else:
        good = all([part.isidentifier() for part in first.split(".")])
        after = doc[at + len(first) : at + len(first) + 2]
    return first if good and (after == ", " or after[:1] == ")") else None


def one_example(doc: str, at: int, truths: bool) -> str:
    """A docstring up to the example that stands at `at` and its result."""
    line = doc.find("\n", at)
    if line < 0:
        return doc
    if truths and doc[line - 1] == ")":
        doc = f"{doc[:line]}.bool(){doc[line:]}"
        line += len(".bool()")
    ends = [e for e in (doc.find(">>>", line), doc.find("\n\n", line)) if e >= 0]
    return doc if not ends else doc[: min(ends)].rstrip() + "\n"


def inplace_doc(doc: str | None, name: str, method: bool = True) -> str | None:
    """The docstring of a form with an underscore, which writes the result into its operand; of one
    that is no method examples call the function."""
    if doc is None:
        return None
    first = doc[:2]
    article = first == "A " and doc[2:3].islower()
    if article or first[1:].islower():  # no symbol and no abbreviation
        doc = first.lower() + doc[2:]
    shown = method_doc(doc, name, "_") if method else doc.replace(f".{name}(", f".{name}_(")
    return f"In place: {shown}"
