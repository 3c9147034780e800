"""`Join` and its kin, or what stands for them until they are there: nobody joins."""

from __future__ import annotations

from typing import Any


class JoinHook:
    """What a rank without inputs does; here never asked."""

    def main_hook(self) -> None: ...

    def post_hook(self, is_last_joiner: bool) -> None: ...


class Joinable:
    """What can be given to `Join`."""


class Join:
    """Uneven inputs of the ranks."""

    @staticmethod
    def notify_join_context(joinable: Any) -> None: ...
