"""Options of a command line whose values may stand in the environment, as PET_<OPTION>."""

from __future__ import annotations

import argparse
import os
from typing import Any

__all__ = ["check_env", "env"]


class env(argparse.Action):
    """An option whose default is PET_<its long name> of the environment, where that is set."""

    def __init__(self, dest: str, default: Any = None, required: bool = False, **kw: Any) -> None:
        default = os.environ.get(f"PET_{dest.upper()}", default)
        super().__init__(dest=dest, default=default, required=required and not default, **kw)

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, values)


class check_env(argparse.Action):
    """A flag that PET_<its long name>=1 in the environment sets as well."""

    def __init__(self, dest: str, default: bool = False, **kw: Any) -> None:
        default = bool(int(os.environ.get(f"PET_{dest.upper()}", "1" if default else "0")))
        super().__init__(dest=dest, const=True, default=default, nargs=0, **kw)

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, self.const)
