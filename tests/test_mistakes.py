"""What somebody is told who makes one of the mistakes that people ask about: PyTorch's class and
words, what was got, what was wanted, and what to do. One row a mistake, ordered by area.
"""

from __future__ import annotations

import gzip
import io
import os
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn, optim

X = torch.ones(3, 4)
LABELS = torch.tensor([1, 2, 3])


def told(fn: Any, kind: type[BaseException]) -> str:
    with pytest.raises(kind) as caught:
        fn()
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


def check(fn: Any, kind: type[BaseException], *words: str) -> None:
    """The error says all words, in this order, in four parts and no part twice."""
    text = told(fn, kind)
    at = 0
    for word in words:
        assert word in text[at:], f"{word!r} is not in {text[at:]!r}"
        at = text.index(word, at) + len(word)
    for part in ("got", "wanted", "try"):
        assert len(re.findall(rf"^  {part} ", text, re.MULTILINE)) <= 1


class NoInit(nn.Module):
    def __init__(self) -> None:
        self.layer = nn.Linear(2, 2)


class NoInitUsed(nn.Module):
    def __init__(self) -> None:
        self.n = 1

    def forward(self, x: Any) -> Any:
        return x


class Misspelt(nn.Module):
    def foward(self, x: Any) -> Any:
        return x


class Inside(nn.Module):
    def __init__(self) -> None:
        super().__init__()

        def forward(x: Any) -> Any:
            return x


class Wrapper(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.module = nn.Linear(2, 3)


def assigned(name: str, value: Any) -> None:
    setattr(nn.Linear(2, 2), name, value)


MODULES = [
    (NoInit, AttributeError, "cannot assign module before", "super().__init__()"),
    (lambda: NoInitUsed()(X), AttributeError, "no attribute '_forward_hooks'", "wanted", "try"),
    (lambda: Misspelt()(X), NotImplementedError, 'missing the required "forward"', "foward", "try"),
    (lambda: Inside()(X), NotImplementedError, 'missing the required "forward"', "indented as"),
    (lambda: nn.ModuleList([nn.ReLU()])(X), NotImplementedError, '"forward"', "for layer in"),
    (lambda: nn.Sequential([nn.ReLU()]), TypeError, "list is not a Module", "Sequential(*layers)"),
    (lambda: nn.Sequential(F.relu), TypeError, "is not a Module", "function relu", "nn.ReLU()"),
    (lambda: nn.Sequential(F.log_softmax), TypeError, "is not a Module", "nn.LogSoftmax()"),
    (lambda: nn.Sequential(torch.add), TypeError, "is not a Module", "whose forward calls it"),
    (lambda: nn.ModuleList([X]), TypeError, "is not a Module", "nn.Parameter(tensor)"),
    (lambda: assigned("weight", X), TypeError, "cannot assign", "nn.Parameter", "copy_(tensor)"),
    (lambda: nn.Module().register_parameter("w", X), TypeError, "cannot assign", "Parameter(te"),
    (lambda: Wrapper().out_features, AttributeError, "around a Linear", "module.out_features"),
]  # fmt: skip

LOSSES = [
    (lambda: F.binary_cross_entropy(X * 5, X), RuntimeError, "all elements of input", "sigmoid"),
    (lambda: F.binary_cross_entropy(X / 2, X * 2), RuntimeError, "all elements of target should",
     "values from 2 to 2", "labels 0 and 1"),
    (lambda: nn.CrossEntropyLoss(X, LABELS), RuntimeError, "Boolean value of Tensor",
     "got     the data", "nn.MSELoss()(input, target)"),
    (lambda: nn.MSELoss(X, X), RuntimeError, "Boolean value of Tensor", "making the loss"),
    (lambda: nn.CrossEntropyLoss([1.0, 2.0]), TypeError, "cannot assign 'list'", "torch.tensor("),
    (lambda: F.cross_entropy(torch.ones(2, 5, 7), torch.zeros(2, 5, dtype=torch.long)),
     RuntimeError, "Expected target size [2, 7], got [2, 5]", "movedim(-1, 1)"),
    (lambda: F.cross_entropy(torch.ones(2, 4, 8), torch.zeros(2, 1, 8, dtype=torch.long)),
     RuntimeError, "Expected target size [2, 8]", "target.squeeze(1)"),
    (lambda: F.cross_entropy(X, torch.ones(3, 5)), RuntimeError, "expected target dtype",
     "a target of shape (3, 4) for probabilities, of (3,) for indices"),
    (lambda: F.cross_entropy(X, torch.ones(3)), RuntimeError, "expected target dtype", "long()"),
]  # fmt: skip


def stepped(closure: Any) -> None:
    optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1).step(closure)


def twice() -> None:
    layer = nn.Linear(2, 2)
    optim.SGD([{"params": layer.parameters()}, {"params": layer.weight}], lr=0.1)


OPTIMISERS = [
    (lambda: optim.SGD(nn.Linear(2, 2), lr=0.1), TypeError, "'Linear' object is not iterable",
     "wanted", "model.parameters()"),
    (lambda: optim.SGD(nn.Linear(2, 2).parameters, lr=0.1), TypeError, "'method' object is not",
     "brackets: parameters()"),
    (lambda: optim.SGD([], lr=0.1), ValueError, "empty parameter list", "nn.ModuleList"),
    (lambda: optim.SGD([{"parameters": [X]}], lr=0.1), KeyError, "params", "['parameters']"),
    (lambda: optim.Adam(nn.Linear(2, 2).parameters(), lr="1e-3"), TypeError, "'<=' not supported",
     "lr='1e-3', a text", "float(lr)"),
    (twice, ValueError, "more than one parameter group", "1 of them again", "(2, 2)"),
    (lambda: stepped(X), TypeError, "'Tensor' object is not callable", "loss.backward(), then"),
]  # fmt: skip


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.LSTM(4, 5), nn.Linear(5, 2))

    def forward(self, x: Any) -> Any:
        return self.layers(x)


class Frame:
    """A stand-in for pandas' tables."""

    def to_numpy(self) -> Any:
        return np.ones(3)


class Image:
    """A stand-in for pillow's pictures."""

    size, mode = (4, 4), "L"

    def convert(self, mode: str) -> Any:
        return self

    def getbands(self) -> Any:
        return ("L",)


NO_TENSORS = [
    (lambda: nn.Linear(4, 2)(np.ones((3, 4))), TypeError, "must be Tensor, not ndarray",
     "an array of shape (3, 4) and type float64", "torch.from_numpy(x).float()", "in module"),
    (lambda: torch.exp(np.ones(3, np.float32)), TypeError, "not ndarray", "torch.from_numpy(x)"),
    (lambda: Recurrent()(torch.ones(3, 1, 4)), TypeError, "argument 'input' (position 1) must be",
     "a tuple of 2: Tensor (3, 1, 5), tuple", "x[0]", "in module: layers.1"),
    (lambda: torch.mean([X, X]), TypeError, "not list", "a list of 2: Tensor (3, 4)", "stack(x)"),
    (lambda: nn.Linear(4, 2)([1.0, 2.0]), TypeError, "not list", "[1.0, 2.0]", "torch.tensor(x)"),
    (lambda: nn.Linear(4, 2)(None), TypeError, "not NoneType", "a return in the function"),
    (lambda: nn.Linear(4, 2)({"x": X}), TypeError, "not dict", "['x']", "x[key]"),
    (lambda: nn.Linear(4, 2)(nn.ReLU()), TypeError, "not ReLU", "module ReLU", "layer(x)"),
    (lambda: nn.Linear(4, 2)(nn.ReLU), TypeError, "not type", "the class ReLU"),
    (lambda: nn.Linear(4, 2)(Frame()), TypeError, "not Frame", "x.to_numpy()"),
    (lambda: nn.Linear(4, 2)(Image()), TypeError, "not Image", "mode L", "ToTensor()(x)"),
    (lambda: nn.Linear(4, 2)("cat"), TypeError, "not str", "'cat'", "labels.index(x)"),
    (lambda: nn.Embedding(9, 4)([1, 2]), TypeError, "embedding(): argument", "torch.tensor(x)"),
    (lambda: torch.cat([1, 2]), TypeError, "expected Tensor as element 0", "torch.tensor(x)"),
]  # fmt: skip

MAKING = [
    (lambda: torch.tensor([[1, 2], [3]]), ValueError, "expected sequence of length 2 at dim 1 (got"
     " 1)", "pad_sequence"),
    (lambda: torch.tensor([1.0, None]), RuntimeError, "Could not infer dtype of NoneType", "nan"),
    (lambda: torch.tensor({"a": 1}), RuntimeError, "Could not infer dtype of dict", "values()"),
    (lambda: torch.tensor("cat"), TypeError, "new(): invalid data type 'str'", "in place of text"),
    (lambda: torch.tensor(["cat"]), ValueError, "too many dimensions 'str'", "'cat'", "text"),
    (lambda: torch.from_numpy([1]), TypeError, "expected np.ndarray (got list)", "torch.tensor(x)"),
    (lambda: torch.from_numpy(np.ones(2, ">f4")), ValueError, "byte order different", ">f4",
     "newbyteorder"),
    (lambda: torch.from_numpy(np.array([[1], [1, 2]], object)), TypeError, "can't convert",
     "numpy.object", "pad_sequence"),
    (lambda: torch.from_numpy(np.array(["a"])), TypeError, "can't convert", "np.unique"),
    (lambda: torch.zeros(2, dtype="float32"), TypeError, "dtype must be", "try     torch.float32"),
    (lambda: torch.zeros(2, dtype=np.float32), TypeError, "dtype must be", "torch.float32"),
    (lambda: torch.ones(2, dtype=torch.bfloat16).numpy(), TypeError, "unsupported ScalarType",
     "x.float().numpy()"),
]  # fmt: skip

DEVICES = [
    (lambda: X.cuda(), RuntimeError, "Torch not compiled with CUDA", "torch.cuda.is_available()"),
    (lambda: X.to("mps"), RuntimeError, "not available", "torch.backends.mps.is_available()"),
    (lambda: X.to("xla"), RuntimeError, "not available", "device='cpu'"),
    (lambda: X.to("gpu"), RuntimeError, "Expected one of cpu", "torch.cuda.is_available()"),
    (lambda: torch.device("cudaa"), RuntimeError, "Expected one of cpu", "try     'cuda'"),
    (lambda: torch.device(-1), RuntimeError, "index must not be negative", "'cuda', -1"),
    (lambda: torch.ones(2).set_(torch.ones(2).double()), RuntimeError,
     "Could not set tensor of type double to a tensor of type float", "try     source.to"),
    (lambda: torch.ones(2, 3).map_(torch.ones(4, 3), max), RuntimeError,
     "expanded size", "non-singleton"),
    (lambda: X.to("float32"), RuntimeError, "Expected one of cpu", "torch.float32, which is no"),
]


def condition() -> None:
    if X > 0:
        pass


def sampled() -> None:
    mean = torch.zeros(2, requires_grad=True)
    torch.distributions.Normal(mean, 1.0).sample().sum().backward()


def kept_apart() -> None:
    lin, checkpoint = nn.Linear(2, 2), torch.utils.checkpoint.checkpoint
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checkpoint(lin, torch.ones(1, 2), use_reentrant=True).sum().backward()


USING = [
    (condition, RuntimeError, "more than one value is ambiguous", "(3, 4)", ".any()", "& | ~"),
    (lambda: X > 0 and X < 2, RuntimeError, "ambiguous", "in place of and"),
    (lambda: torch.is_nonzero(X), RuntimeError, "ambiguous", "(3, 4)"),
    (lambda: X[:, ::-1], ValueError, "step must be greater than zero", "x.flip(1)"),
    (lambda: X[torch.tensor([0.0])], IndexError, "must be long", "torch.float32", "index.long()"),
    (lambda: X @ torch.ones(4, 2).double(), RuntimeError, "same dtype", "NumPy's numbers"),
    (lambda: torch.ones(2, 3, dtype=torch.long) @ X, RuntimeError, "same dtype", "whole numbers"),
    (sampled, RuntimeError, "does not require grad", "no_grad at", "try     rsample()"),
    (kept_apart, RuntimeError, "does not require grad", "no_grad at", "use_reentrant=False"),
]


def loaded(data: bytes, **options: Any) -> Any:
    return torch.load(io.BytesIO(data), **options)


def saved(value: Any) -> bytes:
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def into_linear(state: Any) -> None:
    nn.Linear(2, 3).load_state_dict(state)


STATE = nn.Linear(2, 3).state_dict()
FILES = [
    (lambda: loaded(b""), EOFError, "Ran out of input", "try"),
    (lambda: loaded(b"<!DOCTYPE html>"), pickle.UnpicklingError, "a web page", "downloading"),
    (lambda: loaded(b"version https://git-lfs.github.com/spec/v1"), RuntimeError, "git lfs pull"),
    (lambda: loaded(b"\x93NUMPY\x01\x00"), RuntimeError, "a NumPy file", "np.load(path)"),
    (lambda: loaded(b"\x89HDF\r\n\x1a\n"), RuntimeError, "HDF5", "h5py"),
    (lambda: loaded(gzip.compress(b"abc")), RuntimeError, "gzip", "gzip.open(path)"),
    (lambda: loaded(b"\x50" + b"\0" * 7 + b"{}"), RuntimeError, "safetensors", "ends in"),
    (lambda: loaded(pickle.dumps(np.ones(3))), RuntimeError, "not a checkpoint", "a pickle that",
     "pickle.load(file)"),
    (lambda: loaded(saved(X), map_location="cuda:0"), RuntimeError, "not available", "='cpu'"),
    (lambda: into_linear({"epoch": 3, "model": STATE}), RuntimeError, "Missing key(s)",
     "load_state_dict(checkpoint['model'])"),
    (lambda: into_linear(nn.Linear(2, 4).state_dict()), RuntimeError, "size mismatch", "strict=F"),
    (lambda: into_linear({"weight": STATE["weight"]}), RuntimeError, "Missing key(s)", "strict=F"),
    (lambda: into_linear("model.pt"), TypeError, "to be dict-like", "torch.load(path)"),
    (lambda: into_linear(nn.Linear(2, 3)), TypeError, "to be dict-like", "other.state_dict()"),
    (lambda: into_linear(nn.Linear(2, 3).state_dict), TypeError, "dict-like", "brackets"),
]  # fmt: skip


def batch(*samples: Any) -> None:
    next(iter(torch.utils.data.DataLoader(samples, batch_size=len(samples))))


BATCHES = [
    (lambda: batch(torch.ones(3), torch.ones(4)), RuntimeError, "stack expects each tensor to be "
     "equal size, but got [3] at entry 0 and [4] at entry 1", "samples 0 and 1", "pad_sequence"),
    (lambda: batch(torch.ones(3, 8, 8), torch.ones(3, 8, 9)), RuntimeError, "equal size", "Resize"),
    (lambda: batch(torch.ones(3, 8, 8), torch.ones(1, 8, 8)), RuntimeError, "equal size", "RGB"),
    (lambda: batch(torch.ones(2, 8), torch.ones(2)), RuntimeError, "equal size", "collate_fn"),
    (lambda: batch([1], [1, 2]), RuntimeError, "of equal size", "lengths [1, 2]", "pad_sequence"),
    (lambda: batch(None, None), TypeError, "found <class 'NoneType'>", "a return in __getitem__"),
    (lambda: batch(Image()), TypeError, "default_collate: batch must contain", "ToTensor()"),
    (lambda: batch(Frame()), TypeError, "default_collate: batch must contain", "collate_fn"),
    (lambda: batch(np.array(["a"])), TypeError, "found <U1", "in place of text"),
    (lambda: batch({"a": 1, "b": 2}, {"a": 1}), KeyError, "b", "['a', 'b']"),
]  # fmt: skip

class Stream(torch.utils.data.IterableDataset):
    def __iter__(self) -> Any:
        return iter(range(3))


class NoLength(torch.utils.data.Dataset):
    def __getitem__(self, index: int) -> int:
        return index


def adversaries() -> None:
    generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
    score = critic(generator(torch.ones(1, 2))).mean()
    score.backward(retain_graph=True)
    optim.SGD(critic.parameters(), lr=0.1).step()
    (-score).backward()


Loader = torch.utils.data.DataLoader
STEPS = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
LOOPS = [
    (adversaries, RuntimeError, "modified by an inplace operation", "changed by optimizer.step()",
     "all backwards before the first step"),
    (lambda: len(Loader(NoLength())), TypeError, "'NoLength' has no len()", "def __len__(self)"),
    (lambda: Loader(NoLength(), shuffle=True), TypeError, "has no len()", "def __len__(self)"),
    (lambda: len(Loader(Stream())), TypeError, "'Stream' has no len()", "counting batches"),
    (lambda: list(Loader(i for i in "ab")), TypeError, "'generator' has no len()", "list(x)"),
    (lambda: iter(Loader([1])).next(), AttributeError, "has no attribute 'next'", "next(iterator)"),
    (lambda: torch.utils.data.TensorDataset(np.ones(3)), TypeError, "must be T", "from_numpy"),
    (lambda: optim.lr_scheduler.MultiStepLR(STEPS, 30), TypeError, "not iterable", "tones=[30]"),
    (lambda: optim.lr_scheduler.StepLR(STEPS, 1, last_epoch=5), KeyError, "'initial_lr'", "=-1"),
    (lambda: nn.utils.clip_grad_norm_(nn.ReLU(), 1.0), TypeError, "not iterable", "parameters()"),
    (lambda: torch.distributed.get_rank(), ValueError, "process group has not been", "nproc-per-"),
    (lambda: torch.save("x.pt", X), AttributeError, "expected 'f' to be", "look swapped"),
    (lambda: nn.init.xavier_uniform_(nn.ReLU()), AttributeError, "no attribute 'shape'", "weight"),
    (lambda: nn.init.xavier_uniform_(torch.ones(3)), ValueError, "fewer than 2", "(3,)", "zeros"),
    (lambda: torch.cat([X, X], axes=0), TypeError, "unexpected keyword argument 'axes'", "dim="),
    (lambda: X.sum(dims=0), TypeError, "unexpected keyword argument 'dims'", "dim="),
    (lambda: f"{X:.2f}", TypeError, "unsupported format string", "(3, 4)", "x.item()"),
]  # fmt: skip

def accumulated() -> None:
    total = torch.zeros(2)

    def add(x: Any) -> Any:
        total.add_(x)
        return x

    torch.vmap(add)(torch.ones(3, 2))


def local() -> Any:
    class Inner:
        pass

    return Inner()


OTHERS = [
    (lambda: torch.stack([torch.ones(3, 2), torch.ones(4, 2)]), RuntimeError, "stack expects each "
     "tensor to be equal size, but got [3, 2] at entry 0 and [4, 2] at entry 1", "pad_sequence"),
    (lambda: torch.cat([X, torch.ones(4)]), RuntimeError, "same number of dimensions: got 2 and 1",
     "(3, 4), (4,)", "unsqueeze(0)"),
    (lambda: X.reshape(12 / 4, 4), TypeError, "found element of type float", "// in place of /"),
    (lambda: nn.Linear(8, 2)(torch.ones(3, 2, 4)), RuntimeError, "be multiplied (6x4 and 8x2)",
     "try     x.flatten(1) before the Linear layer"),
    (lambda: nn.Linear(8, 2)(torch.ones(3, 8, 4)), RuntimeError, "cannot be", "x.movedim(1, -1)"),
    (lambda: nn.Linear(8, 2)(torch.ones(3, 5)), RuntimeError, "cannot be", "in_features=5", "flat"),
    (lambda: nn.Linear(8, 2)(torch.ones(3, 5, 6)), RuntimeError, "cannot be", "in_features=30"),
    (lambda: nn.BatchNorm1d(4)(torch.ones(2, 4, 3, 3)), ValueError, "expected 2D or 3D input (got "
     "4D input)", "(2, 4, 3, 3)", "nn.BatchNorm2d"),
    (lambda: nn.BatchNorm2d(4)(torch.ones(2, 4)), ValueError, "expected 4D", "nn.BatchNorm1d"),
    (accumulated, RuntimeError, "inplace arithmetic", "is not possible", "x.new_zeros(...)"),
    (lambda: saved(local()), AttributeError, "Can't pickle local object 'local.<locals>.Inner'",
     "model.state_dict()"),
    (lambda: saved({"f": lambda x: x}), pickle.PicklingError, "Can't pickle", "state_dict()"),
]  # fmt: skip

ROWS = [*MODULES, *LOSSES, *OPTIMISERS, *NO_TENSORS, *MAKING, *DEVICES, *USING, *FILES, *BATCHES,
        *LOOPS, *OTHERS]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2][:40])
def test_what_is_told(row: Any):
    check(*row)


def test_memory_is_not_said_to_be_held_by_a_function_of_ours():
    text = told(lambda: torch.ones(10**6, 1) * torch.ones(1, 10**7), RuntimeError)
    assert "not enough memory" in text
    assert os.path.dirname(torch.__file__) not in text


def test_load_reads_safetensors_by_the_paths_ending(tmp_path: Path):
    from rushlight.serialization import safetensors

    path = tmp_path / "model.safetensors"
    safetensors.save_file({"w": X}, path)
    assert torch.load(path)["w"].equal(X)
    assert torch.load(str(path), map_location="meta")["w"].is_meta
    words = "Loading safetensors file with dict map_location is not supported"
    with pytest.raises(RuntimeError, match=words):
        torch.load(path, map_location={"cuda:0": "cpu"})


def test_warnings_name_the_programs_line():
    def run() -> None:
        F.kl_div(X.log_softmax(1), X.softmax(1))
        F.grid_sample(torch.ones(1, 1, 4, 4), torch.zeros(1, 2, 2, 2))
        nn.MSELoss(size_average=False)
        weight = nn.Parameter(torch.ones(2))
        optim.SGD([weight, weight], lr=0.1)

    with pytest.warns(UserWarning, match=".") as caught:
        run()
    assert [w.filename for w in caught] == [__file__] * 4
