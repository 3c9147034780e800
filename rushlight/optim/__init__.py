"""rushlight.optim: optimizers, learning-rate schedulers and weight averaging.

`optimizer.py` holds groups, state and hooks; `stepping.py` drives the formulas of
`kernels/optim/formulas.py`; each algorithm has a small file of settings.
"""

from __future__ import annotations

import importlib
from typing import Any

from rushlight.optim import lr_scheduler as lr_scheduler
from rushlight.optim._adafactor import Adafactor
from rushlight.optim._muon import Muon
from rushlight.optim.adadelta import Adadelta
from rushlight.optim.adagrad import Adagrad
from rushlight.optim.adam import Adam
from rushlight.optim.adamax import Adamax
from rushlight.optim.adamw import AdamW
from rushlight.optim.asgd import ASGD
from rushlight.optim.lbfgs import LBFGS
from rushlight.optim.nadam import NAdam
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.radam import RAdam
from rushlight.optim.rmsprop import RMSprop
from rushlight.optim.rprop import Rprop
from rushlight.optim.sgd import SGD
from rushlight.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]


def __getattr__(name: str) -> Any:
    # swa_utils needs rushlight.nn, which a program with its own tensors need not wait for.
    if name == "swa_utils":
        return importlib.import_module("rushlight.optim.swa_utils")
    raise AttributeError(f"module 'rushlight.optim' has no attribute {name!r}")
