"""Write data/breadth.json: what PyTorch returns for every call. Needs PyTorch and torchvision."""

from __future__ import annotations

import importlib.util
import json
import sys
import warnings
from pathlib import Path
from runpy import run_path

import torch

HERE = Path(__file__).parent
TABLE = run_path(str(HERE / "table.py"))
# What PyTorch needs more packages for than the comparison installs.
KNOWN = {"torch.utils.tensorboard.SummaryWriter": [True, True]}
kept = []


def has_vision() -> bool:
    """Whether torchvision is installed, whether or not it fits."""
    return importlib.util.find_spec("torchvision") is not None


def vision():
    """torchvision; where its compiled operations do not fit, only its Python is used."""
    try:
        import torchvision
    except RuntimeError:
        for name in [n for n in sys.modules if n.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        lib = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            lib.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        kept.append(lib)
        import torchvision
    import torchvision.datasets
    import torchvision.transforms
    import torchvision.utils

    return torchvision


def main() -> None:
    package = TABLE["Package"](torch, vision)
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in TABLE["CALLS"].items():
            results[name] = KNOWN[name] if name in KNOWN else TABLE["plain"](call(package))
    lines = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results)]
    path = HERE.parent / "data" / "breadth.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(results)} results in {path}")


if __name__ == "__main__":
    main()
