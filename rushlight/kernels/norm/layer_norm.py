"""Layer and RMS norm in one pass over memory.

A row is small enough for the cache: its moments, then the distances from the mean, then the result
are computed while it is there. Gradients likewise; the sums over rows that weight and bias need are
gathered for each chunk, and the calling thread adds the chunks' sums in order at the end.

Names: x, y rows of data; g, dx gradients; w, b weight and bias; dw, db theirs; xh the normalised x.
Not here: channels and groups (`batch_norm.py`); when these are used (`select.py`).
"""

from __future__ import annotations

from typing import Any

from ..codegen.half import computed
from ..codegen.ir import Function, Module, Pointer, Value, element, lanes
from ..codegen.rows import Row, Vectors, Words, compiled, module_of, part

TOGETHER = 2  # rows whose sums for weight and bias are added in registers


def inverse_std(f: Function, var: Value, eps: Value) -> Value:
    """1 / sqrt(var + eps)."""
    one = f.const(var.type, 1.0)
    return one / f.sqrt(var + f.convert(eps, element(var.type)))


def add_lines(v: Vectors, words: Words, names: tuple[str, ...], lines: Value) -> None:
    """Add the other lines of sums for weight and bias to the first, in order."""
    for k in ("dw", "db"):
        if k in names:
            first = words[k]
            with v.f.range(1, lines) as line:
                more = first.at(line * v.n)

                def add(i: Value, first: Any = first, more: Any = more) -> None:
                    v.put(first, i, v.get(first, i) + v.get(more, i))

                v.each(add)


# -- rows: x (rows, n), weight and bias (n) ------------------------------------------------------


class RowNorm:
    """Kernels of layer norm; those of RMS norm have no mean and no bias."""

    def __init__(self, e: str, names: tuple[str, ...]) -> None:
        self.e, self.c, self.names = e, computed(e), names
        self.centred = "mean" in names

    def opened(self, f: Function, words: Words) -> Vectors:
        """The loops, and all operands as pointers to their elements."""
        for k in self.names:
            words[k] = words[k].of(self.e if k in ("x", "y", "g", "dx") else self.c)
        return Vectors(f, words["n"], self.c)

    def forward(self, f: Function, words: Words, index: Value) -> None:
        """y, mean and rstd of `each` rows."""
        v, n = self.opened(f, words), words["n"]
        count = f.convert(n, self.c)
        with f.range(*part(f, index, words["each"], words["rows"])) as r:
            x, y = words["x"].at(r * n), words["y"].at(r * n)
            mean: Value | None = None
            if self.centred:
                middle = v.reduce("add", lambda i, x=x: v.get(x, i)) / count  # type: ignore[misc]
                words["mean"][r] = middle
                mean = v.wide(middle)

            def apart(i: Value, x: Pointer = x, mean: Value | None = mean) -> Value:
                return v.get(x, i) if mean is None else v.get(x, i) - mean

            def square(i: Value, apart: Any = apart) -> tuple[Value, Value]:
                d = apart(i)
                return d, d

            rstd = inverse_std(f, v.reduce("add", square) / count, words["eps"])
            words["rstd"][r] = rstd
            rstd = v.wide(rstd)

            def write(
                i: Value, x: Pointer = x, y: Pointer = y, apart: Any = apart, rstd: Value = rstd
            ) -> None:
                v.ahead(x, i, n)
                t = apart(i) * rstd
                if "w" in self.names and "b" in self.names:
                    t = f.fma(t, v.get(words["w"], i), v.get(words["b"], i))
                elif "w" in self.names:
                    t = t * v.get(words["w"], i)
                elif "b" in self.names:
                    t = t + v.get(words["b"], i)
                v.put(y, i, t)

            v.each(write)

    def backward(self, f: Function, words: Words, index: Value) -> None:
        """dx of `each` rows, and their sums for w and b."""
        v = self.opened(f, words)
        start, stop = part(f, index, words["each"], words["rows"])
        sums = [words[k].at(index * words["n"]) for k in ("dw", "db") if k in self.names]
        if sums:
            zero = v.neutral("add")
            for p in sums:
                v.each(lambda i, p=p: v.put(p, i, zero))  # type: ignore[misc]
        many = stop - (stop - start) % TOGETHER
        with f.range(start, many, TOGETHER) as r:
            self.rows_together(v, words, [r + k for k in range(TOGETHER)], sums)
        with f.range(many, stop) as r:
            self.rows_together(v, words, [r], sums)

    def rows_together(self, v: Vectors, words: Words, rows: list[Value], sums: list[Any]) -> None:
        """With d = x - mean, h = g w, along = rstd mean(h d), level = mean(h):

        dx = rstd (h - level - d rstd along),  dw = sum g d rstd,  db = sum g
        """
        f, n, names = v.f, words["n"], self.names
        share = f.const(self.c, 1.0) / f.convert(n, self.c)
        parts: list[dict[str, Any]] = []
        for r in rows:
            at: dict[str, Any] = {k: words[k].at(r * n) for k in ("g", "x", "dx") if k in names}
            at["one"] = words["rstd"][r]
            at["rstd"] = v.wide(at["one"])
            at["mean"] = v.wide(words["mean"][r]) if self.centred else None
            parts.append(at)

        def both(at: dict[str, Any], i: Value) -> tuple[Value, Value]:
            """g and x - mean."""
            d = v.get(at["x"], i)
            return v.get(at["g"], i), d if at["mean"] is None else d - at["mean"]

        def weight(i: Value) -> Value | None:
            return v.get(words["w"], i) if "w" in names else None

        for at in parts if "dx" in names else []:

            def products(i: Value, at: dict[str, Any] = at) -> tuple[Any, ...]:
                g, d = both(at, i)
                w = weight(i)
                h = g if w is None else g * w
                return ((h, d), h) if self.centred else ((h, d),)

            found = v.totals(2 if self.centred else 1, products)
            one = at["one"]
            at["slope"] = v.wide(-(found[0] * share * one * one * one))
            at["less"] = v.wide(-(found[1] * share * one)) if self.centred else None

        def write(i: Value) -> None:
            w = weight(i)
            gathered = [v.get(p, i) for p in sums]
            for at in parts:
                g, d = both(at, i)
                if "dx" in names:
                    scale = at["rstd"] if w is None else w * at["rstd"]
                    h = g * scale if at["less"] is None else f.fma(g, scale, at["less"])
                    v.put(at["dx"], i, f.fma(d, at["slope"], h))
                if "dw" in names:
                    gathered[0] = f.fma(g * at["rstd"], d, gathered[0])
                if "db" in names:
                    gathered[-1] = gathered[-1] + g
            for p, value in zip(sums, gathered, strict=True):
                v.put(p, i, value)

        v.each(write)

    def finish(self, f: Function, words: Words) -> None:
        add_lines(self.opened(f, words), words, self.names, words["chunks"])


def row_forward(e: str, names: tuple[str, ...]) -> Any:
    """A function of (*names, n, rows, each, eps, chunks): x, w, b, y, mean, rstd."""

    def build() -> Module:
        numbers = {"n": "int", "rows": "int", "each": "int", "eps": "float"}
        return module_of("norm_rows", names, numbers, RowNorm(e, names).forward)

    return compiled(("norm_rows", e, names), build)


def row_backward(e: str, names: tuple[str, ...]) -> Any:
    """A function of (*names, n, rows, each, chunks): g, x, w, mean, rstd, dx, dw, db.

    dw and db have a line for each chunk; the result is in the first.
    """

    def build() -> Module:
        numbers = {"n": "int", "rows": "int", "each": "int"}
        norm = RowNorm(e, names)
        finish = norm.finish if {"dw", "db"} & {*names} else None
        return module_of("norm_rows_grad", names, numbers, norm.backward, finish)

    return compiled(("norm_rows_grad", e, names), build)


# -- the length of a row made 1: bodies for `rows.kernel` and `rows.column_kernel` ---------------


def floor(r: Row, norm: Value) -> tuple[Value, Value]:
    """max(norm, eps), and whether it is the norm; `how` is eps, and whether the floor stops the
    gradient."""
    eps = r.places["how"][0]
    return r.f.select(norm < eps, eps, norm), norm < eps


def unit(r: Row) -> None:
    """x / max(norm, eps) with norm = sqrt(sum(x ** 2)), which is kept."""
    norm = r.f.sqrt(r.reduce("add", lambda i: (r.load("x", i), r.load("x", i))))
    r.set_one("norm", norm)
    length = r.wide(floor(r, norm)[0])
    r.each(lambda i: r.store("y", i, r.load("x", i) / length))


def unit_grad(r: Row) -> None:
    """g / l - x sum(g x) / (l l norm) with l = max(norm, eps); the second part is 0 where the norm
    is, and where the floor holds and stops the gradient."""
    f = r.f
    norm = r.one("norm")
    length, held = floor(r, norm)
    along = r.reduce("add", lambda i: (r.load("g", i), r.load("x", i)))
    slope = along / length / length / norm
    stops = r.places["how"][1]
    zero = r.number(0.0) if lanes(norm.type) > 1 else f.const(r.c, 0.0)
    slope = f.select(held, slope * (1.0 - stops), slope)
    wide = r.wide(f.select(norm == 0.0, zero, slope))
    length = r.wide(length)
    r.each(lambda i: r.store("dx", i, r.load("g", i) / length - r.load("x", i) * wide))
