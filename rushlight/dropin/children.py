"""Child processes: how `import torch` gives Rushlight in the Python programs that we start.

The folder `path/` holds modules named `torch`, `torchvision` and `safetensors` that install the
drop-in when they are imported. It goes into PYTHONPATH, which every child reads at its start, and
into `sys.path`, which multiprocessing hands to its children. So nothing is patched, no start-up
file is written, and a child that never imports torch pays nothing. RUSHLIGHT_DROPIN holds the
prefix of the environment: a child that is another environment's Python keeps its own torch, and
RUSHLIGHT_DROPIN=0 in a child's environment turns the drop-in off for it.
"""

from __future__ import annotations

import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "path")
HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMES = ("PYTHONPATH", "RUSHLIGHT_DROPIN")

before: dict[str, str | None] = {}
added: list[str] = []


def reach() -> None:
    """Let the children of this process run under the drop-in too."""
    for name in NAMES:
        before[name] = os.environ.get(name)
    found = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    if FOLDER not in found:
        found.insert(0, FOLDER)
    if FOLDER not in sys.path:
        sys.path.insert(min(1, len(sys.path)), FOLDER)  # entry 0 is the script's own folder
        added.append(FOLDER)
    if HOME not in map(os.path.abspath, sys.path[1:]):
        # Rushlight was found through the current directory, which is not a child's
        sys.path.append(HOME)
        added.append(HOME)
        found.append(HOME)
    os.environ["PYTHONPATH"] = os.pathsep.join(found)
    os.environ["RUSHLIGHT_DROPIN"] = sys.prefix


def leave() -> None:
    """Undo `reach`."""
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    before.clear()
    for folder in added:
        if folder in sys.path:
            sys.path.remove(folder)
    added.clear()
