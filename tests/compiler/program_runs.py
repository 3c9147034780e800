"""Running a random program (`programs.py`) as one of two twins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rushlight as torch
from rushlight import nn
from tests.compiler.programs import Program


def run(program: Program, path: Path, t: Any) -> None:
    """Run a program as one of the twins; its source is at `path`."""
    space: dict[str, Any] = {"__name__": f"program_{program.seed}", "__file__": str(path)}
    exec(compile(program.source, str(path), "exec"), space)
    model = space["Model"]()
    optimizer = eval(f"optim.{program.optimizer}", {"optim": torch.optim, "p": model.parameters()})
    t.watch(model, optimizer, space["seen"])
    kinds = {"step": space["step_of"](model, optimizer), "loss": space["loss_of"](model)}
    compiled = t.compile(kinds.get(program.form, model))

    def call(x: Any, target: Any) -> Any:
        if program.form == "model":
            return compiled(x)
        return compiled(x, target)

    y: Any = None
    for rows, kind, setting, change in program.calls:
        if change:
            names = {"m": model, "o": optimizer, "s": space, "y": y, "torch": torch, "nn": nn}
            t(lambda change=change, names=names: exec(change, names))
        x = torch.randn(rows, 4).to(getattr(torch, kind))
        target = torch.randn(rows)
        with around(setting):
            y = t(call, x, target)
        if isinstance(y, tuple):
            y = y[0]
        if program.form != "step" and getattr(y, "requires_grad", False) and not setting:
            t(y.backward)
            t(optimizer.step)


class around:
    """A setting for the length of a call."""

    def __init__(self, setting: str) -> None:
        self.setting = setting
        self.context = {
            "no_grad": torch.no_grad,
            "inference": torch.inference_mode,
            "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
        }.get(setting, lambda: None)()

    def __enter__(self) -> None:
        if self.setting == "float64 by default":
            torch.set_default_dtype(torch.float64)
        elif self.context is not None:
            self.context.__enter__()

    def __exit__(self, *error: Any) -> None:
        torch.set_default_dtype(torch.float32)
        if self.context is not None:
            self.context.__exit__(*error)
