"""OptimizedModule: what `torch.compile(module)` returns. It computes what the module computes."""

from __future__ import annotations

from typing import Any

from .module import Module

__all__ = ["OptimizedModule"]


class OptimizedModule(Module):
    """A module around `_orig_mod`; attributes that it lacks are read from and written to that one.

    Its parameters are those of `_orig_mod`, under names that begin with `_orig_mod.`, so that
    states saved by compiled models of PyTorch load here and the other way round.
    """

    _orig_mod: Module

    def __init__(self, module: Module) -> None:
        super().__init__()
        self._orig_mod = module
        self.training = module.training

    def forward(self, *args: Any, **kw: Any) -> Any:
        state = self.__dict__
        run = state.get("_replay")
        if run is None:
            from ..compiler.replay import Compiled  # above this package

            run = state["_replay"] = Compiled(self._orig_mod, **state.get("_compiled", {}))
        return run(*args, **kw)

    def __getstate__(self) -> Any:
        """What is copied and pickled: not what was compiled."""
        state = dict(super().__getstate__())
        state.pop("_replay", None)
        return state

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            inner = self.__dict__.get("_modules", {}).get(name)
            if inner is None:  # half made, by copy or pickle
                raise AttributeError(name)
            return inner
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_orig_mod", "training") or "_orig_mod" not in self.__dict__.get(
            "_modules", ()
        ):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._orig_mod)  # type: ignore[arg-type]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})
