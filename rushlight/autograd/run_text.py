"""The text of a node's `run`, written out for one operation: `op_node.OpNode.run` with the record's
rules called by name.

Not here: the text of a call, which makes the node (`call_text.py`).
"""

from __future__ import annotations

from typing import Any

from .call_text import First, kept_output, outputs, tuple_of, written

FEW_KEPT = 2  # values that Python looks at as quickly as it calls what opens them


def opened_lines(op: Any, kept: list[bool], values: list[str], otherwise: str) -> list[str]:
    """The lines that take out what a node has kept, as its rules read it: `op_node.opened`, which
    is written out for few values."""
    unusual = "if tensors or wanted is not None"
    if sum(kept) > FEW_KEPT:
        opened = ["_s = _opened(self)", f"if _s is None: {otherwise}"]
        return [f"{unusual}: {otherwise}", *opened, f"{tuple_of(values)} = _s"]
    lines = ["_x = self.x"]
    lines.append(f"{unusual} or not (_x is None or _x.unspoilt(self.seq)): {otherwise}")
    if any(kept):
        lines += ["_s = self.saved", f"if _s.__class__ is not _tuple or not _s: {otherwise}"]
        lines.append(f"{tuple_of(values)} = _s")
    if kept[0]:
        kind = "_ndarray" if op.outputs == 1 and op.__class__ is not First else "_tuple"
        lines.append(f"if y is not None and y.__class__ is not {kind}: {otherwise}")
    for v in [v for v, is_kept in zip(values[1:], kept[1:], strict=True) if is_kept]:
        lines += [
            f"if {v}.__class__ is _Tensor or {v}.__class__ is _Parameter:",
            f"    _c = {v}._vc",
            f"    if _c is not None and _c.stamp > self.seq: {otherwise}",
            f"    {v} = {v}._a",
            f"elif {v} is not None and {v}.__class__ not in _static: {otherwise}",
        ]
    return lines


def run_text(op: Any, rule_kw: Any) -> str:
    """`OpNode.run` for arrays, with the record's rules called by name."""
    n = len(op.inputs)
    rows = [op.keeps(i, n) for i in range(n)]
    kept = [any(row[place] for row in rows) for place in range(n + 1)]
    otherwise = "return _run(self, g, tensors, wanted)"
    first = op.__class__ is First
    values = ["y", *(f"v{i}" for i in range(n))] if any(kept) else ["None"] * (n + 1)
    lines = opened_lines(op, kept, values, otherwise)
    if kept[0]:
        ends = [nr for nr in outputs(op) if kept_output(op, nr) == f"_t{nr}"]
        if ends:
            lines.append("if y is not None:")
            for nr in ends:
                lines.append(f"    _c = y[{nr}]._vc")
                lines.append(f"    if _c is not None and _c.stamp > self.seq: {otherwise}")
            parts = [f"y[{nr}]._a" if nr in ends else f"y[{nr}]" for nr in outputs(op)]
            lines.append(f"    y = {tuple_of(parts)}")
    edges = [f"e{i}" for i in range(n)]
    lines.append(f"{tuple_of(edges)} = self.edges")
    if any(rule_kw):
        lines.append("_p = self.kw")
    g = tuple_of(["g", *["None"] * (op.op.outputs - 1)]) if first else "g"
    given = ", ".join([g, *values])
    if op.joint_rule:
        more = [f"{name}=_p['{name}']" for name in rule_kw[0]]
        if op.wants_needs:
            more.append("needs=" + tuple_of(f"{e} is not None" for e in edges))
        results = [f"r{i}" for i in range(n)]
        lines.append(f"{tuple_of(results)} = _rule0({', '.join([given, *more])})")
        parts = [f"None if {e} is None else {r}" for e, r in zip(edges, results, strict=True)]
    else:
        parts = []
        for i, e in enumerate(edges):
            more = [f"{name}=_p['{name}']" for name in rule_kw[i]]
            parts.append(f"None if {e} is None else _rule{i}({', '.join([given, *more])})")
    return written("self, g, tensors, wanted=None", [*lines, f"return {tuple_of(parts)}"])
