"""OptimizedModule: what `torch.compile(module)` returns. It computes what the module computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .module import Module

__all__ = ["OptimizedModule"]


class OptimizedModule(Module):
    """A module around `_orig_mod`; attributes that it lacks are read from and written to that one.

    Its parameters are those of `_orig_mod`, under names that begin with `_orig_mod.`, so that
    states saved by compiled models of PyTorch load here and the other way round.

    Args:
        module: the module that computes.
        told: makes something of it that computes the same, such as `compiler.api.Options`. A copy
            and what comes out of a pickle make theirs anew, so that plans stay where they are.
    """

    _orig_mod: Module

    def __init__(self, module: Module, told: Callable[[Any], Any] | None = None) -> None:
        super().__init__()
        self._orig_mod = module
        self.training = module.training
        self.__dict__["_told"] = told
        self._begin()

    def _begin(self) -> None:
        told, module = self.__dict__["_told"], self._orig_mod
        self.__dict__["_compiled"] = module if told is None else told(module)

    @property
    def _torchdynamo_orig_callable(self) -> Callable[..., Any]:
        return self._orig_mod.forward

    def forward(self, *args: Any, **kw: Any) -> Any:
        return self._compiled(*args, **kw)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_compiled", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("_told", None)  # missing in older pickles
        self._begin()

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
