"""`Stateful`: objects that say themselves what is saved of them."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """What has `state_dict()` and `load_state_dict(state)`: modules, optimisers, loaders.

    `save` saves what `state_dict` returns; `load` asks it for the places to load into and then
    calls `load_state_dict`.
    """

    def state_dict(self) -> dict[str, Any]:
        """What is saved."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what was loaded."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)
