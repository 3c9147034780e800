"""What our modules and classes are called in PyTorch: in files always, in the program under the
drop-in, which gives them these names (`dropin/renaming.py`).

Code that asks whether something is this package's must ask for the name that it was born with:
`own(module_name)`, or `__package__` among a function's globals, which the drop-in leaves alone.
"""

from __future__ import annotations

# Where this package's layout differs from PyTorch's: the path of a class, or of its module.
PATHS = {
    "rushlight.nn.module": "torch.nn.modules.module",
    "rushlight.nn.containers": "torch.nn.modules.container",
    "rushlight.nn.rnn": "torch.nn.modules.rnn",
    "rushlight.nn.transformer": "torch.nn.modules.transformer",
    "rushlight.nn.multihead_attention.MultiheadAttention": "torch.nn.modules.activation",
    "rushlight.nn.multihead_attention.NonDynamicallyQuantizableLinear": "torch.nn.modules.linear",
    "rushlight.ao.quantization.histogram": "torch.ao.quantization.observer",
    "rushlight.ao.quantization.observer_base": "torch.ao.quantization.observer",
    "rushlight.optim._adafactor": "torch.optim",
    "rushlight.optim._muon": "torch.optim",
    "rushlight.optim.lr_scheduler.annealing.SWALR": "torch.optim.swa_utils",
    "rushlight.distributions.transform": "torch.distributions.transforms",
    "rushlight.distributions.transforms_elementwise": "torch.distributions.transforms",
    "rushlight.distributions.transforms_matrix": "torch.distributions.transforms",
}
PREFIXES = (("rushlight.vision", "torchvision"), ("rushlight", "torch"))

taken = False  # whether the drop-in has given PyTorch's names to modules and classes


def shown(name: str) -> str:
    """The name that PyTorch's programs use for a module of ours.

    >>> shown("rushlight.nn.functional"), shown("rushlight.vision.datasets"), shown("numpy")
    ('torch.nn.functional', 'torchvision.datasets', 'numpy')
    """
    for ours, theirs in PREFIXES:
        if name == ours or name.startswith(ours + "."):
            return theirs + name[len(ours) :]
    return name


def own(name: str) -> str:
    """Our name for a module that may go by PyTorch's, as under the drop-in all do.

    >>> own("rushlight.nn"), own("torch.nn")  # without the drop-in torch is somebody else
    ('rushlight.nn', 'torch.nn')
    """
    if taken:
        for ours, theirs in PREFIXES:
            if name == theirs or name.startswith(theirs + "."):
                return ours + name[len(theirs) :]
    return name


def is_own(name: str | None) -> bool:
    """Whether a module's name is one of this package's.

    >>> is_own("rushlight.nn"), is_own("torch.nn"), is_own(None)
    (True, False, False)
    """
    return own(name or "").partition(".")[0] == "rushlight"


def class_path(module: str, name: str) -> str:
    """PyTorch's module of a class of ours.

    >>> class_path("rushlight.nn.multihead_attention", "MultiheadAttention")
    'torch.nn.modules.activation'
    """
    known = PATHS.get(f"{module}.{name}") or PATHS.get(module)
    if known is not None:
        return known
    if module.startswith("rushlight.optim.lr_scheduler."):
        return "torch.optim.lr_scheduler"
    if module.startswith("rushlight.vision.transforms."):
        return "torchvision.transforms.transforms"
    return shown(module)
