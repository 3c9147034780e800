"""What `torch._dynamo.explain` returns: counts, and reasons, under PyTorch's names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..compiler.explain import Explanation
from ..compiler.explain import explain as explain_plan

__all__ = ["ExplainOutput", "explained"]


@dataclass
class GraphCompileReason:
    """Why something is not replayed: the text, and the user's (file, line) alone in a list."""

    reason: str
    user_stack: list[tuple[str, int]]
    graph_break: bool = True


@dataclass
class ExplainOutput:
    """The counts of one call; `explanation` is the whole of it."""

    graphs: list[Any]
    graph_count: int
    graph_break_count: int
    break_reasons: list[GraphCompileReason]
    op_count: int
    ops_per_graph: list[list[str]]
    out_guards: list[str]
    compile_times: str = ""
    explanation: Any = field(default=None, repr=False)

    def __str__(self) -> str:
        text = [f"Graph Count: {self.graph_count}", f"Graph Break Count: {self.graph_break_count}"]
        text += [f"Op Count: {self.op_count}", "Break Reasons:"]
        for k, found in enumerate(self.break_reasons):
            text += [f"  Break Reason {k + 1}:", f"    Reason: {found.reason}", "    User Stack:"]
            text += [f"      {file}:{line}" for file, line in found.user_stack]
        text.append("Ops per Graph:")
        for k, names in enumerate(self.ops_per_graph):
            text += [f"  Ops {k + 1}:", *[f"    {name}" for name in names]]
        text.append("Out Guards:")
        text += [f"  Guard {k + 1}: {words}" for k, words in enumerate(self.out_guards)]
        return "\n".join(text)


def explained(f: Any, args: Any, kw: Any) -> ExplainOutput:
    """The output for one call of `f`."""
    told: Explanation = explain_plan(f)(*args, **kw)
    parts = told.all_parts()
    names = [[str(line.record.name) for line in part.program.lines] for part in parts]
    reasons = [
        GraphCompileReason(text, [] if where is None else [where]) for text, where in told.why
    ]
    return ExplainOutput(
        graphs=[part.program for part in parts],
        graph_count=len(parts),
        graph_break_count=len(reasons),
        break_reasons=reasons,
        op_count=sum(map(len, names)),
        ops_per_graph=names,
        out_guards=told.guards,
        explanation=told,
    )
