"""A random program, written while PyTorch and Rushlight run it line by line and are compared.

    check(seed) -> a Difference, or None

A program ends at its first difference, but goes on after a meant one in a line that changed
nothing: without its result, or with a copy where only the strides differ. After a line on which
both agree, Rushlight's tensors get PyTorch's very numbers, so what differs in the last digit does
not grow into a difference further down. The text of a program runs with either `import torch` or
`import rushlight as torch`.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

import rushlight
from tests.compare.random_calls import allowed, calls, samples, values, wider
from tests.compare.random_calls.same import different, give_numbers, leaf

NAME = r"\b[vm]\d+\b"
LARGEST = 300  # elements; what is larger is not used further
MOST = 8  # calls of a program


class Difference:
    """Where the two do not agree: the program up to there, and what each of them did."""

    def __init__(
        self, seed: int, lines: list[str], what: str, ours: Any, theirs: Any, operands: list[Any]
    ) -> None:
        self.seed, self.lines, self.what = seed, lines, what
        self.ours, self.theirs, self.operands = ours, theirs, operands

    @property
    def line(self) -> str:
        """The line that differs."""
        return self.lines[-1]

    def __str__(self) -> str:
        program = "\n".join(["import torch", *self.lines])
        return (
            f"# seed {self.seed}: {self.what}\n# PyTorch:   {short(self.theirs)}\n"
            f"# Rushlight: {short(self.ours)}\n{program}"
        )


def short(x: Any) -> str:
    """One line about a result or an exception."""
    if isinstance(x, BaseException):
        return f"{type(x).__name__}: {str(x)[:300]}".split("\n")[0]
    if hasattr(x, "dtype") and hasattr(x, "stride"):
        numbers = str(x.detach().tolist())[:200]
        return f"{x.dtype} {tuple(x.shape)} strides {tuple(x.stride())} {numbers}"
    return repr(x)[:200].split("\n")[0]


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


class Program:
    """The lines so far, and their names in both packages."""

    def __init__(self, seed: int) -> None:
        import torch

        self.seed = seed
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.theirs: dict[str, Any] = {"torch": torch}
        self.ours: dict[str, Any] = {"torch": rushlight}
        self.difference: Difference | None = None
        self.count = 0

    # -- what the writers of calls ask ---------------------------------------------------------

    def names(self) -> list[str]:
        """The tensors that there are."""
        return [n for n, v in self.theirs.items() if n.startswith("v") and is_tensor(v)]

    def of(self, name: str) -> Any:
        """PyTorch's tensor of a name."""
        return self.theirs[name]

    def any(self) -> str:
        """One of the tensors, the newest more often."""
        names = self.names()
        return names[-1] if self.rng.random() < 0.4 else self.rng.choice(names)

    def tried(self, text: str) -> Any:
        """What PyTorch makes of an expression; None when it raises."""
        try:
            return eval(text, dict(self.theirs))
        except Exception:
            return None

    @staticmethod
    def broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        return all(m == n or 1 in (m, n) for m, n in zip(a[::-1], b[::-1], strict=False))

    def tensor(
        self,
        shape: tuple[int, ...],
        dtype: str | None = None,
        low: int | None = None,
        high: int = 0,
        grad: bool = True,
    ) -> str:
        """The name of a new tensor of random numbers."""
        dtype = dtype or values.pick_type(self.rng)
        x = values.array(self.rng, shape, dtype)
        if low is not None:
            draw = np.random.default_rng(self.rng.getrandbits(32))
            x = np.asarray(draw.integers(low, high, shape))
        text = values.tensor(self.rng, x, dtype)
        return self.new(text, dtype, grad)

    def new(self, text: str, dtype: str, grad: bool = True) -> str:
        """The name of a new tensor of this text, a leaf, or a result that has a history."""
        if grad and dtype.startswith(("float", "bfloat", "complex")):
            way = self.rng.random()
            if way < 0.2:
                text += ".requires_grad_()"
            elif way < 0.4:
                text += ".requires_grad_()"
                leaf = self.fresh(text)
                text = f"{leaf}.clone()" if way < 0.3 else f"{leaf} * 1"
        return self.fresh(text)

    def fresh(self, text: str) -> str:
        name = f"v{self.count}"
        self.count += 1
        self.run(f"{name} = {text}", name)
        return name

    # -- running -----------------------------------------------------------------------------------

    def layer(self, text: str) -> str:
        """The name of a new layer of this text; ValueError where there is none."""
        name = f"m{self.count}"
        self.count += 1
        self.run(f"{name} = {text}", name)
        if name not in self.theirs:
            raise ValueError("no layer")
        return name

    def run(self, line: str, name: str | None = None) -> None:
        """Run a line in both, and compare what it made, or all tensors when it changed some."""
        if self.difference is not None:
            raise Stop
        code = compile(line, "<program>", "exec")
        errors: list[Any] = []
        for space in (self.theirs, self.ours):
            try:
                exec(code, space)
                errors.append(None)
            except Exception as error:
                errors.append(error)
        theirs, ours = errors
        self.lines.append(line)
        if theirs is not None or ours is not None:
            if theirs is None or ours is None or not same_class(ours, theirs):
                self.differ("error", ours or self.ours.get(name), theirs or self.theirs.get(name))
            if name is None or changes(line):
                raise Stop  # PyTorch may have written something before it raised
            self.lines[-1] = f"# {line}  # raises {type(theirs or ours).__name__}"
            self.drop(name)
            return
        what = self.compare(name)
        if what is not None:  # meant
            if name is None or changes(line):
                raise Stop
            if what == "strides" and hasattr(self.theirs[name], "stride"):
                self.run(f"{name} = {name}.clone(memory_format=torch.contiguous_format)", name)
            else:
                self.lines[-1] = f"# {line}  # {what}"
                self.drop(name)
            return
        if (name is None or changes(line)) and self.compare(None):
            raise Stop
        if name is not None:
            self.keep(name)

    def compare(self, name: str | None) -> str | None:
        """Compare one result, or every tensor that there is; a difference that is meant."""
        operands = self.operands() if name else [self.of(n) for n in self.names()]
        for n in [name] if name else self.names():
            ours, theirs = self.ours[n], self.theirs[n]
            what = different(ours, theirs, operands=operands)
            if what:
                self.differ(what, ours, theirs)
                if what == "strides":  # which may hide another difference
                    other = different(ours, theirs, operands=operands, strides=False)
                    if other:
                        self.differ(other, ours, theirs)
                        return other
                return what
        for n in [name] if name else self.names():
            give_numbers(self.ours[n], self.theirs[n])
        return None

    def drop(self, name: str) -> None:
        """Forget a name in both."""
        self.theirs.pop(name, None)
        self.ours.pop(name, None)

    def keep(self, name: str) -> None:
        """Name the parts of a result that is several tensors; forget what is of no further use."""
        made = self.theirs[name]
        if name.startswith("m"):  # a layer
            return
        if isinstance(made, (tuple, list)) and made and is_tensor(made[0]):
            parts = range(min(len(made), 2))
            for i in parts:
                self.fresh(f"{name}[{i}]")
        dense = is_tensor(made) and "strided" in str(made.layout)
        if not dense or made.numel() > LARGEST:
            self.drop(name)

    def operands(self) -> list[Any]:
        """PyTorch's tensors that the last line names."""
        last = self.lines[-1] if self.lines else ""
        last = re.sub(r"lambda v\d+: ", "", last)  # its parameter is named again where it is used
        named = re.findall(NAME, re.sub(rf"^{NAME} = ", "", last))
        return [self.theirs[n] for n in named if is_tensor(self.theirs.get(n))]

    def differ(self, what: str, ours: Any, theirs: Any) -> None:
        """Note a difference; the program is over unless it is a meant one."""
        found = Difference(self.seed, self.lines, what, ours, theirs, self.operands())
        if allowed.reason(found) is None:
            self.difference = found
            raise Stop

    # -- writing ---------------------------------------------------------------------------------

    def write(self) -> None:
        """Write and run the whole program."""
        rng = self.rng
        for _ in range(rng.choice([1, 2, 2, 3])):
            self.tensor(rng.choice(values.SHAPES))
        for _ in range(rng.randint(2, MOST)):
            if not self.names():
                self.tensor(rng.choice(values.SHAPES))
            way = rng.random()
            try:
                if way < 0.4:
                    text = samples.call(rng, self.new)
                else:
                    text = calls.chosen(self, calls.KINDS if way < 0.8 else wider.KINDS)
            except (ValueError, IndexError):
                continue
            statement = any(f" {s}= " in text for s in ("", "+", "-", "*", "/", "//", "%", "**",
                                                        "&", "|", "^"))  # fmt: skip
            if statement:
                self.run(text)
            else:
                self.fresh(text)
        self.backward()

    def backward(self) -> None:
        """Gradients of what has a history, with weights that are not all alike."""
        tracked = [n for n in self.names() if self.of(n).requires_grad]
        live = [n for n in tracked if leaf(self.of(n)) is False]
        for n in live[-2:]:
            if self.of(n).numel():
                self.backward_of(n)
        self.gradients()

    def backward_of(self, n: str) -> None:
        """Gradients of one tensor."""
        t = self.of(n)
        shape = tuple(t.shape)
        self.run(
            f"{n}.backward((torch.arange({t.numel()}) % 5 - 1.5).reshape({shape})"
            f".to({t.dtype}), retain_graph=True)"
        )

    def gradients(self) -> None:
        """Compare the gradients of all leaves."""
        meant = False
        for n in self.names():
            if leaf(self.of(n)) is True and self.of(n).requires_grad:
                self.lines.append(f"{n}.grad")
                what = different(
                    self.ours[n].grad, self.of(n).grad, True, [self.of(m) for m in self.names()]
                )
                if what:
                    self.differ("gradient: " + what, self.ours[n].grad, self.of(n).grad)
                    meant = True
                elif self.of(n).grad is not None:
                    give_numbers(self.ours[n].grad, self.of(n).grad)
                self.lines.pop()
        if meant:  # what comes of it would differ too
            raise Stop


def changes(line: str) -> bool:
    """Whether a line may change a tensor that there is already."""
    return calls.changing(line.replace("requires_grad_()", ""))


def is_tensor(x: Any) -> bool:
    return hasattr(x, "stride") and hasattr(x, "dtype")


class Stop(Exception):
    """The program is over."""


def same_class(ours: Exception, theirs: Exception) -> bool:
    """Whether whoever catches PyTorch's exception catches ours."""
    if isinstance(ours, type(theirs)):
        return True
    names = [c.__name__ for c in type(ours).__mro__]
    return type(theirs).__name__ in names or type(theirs).__name__.lstrip("_") in names


def check(seed: int) -> Difference | None:
    """Write and run the program of a seed; the difference that it met."""
    program = Program(seed)
    with quiet(), suppress(Stop):
        program.write()
    return program.difference


def shortened(found: Difference) -> Difference:
    """The difference with the lines that its last one needs: what they name, and what changed
    that."""
    if found.line.endswith(".grad"):  # of what came of it
        return found
    needed = set(re.findall(NAME, found.line))
    kept = [found.line]
    for line in reversed(found.lines[:-1]):
        if line.startswith("#"):
            continue
        target, _, rest = line.partition(" = ")
        made = set(re.findall(NAME, target if rest else ""))
        also = changes(line) or ".backward(" in line or not re.match(NAME + " = ", line)
        if made & needed or (also and set(re.findall(NAME, line)) & needed):
            needed |= set(re.findall(NAME, line))
            kept.append(line)
    return Difference(
        found.seed, kept[::-1], found.what, found.ours, found.theirs, found.operands
    )
