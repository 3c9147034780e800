"""Made by tools/stubs.py: change the tables there, or the sources."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Self, TypeAlias, TypeGuard, TypeVar, overload

from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.autograd.grad_mode import inference_mode as inference_mode
from rushlight.autograd.grad_mode import is_grad_enabled as is_grad_enabled
from rushlight.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from rushlight.autograd.grad_mode import no_grad as no_grad
from rushlight.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from rushlight.config import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from rushlight.config import get_float32_matmul_precision as get_float32_matmul_precision
from rushlight.config import get_num_interop_threads as get_num_interop_threads
from rushlight.config import get_num_threads as get_num_threads
from rushlight.config import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from rushlight.config import set_float32_matmul_precision as set_float32_matmul_precision
from rushlight.config import set_flush_denormal as set_flush_denormal
from rushlight.config import set_num_interop_threads as set_num_interop_threads
from rushlight.config import set_num_threads as set_num_threads
from rushlight.config import use_deterministic_algorithms as use_deterministic_algorithms
from rushlight.device import device as device
from rushlight.device import get_default_device as get_default_device
from rushlight.device import set_default_device as set_default_device
from rushlight.dtypes import bfloat16 as bfloat16
from rushlight.dtypes import bool as bool
from rushlight.dtypes import can_cast as can_cast
from rushlight.dtypes import cdouble as cdouble
from rushlight.dtypes import cfloat as cfloat
from rushlight.dtypes import chalf as chalf
from rushlight.dtypes import complex32 as complex32
from rushlight.dtypes import complex64 as complex64
from rushlight.dtypes import complex128 as complex128
from rushlight.dtypes import double as double
from rushlight.dtypes import dtype as dtype
from rushlight.dtypes import finfo as finfo
from rushlight.dtypes import float as float
from rushlight.dtypes import float8_e4m3fn as float8_e4m3fn
from rushlight.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from rushlight.dtypes import float8_e5m2 as float8_e5m2
from rushlight.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from rushlight.dtypes import float16 as float16
from rushlight.dtypes import float32 as float32
from rushlight.dtypes import float64 as float64
from rushlight.dtypes import get_default_dtype as get_default_dtype
from rushlight.dtypes import half as half
from rushlight.dtypes import iinfo as iinfo
from rushlight.dtypes import int as int
from rushlight.dtypes import int8 as int8
from rushlight.dtypes import int16 as int16
from rushlight.dtypes import int32 as int32
from rushlight.dtypes import int64 as int64
from rushlight.dtypes import long as long
from rushlight.dtypes import promote_types as promote_types
from rushlight.dtypes import set_default_dtype as set_default_dtype
from rushlight.dtypes import short as short
from rushlight.dtypes import uint8 as uint8
from rushlight.dtypes import uint16 as uint16
from rushlight.dtypes import uint32 as uint32
from rushlight.dtypes import uint64 as uint64
from rushlight.errors import LinAlgError as LinAlgError
from rushlight.errors import OutOfMemoryError as OutOfMemoryError
from rushlight.layout import channels_last as channels_last
from rushlight.layout import channels_last_3d as channels_last_3d
from rushlight.layout import contiguous_format as contiguous_format
from rushlight.layout import memory_format as memory_format
from rushlight.layout import preserve_format as preserve_format
from rushlight.layout import sparse_coo as sparse_coo
from rushlight.layout import sparse_csr as sparse_csr
from rushlight.layout import strided as strided
from rushlight.size import Size as Size
from rushlight.storage import TypedStorage as TypedStorage
from rushlight.storage import UntypedStorage as UntypedStorage
from rushlight.tensor import Tensor as Tensor
from rushlight.tensor import is_tensor as is_tensor
from rushlight._C import DeviceObjType as DeviceObjType
from rushlight.futures import Future as Future
from rushlight.random import Generator as Generator
from rushlight.amp import GradScaler as GradScaler
from rushlight._C import JitType as JitType
from rushlight._C import ListType as ListType
from rushlight.serialization.zipfiles import PyTorchFileReader as PyTorchFileReader
from rushlight.serialization.zipfiles import PyTorchFileWriter as PyTorchFileWriter
from rushlight.jit import ScriptFunction as ScriptFunction
from rushlight.jit import ScriptModule as ScriptModule
from rushlight._C import StorageBase as StorageBase
from rushlight._ops import Tag as Tag
from rushlight._C import TensorType as TensorType
from rushlight.amp import autocast as autocast
from rushlight.dtypes_unheld import bits16 as bits16
from rushlight.dtypes_unheld import bits1x8 as bits1x8
from rushlight.dtypes_unheld import bits2x4 as bits2x4
from rushlight.dtypes_unheld import bits4x2 as bits4x2
from rushlight.dtypes_unheld import bits8 as bits8
from rushlight.compiler import compile as compile
from rushlight.random import default_generator as default_generator
from rushlight.ao.quantization import fake_quantize_per_channel_affine as fake_quantize_per_channel_affine
from rushlight.ao.quantization import fake_quantize_per_tensor_affine as fake_quantize_per_tensor_affine
from rushlight.dtypes_unheld import float8_e8m0fnu as float8_e8m0fnu
from rushlight.interchange import from_dlpack as from_dlpack
from rushlight.storage_files import from_file as from_file
from rushlight.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from rushlight.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from rushlight.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from rushlight.config import get_deterministic_debug_mode as get_deterministic_debug_mode
from rushlight.random import get_rng_state as get_rng_state
from rushlight.random import initial_seed as initial_seed
from rushlight.autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from rushlight.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from rushlight.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from rushlight.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from rushlight.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from rushlight.once import is_warn_always_enabled as is_warn_always_enabled
from rushlight.layout import jagged as jagged
from rushlight.serialization import load as load
from rushlight.random import manual_seed as manual_seed
from rushlight.ops.nn.native_norm import native_batch_norm as native_batch_norm
from rushlight.ops.nn.native_norm import native_group_norm as native_group_norm
from rushlight.ops.nn.native_norm import native_layer_norm as native_layer_norm
from rushlight.dtypes_unheld import qint32 as qint32
from rushlight.dtypes_unheld import qint8 as qint8
from rushlight.ao.quantization import quantize_per_channel as quantize_per_channel
from rushlight.ao.quantization import quantize_per_tensor as quantize_per_tensor
from rushlight.ao.quantization import quantize_per_tensor_dynamic as quantize_per_tensor_dynamic
from rushlight.dtypes_unheld import quint2x4 as quint2x4
from rushlight.dtypes_unheld import quint4x2 as quint4x2
from rushlight.dtypes_unheld import quint8 as quint8
from rushlight.serialization import save as save
from rushlight.random import seed as seed
from rushlight.config import set_deterministic_debug_mode as set_deterministic_debug_mode
from rushlight.printing import set_printoptions as set_printoptions
from rushlight.random import set_rng_state as set_rng_state
from rushlight.once import set_warn_always as set_warn_always
from rushlight.layout import sparse_bsc as sparse_bsc
from rushlight.layout import sparse_bsr as sparse_bsr
from rushlight.layout import sparse_csc as sparse_csc
from rushlight.interchange import to_dlpack as to_dlpack
from rushlight.func import vmap as vmap
from rushlight import accelerator as accelerator
from rushlight import amp as amp
from rushlight import ao as ao
from rushlight import autograd as autograd
from rushlight import backends as backends
from rushlight import compiler as compiler
from rushlight import config as config
from rushlight import cpu as cpu
from rushlight import cuda as cuda
from rushlight import distributed as distributed
from rushlight import distributions as distributions
from rushlight import dropin as dropin
from rushlight import explain as explain
from rushlight import fft as fft
from rushlight import func as func
from rushlight import functional as functional
from rushlight import futures as futures
from rushlight import fx as fx
from rushlight import hub as hub
from rushlight import jit as jit
from rushlight import library as library
from rushlight import linalg as linalg
from rushlight import masked as masked
from rushlight import mps as mps
from rushlight import mtia as mtia
from rushlight import multiprocessing as multiprocessing
from rushlight import nested as nested
from rushlight import nn as nn
from rushlight import onnx as onnx
from rushlight import optim as optim
from rushlight import overrides as overrides
from rushlight import package as package
from rushlight import profiler as profiler
from rushlight import quantization as quantization
from rushlight import quasirandom as quasirandom
from rushlight import random as random
from rushlight import return_types as return_types
from rushlight import serialization as serialization
from rushlight import signal as signal
from rushlight import sparse as sparse
from rushlight import special as special
from rushlight import storage as storage
from rushlight import testing as testing
from rushlight import torch_version as torch_version
from rushlight import types as types
from rushlight import utils as utils
from rushlight import vision as vision
from rushlight import xpu as xpu
from rushlight.show import show as show
from rushlight.tensor import Parameter as _Parameter
from rushlight._stub_types import (
    Device as Device,
    Dims as Dims,
    Number as Number,
    _device as _device,
    _dtype as _dtype,
    _layout as _layout,
    _bool as _bool,
    _bytes as _bytes,
    _complex as _complex,
    _float as _float,
    _int as _int,
    _str as _str,
)

__version__: _str
e: _float
inf: _float
nan: _float
pi: _float
newaxis: None
BFloat16Tensor: builtins.type[Tensor]
BoolTensor: builtins.type[Tensor]
ByteTensor: builtins.type[Tensor]
CharTensor: builtins.type[Tensor]
DoubleTensor: builtins.type[Tensor]
FloatTensor: builtins.type[Tensor]
HalfTensor: builtins.type[Tensor]
IntTensor: builtins.type[Tensor]
LongTensor: builtins.type[Tensor]
ShortTensor: builtins.type[Tensor]

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The magnitude |x|; real for complex x."""
def abs_(input: Tensor) -> Tensor:
    """In place: the magnitude |x|; real for complex x."""
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The magnitude |x|; real for complex x."""
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine, radians."""
def acos_(input: Tensor) -> Tensor:
    """In place: inverse cosine, radians."""
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine."""
def acosh_(input: Tensor) -> Tensor:
    """In place: inverse hyperbolic cosine."""
def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Means over the last 1 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, L), or without N.
        output_size: one number, or one a dimension; None keeps a size.
    """
def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
    """Adaptive maxima and their indices: `torch.adaptive_max_pool1d` returns both."""
def add(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """input + alpha * other, with broadcasting and type promotion.

    >>> import rushlight as torch
    >>> torch.add(torch.tensor([1, 2]), 10)
    tensor([11, 12])
    """
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (the sum of batch1[i] @ batch2[i])."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1, out: Tensor | None = None) -> Tensor:
    """input + value * tensor1 / tensor2."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1, out: Tensor | None = None) -> Tensor:
    """input + value * tensor1 * tensor2."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """In place: beta * input + alpha * (mat @ vec)."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2)."""
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions: y[..., i, j] = conj(x[..., j, i]).

    `input` (*, m, n), the result (*, n, m), a view.

    >>> x = torch.tensor([[1.0 + 1.0j, 2.0]])
    >>> torch.adjoint(x)
    tensor([[1.-1.j],
            [2.-0.j]])
    """
def affine_grid_generator(theta: Tensor, size: _int | Sequence[_int], align_corners: Any) -> Tensor:
    """A grid for `grid_sample`: the points of an image of `size` (N, C, *S), moved by theta."""
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy, with memory of its own.

    >>> x = torch.tensor([1, 2])
    >>> torch.alias_copy(x)
    tensor([1, 2])
    """
def all(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether every element is non-zero."""
def allclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
    """Whether all elements are close: |input - other| <= atol + rtol * |other|."""
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.alpha_dropout`."""
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.alpha_dropout` in place."""
def amax(input: Tensor, dim: Dims = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The largest value over `dim`; gradients are shared equally among ties."""
def amin(input: Tensor, dim: Dims = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The smallest value over `dim`; gradients are shared equally among ties."""
def aminmax(input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.aminmax:
    """(smallest, largest) of all elements or along `dim`."""
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The argument of each number: atan2(imag, real); 0 or pi for real ones."""
def any(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether some element is non-zero."""
@overload
def arange(end: Number, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def arange(start: Number, end: Number, step: Number = 1, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The numbers start, start + step, ... before `end`, in a vector.

    `arange(end)`, `arange(start, end)`, `arange(start, end, step)`; there are
    ceil((end - start) / step). int64 when all three are integers, else the default float type. With
    fractions as steps rounding may add or lose the last one: `linspace` gives a known number.
    RuntimeError if `step` is 0 or leads away from `end`.

    >>> torch.arange(5)
    tensor([0, 1, 2, 3, 4])
    >>> torch.arange(1.0, 2.5, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    >>> torch.arange(5, 0, -2)
    tensor([5, 3, 1])
    """
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine, radians."""
def arccos_(input: Tensor) -> Tensor:
    """In place: inverse cosine, radians."""
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine."""
def arccosh_(input: Tensor) -> Tensor:
    """In place: inverse hyperbolic cosine."""
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine, radians."""
def arcsin_(input: Tensor) -> Tensor:
    """In place: inverse sine, radians."""
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine."""
def arcsinh_(input: Tensor) -> Tensor:
    """In place: inverse hyperbolic sine."""
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent, radians."""
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point (b, a): atan(a / b) in the right quadrant."""
def arctan_(input: Tensor) -> Tensor:
    """In place: inverse tangent, radians."""
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent."""
def arctanh_(input: Tensor) -> Tensor:
    """In place: inverse hyperbolic tangent."""
def argmax(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The position of the largest value, in the flattened tensor or along `dim`."""
def argmin(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The position of the smallest value, in the flattened tensor or along `dim`."""
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False, stable: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The indices that sort along dim."""
def argwhere(input: Tensor) -> Tensor:
    """The places of the elements that are not zero: int64 (n, input.dim()), one row each.

    >>> x = torch.tensor([[0, 5], [6, 0]])
    >>> torch.argwhere(x)
    tensor([[0, 1],
            [1, 0]])
    """
def as_strided(input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None) -> Tensor:
    """A view of the tensor's storage with these sizes and strides, from `storage_offset` on.

    Element (i, j) is the one at `storage_offset + i * stride[0] + j * stride[1]`; strides and
    offset count elements, not bytes. Without an offset the tensor's own is used. Elements may be
    seen more than once; gradients are then added. RuntimeError if it reaches beyond the storage.

    >>> x = torch.arange(6)
    >>> torch.as_strided(x, (4, 3), (1, 1))
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4],
            [3, 4, 5]])
    """
def as_strided_(input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None) -> Tensor:
    """In place: the tensor itself gets these sizes and strides over its storage (see `as_strided`).

    >>> torch.arange(6).as_strided_((2, 2), (1, 3))
    tensor([[0, 3],
            [1, 4]])
    """
def as_strided_copy(input: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """`as_strided` as a copy: the result has memory of its own.

    Parameters are those of `as_strided`.

    >>> torch.as_strided_copy(torch.arange(4), (2,), (3,))
    tensor([0, 3])
    """
def as_strided_scatter(input: Tensor, src: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: _int | None = None) -> Tensor:
    """A copy of `input` with `src` at the places that `as_strided` with these arguments would see.

    >>> x = torch.zeros(2, 3)
    >>> torch.as_strided_scatter(x, torch.tensor([1.0, 2.0]), (2,), (4,))
    tensor([[1., 0., 0.],
            [0., 2., 0.]])
    """
def as_tensor(data: Any, dtype: _dtype | None = None, device: Device = None) -> Tensor:
    """`data` as a tensor: itself, over an array's memory, or new, of numbers and sequences.

    Memory is shared unless another dtype or device is asked for; a tensor keeps its history.

    >>> a = np.array([1, 2])
    >>> x = torch.as_tensor(a)
    >>> x[0] = 9
    >>> a
    array([9, 2])
    """
def asarray(obj: Any, *, dtype: _dtype | None = None, device: Device = None, copy: _bool | None = None, requires_grad: _bool = False) -> Tensor:
    """`obj` as a tensor: numbers, or the memory of a tensor, an array, a capsule or a buffer.

    With `copy=True` the memory is never shared, with `copy=False` always, or ValueError is raised;
    by default where it can be. `requires_grad` makes the result a leaf that gets a gradient. A
    buffer holds numbers of `dtype`, or of the default one.

    >>> a = np.array([1.0, 2.0], dtype=np.float32)
    >>> x = torch.asarray(a, copy=True)
    >>> x[0] = 9
    >>> x, a
    (tensor([9., 2.]), array([1., 2.], dtype=float32))
    """
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine, radians."""
def asin_(input: Tensor) -> Tensor:
    """In place: inverse sine, radians."""
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine."""
def asinh_(input: Tensor) -> Tensor:
    """In place: inverse hyperbolic sine."""
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent, radians."""
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point (b, a): atan(a / b) in the right quadrant."""
def atan_(input: Tensor) -> Tensor:
    """In place: inverse tangent, radians."""
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent."""
def atanh_(input: Tensor) -> Tensor:
    """In place: inverse hyperbolic tangent."""
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Tensors as views with at least 1 dimension.

    One tensor gives a tensor; several, or a list of them, a tuple.

    >>> torch.atleast_1d(torch.tensor([1, 2])).shape
    torch.Size([2])
    """
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Tensors as views with at least 2 dimensions.

    One tensor gives a tensor; several, or a list of them, a tuple.

    >>> torch.atleast_2d(torch.tensor([1, 2])).shape
    torch.Size([1, 2])
    """
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Tensors as views with at least 3 dimensions.

    One tensor gives a tensor; several, or a list of them, a tuple.

    >>> torch.atleast_3d(torch.tensor([1, 2])).shape
    torch.Size([1, 2, 1])
    """
def avg_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window over the last 1 dimension(s).

    Args:
        input: (N, C, L), or without N.
        kernel_size, stride, padding: one number, or one a dimension; the stride is the kernel size when
            not given.
        ceil_mode: also windows that hang over the edge.
        count_include_pad: whether zeros of the padding count as elements.
        divisor_override: divide by this instead of by the number of elements (2-d and 3-d).

    Raises RuntimeError when the window does not fit.
    """
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2) for each matrix of the stacks."""
def bartlett_window(window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Bartlett window, a triangle."""
def batch_norm(input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, training: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """`nn.functional.batch_norm` in the order of `torch.batch_norm`."""
def bernoulli(input: Tensor, p: Number | _str | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """1 or 0, each with the probability in `input`; with `p`, of that probability everywhere.

    Example:
        >>> import rushlight as torch
        >>> torch.bernoulli(torch.ones(3))
        tensor([1., 1., 1.])
    """
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each of 0, 1, 2, ... occurs (or the sum of its weights)."""
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Numbers of successes among `count` trials of probability `prob`.

    Source: Hormann, The generation of binomial random variates, 1993.

    Args:
        count, prob: floating tensors of one type, broadcast together.

    Raises:
        RuntimeError: two types.

    Example:
        >>> import rushlight as torch
        >>> torch.binomial(torch.tensor([4.0, 7.0]), torch.tensor([0.0, 1.0]))
        tensor([0., 7.])
    """
def bitwise_and(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a & b."""
def bitwise_left_shift(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a << b."""
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """~x: bits inverted; logical not for bool."""
def bitwise_or(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a | b."""
def bitwise_right_shift(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a >> b."""
def bitwise_xor(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a ^ b."""
def blackman_window(window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Blackman window."""
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices along its diagonal and zeros elsewhere.

    Vectors count as rows, numbers as 1 x 1 matrices.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
    tensor([[1, 2, 0],
            [0, 0, 3],
            [0, 0, 4]])
    """
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two equally long stacks of matrices."""
def broadcast_shapes(*shapes: _int | Sequence[_int]) -> Size:
    """The shape to which tensors of these shapes broadcast.

    Shapes are compared from the last dimension on; sizes must be equal or 1. RuntimeError else.

    >>> torch.broadcast_shapes((2, 1), (3,), (1, 1, 1))
    torch.Size([1, 2, 3])
    """
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> builtins.tuple[Tensor, ...]:
    """All tensors as views of the shape that they have in common when broadcast.

    >>> a, b = torch.broadcast_tensors(torch.tensor([[1], [2]]), torch.tensor([3, 4, 5]))
    >>> a
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> b.shape
    torch.Size([2, 3])
    """
def broadcast_to(input: Tensor, size: _int | Sequence[_int]) -> Tensor:
    """A view with the shape `size`: missing leading dimensions are added, sizes of 1 are repeated.

    Nothing is copied. RuntimeError where a size is neither 1 nor the one asked for.

    >>> x = torch.tensor([1, 2, 3])
    >>> torch.broadcast_to(x, (2, 3))
    tensor([[1, 2, 3],
            [1, 2, 3]])
    """
def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: _bool = False, right: _bool = False, out: Tensor | None = None) -> Tensor:
    """The index of the bucket of each value; boundaries ascend."""
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each 1-d tensor, one a row: (n1 * n2 * ..., k).

    Of one tensor: the tensor itself.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
def cat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along `dim`.

    Their other sizes must be equal, else RuntimeError; types are promoted. An empty tensor of shape
    (0,) counts for nothing.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.cat((x, torch.tensor([[3, 4]])))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.cat((x, x), dim=1)
    tensor([[1, 2, 1, 2]])
    """
def cdist(x1: Tensor, x2: Tensor, p: _float = 2.0, compute_mode: _str | None = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The p-norm distances between each row of x1 (..., P, M) and each of x2 (..., R, M): (..., P,
    R).

    >>> import rushlight as torch
    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer not below x."""
def ceil_(input: Tensor) -> Tensor:
    """In place: the smallest integer not below x."""
def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). Barron, 2017, arXiv:1704.07483."""
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In place: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). Barron, 2017, arXiv:1704.07483."""
def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order (an older name of
    linalg.multi_dot).
    """
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    Zhang et al., ShuffleNet, 2018.
    """
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The Cholesky factor; the older name of linalg.cholesky."""
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A from its Cholesky factor L, which is `input`."""
def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = input, from the Cholesky factor L of A, which is `input2`."""
def chunk(input: Tensor, chunks: _int, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """At most `chunks` views of equal size along `dim`, as a tuple; the last may be smaller.

    Each has ceil(n / chunks) positions, so there may be fewer than `chunks`; `tensor_split` gives
    exactly as many as asked for.

    >>> x = torch.arange(5)
    >>> torch.chunk(x, 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    >>> len(torch.chunk(x, 4))
    3
    """
def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Values below `min` become min, values above `max` become max (numbers or tensors).

    >>> import rushlight as torch
    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
def clamp_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`clamp` in place."""
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Values above `max` become max."""
def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """`clamp_max` in place."""
def clamp_min(input: Tensor, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Values below `min` become min."""
def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """`clamp_min` in place."""
def clip(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Values below `min` become min, values above `max` become max (numbers or tensors).

    >>> import rushlight as torch
    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
def clip_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`clamp` in place."""
def clone(input: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """A copy of the tensor, part of the graph: gradients flow through it to the tensor.

    `memory_format`: how the copy lies in memory; by default as the tensor does if that has no gaps.
    For a copy without history: `x.detach().clone()`.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = torch.clone(x)
    >>> y.sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side, along the second dimension; vectors are columns.

    >>> torch.column_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
    """
def combinations(input: Tensor, r: _int = 2, with_replacement: _bool = False) -> Tensor:
    """All combinations of `r` elements of a 1-d tensor, one a row, as `itertools.combinations`.

    With `with_replacement=True` an element may stand more than once in a row.

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    >>> torch.combinations(torch.tensor([1, 2]), with_replacement=True)
    tensor([[1, 1],
            [1, 2],
            [2, 2]])
    """
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """real + i imag, from two tensors of one float type."""
def concat(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along `dim`.

    Their other sizes must be equal, else RuntimeError; types are promoted. An empty tensor of shape
    (0,) counts for nothing.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.cat((x, torch.tensor([[3, 4]])))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.cat((x, x), dim=1)
    tensor([[1, 2, 1, 2]])
    """
def concatenate(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along `dim`.

    Their other sizes must be equal, else RuntimeError; types are promoted. An empty tensor of shape
    (0,) counts for nothing.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.cat((x, torch.tensor([[3, 4]])))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.cat((x, x), dim=1)
    tensor([[1, 2, 1, 2]])
    """
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, a view: what is written to it arrives conjugated in `input`. A real
    tensor is returned as it is.

    >>> import rushlight as torch
    >>> x = torch.tensor([1 + 2j])
    >>> x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
    (True, True)
    """
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate."""
def conj_physical_(input: Tensor) -> Tensor:
    """In place: the complex conjugate."""
def constant_pad_nd(input: Tensor, pad: _int | Sequence[_int], value: Tensor | Number = 0) -> Tensor:
    """`input` in a frame of `value`; `pad` holds (left, right) from the last dimension on."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) `input` with `weight` in 1 dimension(s).

    y[n, o] = bias[o] + sum over c of weight[o, c] * input[n, c]

    Args:
        input: (N, C, L), or (C, L) without a batch.
        weight: (O, C / groups, k).
        bias: (O,) or None.
        stride, padding, dilation: one number, or one a dimension; padding also "valid" or "same"
            (as many outputs as inputs; stride 1 only).
        groups: channels are split in so many groups that do not see each other.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> import rushlight as torch
    >>> x, w = torch.ones(2, 3, 5), torch.ones(4, 3, 3)
    >>> tuple(torch.nn.functional.conv1d(x, w, padding=1).shape)
    (2, 4, 5)
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) `input` with `weight` in 2 dimension(s).

    y[n, o] = bias[o] + sum over c of weight[o, c] * input[n, c]

    Args:
        input: (N, C, H, W), or (C, H, W) without a batch.
        weight: (O, C / groups, kh, kw).
        bias: (O,) or None.
        stride, padding, dilation: one number, or one a dimension; padding also "valid" or "same"
            (as many outputs as inputs; stride 1 only).
        groups: channels are split in so many groups that do not see each other.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> import rushlight as torch
    >>> x, w = torch.ones(2, 3, 5, 5), torch.ones(4, 3, 3, 3)
    >>> tuple(torch.nn.functional.conv2d(x, w, padding=1).shape)
    (2, 4, 5, 5)
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) `input` with `weight` in 3 dimension(s).

    y[n, o] = bias[o] + sum over c of weight[o, c] * input[n, c]

    Args:
        input: (N, C, D, H, W), or (C, D, H, W) without a batch.
        weight: (O, C / groups, kd, kh, kw).
        bias: (O,) or None.
        stride, padding, dilation: one number, or one a dimension; padding also "valid" or "same"
            (as many outputs as inputs; stride 1 only).
        groups: channels are split in so many groups that do not see each other.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> import rushlight as torch
    >>> x, w = torch.ones(2, 3, 5, 5, 5), torch.ones(4, 3, 3, 3, 3)
    >>> tuple(torch.nn.functional.conv3d(x, w, padding=1).shape)
    (2, 4, 5, 5, 5)
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """1-d convolution of input (T, B, C) with weight (k, C, O): (T', B, O)."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 1 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, L), or (C, L) without a batch.
        weight: (C, O / groups, k).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 2 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, H, W), or (C, H, W) without a batch.
        weight: (C, O / groups, kh, kw).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 3 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, D, H, W), or (C, D, H, W) without a batch.
        weight: (C, O / groups, kd, kh, kw).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.
    """
def convolution(input: Tensor, weight: Tensor, bias: Tensor, stride: _int | Sequence[_int], padding: _int | Sequence[_int], dilation: _int | Sequence[_int], transposed: _bool = False, output_padding: _int | Sequence[_int] = ..., groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) input (N, C, *S) with weight, or apply the transpose of that.

    The weight is (O, C / groups, *K), or (C, O / groups, *K) when `transposed`.
    """
def copysign(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of a with the sign of b."""
def corrcoef(input: Tensor) -> Tensor:
    """The correlation matrix of variables (rows)."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cosine of radians."""
def cos_(input: Tensor) -> Tensor:
    """In place: cosine of radians."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine."""
def cosh_(input: Tensor) -> Tensor:
    """In place: hyperbolic cosine."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`.

    >>> import rushlight as torch
    >>> torch.cosine_similarity(torch.tensor([[1., 0.]]), torch.tensor([[2., 0.]]))
    tensor([1.])
    """
def count_nonzero(input: Tensor, dim: Dims | None = None) -> Tensor:
    """How many elements are not zero."""
def cov(input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns)."""
def cross(input: Tensor, other: Tensor | Number, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The vector product along dim (by default the first dim of size 3)."""
def cummax(input: Tensor, dim: _int, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.cummax:
    """(running largest values, their last positions) along `dim`."""
def cummin(input: Tensor, dim: _int, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.cummin:
    """(running smallest values, their last positions) along `dim`."""
def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Running products along `dim`."""
def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Running sums along `dim`. Integers are summed in int64."""
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: _int = -1) -> Tensor:
    """Running integrals of samples by the trapezoidal rule."""
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians."""
def deg2rad_(input: Tensor) -> Tensor:
    """In place: degrees as radians."""
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices.

    >>> import rushlight as torch
    >>> torch.linalg.det(torch.eye(3) * 2)
    tensor(8.)
    """
def detach(input: Tensor) -> Tensor:
    """`Tensor.detach` as a function."""
def detach_(input: Tensor) -> Tensor:
    """`Tensor.detach_` as a function."""
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`detach` as a copy: the result has memory of its own.

    Parameters are those of `detach`.

    >>> torch.detach_copy(torch.ones(2, requires_grad=True))
    tensor([1., 1.])
    """
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """A vector as the diagonal of a square matrix, or the diagonal of a matrix as a vector."""
def diag_embed(input: Tensor, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Matrices of zeros that have the last dimension of `input` on a diagonal.

    `input` (*, n), the result (*, k, k) with k = n + |offset|. A positive `offset` is above the
    main diagonal; `dim1` and `dim2` say where the matrices' dimensions stand.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.diag_embed(x)
    tensor([[[1, 0],
             [0, 2]],
    <BLANKLINE>
            [[3, 0],
             [0, 4]]])
    >>> torch.diag_embed(x, offset=1).shape
    torch.Size([2, 3, 3])
    """
def diagflat(input: Tensor, offset: _int = 0) -> Tensor:
    """A square matrix with all elements of `input` on a diagonal (`offset` above the main one).

    >>> torch.diagflat(torch.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
def diagonal(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """A view of a diagonal of two dimensions: elements (i, i + offset), as the last dimension.

    `input` (*, m, n) gives (*, min(m, n)) for `offset=0`. Positive offsets are above the main
    diagonal. By default the first two dimensions are meant: `dim1=0`, `dim2=1`
    (`torch.linalg.diagonal`: the last two).

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> torch.diagonal(x)
    tensor([1, 5])
    >>> torch.diagonal(x, 1)
    tensor([2, 6])
    """
def diagonal_copy(input: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1, *, out: Tensor | None = None) -> Tensor:
    """`diagonal` as a copy: the result has memory of its own.

    Parameters are those of `diagonal`.

    >>> torch.diagonal_copy(torch.eye(2))
    tensor([1., 1.])
    """
def diagonal_scatter(input: Tensor, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _int = 1) -> Tensor:
    """A copy of `input` with `src` on a diagonal; parameters as of `diagonal`.

    >>> x = torch.zeros(2, 2)
    >>> torch.diagonal_scatter(x, torch.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
def diff(input: Tensor, n: _int = 1, dim: _int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """The n-th difference of neighbours along `dim`."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma."""
def dist(input: Tensor, other: Tensor | Number, p: _float = 2) -> Tensor:
    """The p-norm of input - other."""
def div(input: Tensor, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """input / other; rounding_mode 'floor' or 'trunc' rounds the quotient."""
def divide(input: Tensor, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """input / other; rounding_mode 'floor' or 'trunc' rounds the quotient."""
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of products of two vectors (no conjugation)."""
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.dropout`."""
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.dropout` in place."""
def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The matrix product, of which an operand may be sparse."""
def dsplit(input: Tensor, indices_or_sections: Tensor | _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
    """Views along dimension 2: in n equal parts, or cut before each given index.

    `tensor_split` of tensors with at least 3 dimensions, but n must
    divide the size.

    >>> x = torch.zeros(4, 4, 4)
    >>> [part.shape for part in torch.dsplit(x, 2)]
    [torch.Size([4, 4, 2]), torch.Size([4, 4, 2])]
    """
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors behind one another, along the third dimension; (n,) counts as (1, n, 1), (m, n) as
    (m, n, 1).

    >>> torch.dstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[[1, 3],
             [2, 4]]])
    """
def eig(self: Tensor, eigenvectors: _bool = False, *, e: Any = None, v: Any = None) -> Any:
    """Removed from PyTorch: call torch.linalg.eig."""
def einsum(equation: _str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Sums of products by Einstein's convention: einsum("ij,jk->ik", a, b).

    The equation names the dims of each operand and of the result; `...` stands for any dims, a
    letter twice in one operand for a diagonal, and without `->` the result has the letters that
    occur once, in alphabetical order. Also: einsum(a, [0, 1], b, [1, 2], [0, 2]).

    >>> import rushlight as torch
    >>> a, b = torch.ones(2, 3), torch.ones(3, 4)
    >>> torch.einsum("ij,jk->ik", a, b).shape
    torch.Size([2, 4])
    """
def embedding(weight: Tensor, indices: Any, padding_idx: _int = -1, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """Rows of a table: `nn.functional.embedding` with the table first."""
@overload
def empty(size: Sequence[_int], *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def empty(*size: _int, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor whose values are whatever the memory held: for what is written at once.

    Sizes and `dtype` as of `zeros`. `memory_format=torch.channels_last` (4-d) makes the channels
    the innermost dimension in memory. With `torch.use_deterministic_algorithms(True)` it is filled:
    NaN in floating types, the largest value in the others.

    >>> x = torch.empty(2, 3)
    >>> x.shape, x.dtype
    (torch.Size([2, 3]), torch.float32)
    """
def empty_like(input: Tensor, *, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Values that are whatever the memory held, in the shape, dtype and device of `input`.

    `dtype`, `device` and `memory_format` replace those of `input`. Strides are the input's where
    it has no gaps.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.empty_like(x).shape
    torch.Size([2, 2])
    """
def empty_permuted(size: _int | Sequence[_int], physical_layout: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor without gaps whose dimensions lie in memory in the order `physical_layout`,
    outermost first; its values are what the memory held.

    >>> x = torch.empty_permuted((2, 3, 4, 5), (0, 2, 3, 1))  # channels last
    >>> x.stride()
    (60, 1, 15, 3)
    """
def empty_strided(size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of these sizes and strides (in elements), whose values are what the memory held.

    >>> x = torch.empty_strided((2, 3), (1, 2))
    >>> x.shape, x.stride()
    (torch.Size([2, 3]), (1, 2))
    """
def eq(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a equals b."""
def equal(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether both have one shape and equal elements."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
def erf_(input: Tensor) -> Tensor:
    """In place: the error function: 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 - erf(x), accurate where erf(x) is near 1."""
def erfc_(input: Tensor) -> Tensor:
    """In place: 1 - erf(x), accurate where erf(x) is near 1."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of erf on (-1, 1); infinite at the ends, NaN outside."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the x."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the x."""
def exp2_(input: Tensor) -> Tensor:
    """In place: 2 to the x."""
def exp_(input: Tensor) -> Tensor:
    """In place: e to the x."""
def expand_copy(input: Tensor, size: _int | Sequence[_int], *, implicit: _bool = False, out: Tensor | None = None) -> Tensor:
    """`expand` as a copy: the result has memory of its own.

    Parameters are those of `expand`.

    >>> torch.expand_copy(torch.tensor([1, 2]), (2, 2)).stride()
    (2, 1)
    """
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) - 1."""
def expm1_(input: Tensor) -> Tensor:
    """In place: exp(x) - 1."""
def eye(n: _int, m: _int | None = None, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The identity matrix (n, n); with `m` a matrix (n, m) with ones on the diagonal.

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    >>> torch.eye(2, 3, dtype=torch.int64)
    tensor([[1, 0, 0],
            [0, 1, 0]])
    """
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout`."""
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout` in place."""
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Dropout of whole channels."""
def fill(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor of the input's shape and dtype filled with `value`.

    >>> x = torch.zeros(2)
    >>> torch.fill(x, 2.5)
    tensor([2.5000, 2.5000])
    """
def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """`Tensor.fill_` as a function."""
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x without its fraction."""
def fix_(input: Tensor) -> Tensor:
    """In place: x without its fraction."""
def flatten(input: Tensor, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` as one; all of them by default.

    A view where the strides allow it, else a copy. `flatten(x, 1)` keeps the batch dimension:
    (n, c, h, w) becomes (n, c * h * w). A tensor without dimensions becomes (1,).

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.flatten(x).shape
    torch.Size([24])
    >>> torch.flatten(x, 1).shape
    torch.Size([2, 12])
    """
def flip(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """A copy with the order along the dimensions `dims` reversed (a copy, where NumPy gives a
    view).

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.flip(x, (0,))
    tensor([[3, 4],
            [1, 2]])
    >>> torch.flip(x, (0, 1))
    tensor([[4, 3],
            [2, 1]])
    """
def fliplr(input: Tensor) -> Tensor:
    """A copy with the columns in reverse order: `flip` along the second dimension.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.fliplr(x)
    tensor([[2, 1],
            [4, 3]])
    """
def flipud(input: Tensor) -> Tensor:
    """A copy with the rows in reverse order: `flip` along the first dimension.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.flipud(x)
    tensor([[3, 4],
            [1, 2]])
    """
def float_power(input: Tensor, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input^exponent in float64 (complex128 for complex numbers)."""
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer not above x."""
def floor_(input: Tensor) -> Tensor:
    """In place: the largest integer not above x."""
def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The largest integer not above a / b."""
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of a and b; NaN only if both are."""
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of a and b; NaN only if both are."""
def fmod(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a - b * trunc(a / b): the sign of a."""
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x - trunc(x)."""
def frac_(input: Tensor) -> Tensor:
    """In place: x - trunc(x)."""
def frexp(input: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.frexp:
    """(mantissa in [0.5, 1), exponent) with x = mantissa * 2^exponent; for floating tensors."""
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor over the same memory as a NumPy array: who writes into one changes the other.

    TypeError for types that no tensor has (strings, objects, another byte order), ValueError for
    negative strides; an array that is not writeable gives a warning, and writing into the tensor
    raises.

    >>> a = np.arange(3)
    >>> x = torch.from_numpy(a)
    >>> a[0] = 5
    >>> x
    tensor([5, 1, 2])
    """
def frombuffer(buffer: Any, *, dtype: _dtype, count: _int = -1, offset: _int = 0, requires_grad: _bool = False) -> Tensor:
    """A 1-d tensor over the memory of an object with Python's buffer protocol (bytes, bytearray,
    mmap).

    `count` numbers of `dtype` (all by default), beginning `offset` bytes after the start.
    ValueError if they do not fit.

    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)
    tensor([1, 2], dtype=torch.int16)
    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.uint8, count=2, offset=1)
    tensor([0, 2], dtype=torch.uint8)
    """
def full(size: _int | Sequence[_int], fill_value: Number, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of shape `size` filled with one value.

    The dtype follows the value unless given: bool, int64, the default float or complex type.

    >>> torch.full((2, 2), 1.5)
    tensor([[1.5000, 1.5000],
            [1.5000, 1.5000]])
    >>> torch.full((2,), 7)
    tensor([7, 7])
    """
def full_like(input: Tensor, fill_value: Number, *, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor filled with `fill_value`, in the shape, dtype and device of `input`.

    `dtype`, `device` and `memory_format` replace those of `input`. Strides are the input's where it
    has no gaps.

    >>> x = torch.zeros(2)
    >>> torch.full_like(x, 3)
    tensor([3., 3.])
    >>> torch.full_like(x, 3, dtype=torch.int64)
    tensor([3, 3])
    """
def gather(input: Tensor, dim: _int, index: Tensor, *, sparse_grad: _bool = False, out: Tensor | None = None) -> Tensor:
    """Elements of `input` picked along `dim`, one for each element of `index`.

    For dim=1 and two dimensions y[i, j] = input[i, index[i, j]]. `index` is int64 (or int32), with
    as many dimensions as `input` and nowhere longer, but along `dim`; y has its shape. RuntimeError
    for indices out of range; negative ones are. `sparse_grad` makes the gradient sparse.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.gather(x, 1, torch.tensor([[0], [1]]))
    tensor([[1],
            [4]])
    """
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Greatest common divisor."""
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """In place: greatest common divisor."""
def ge(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a >= b."""
def geqrf(input: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.geqrf:
    """LAPACK's compact QR: reflections below the diagonal, and their factors tau."""
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of an element of the first vector with one of the second."""
def get_device(input: Tensor, *, out: Tensor | None = None) -> _int:
    """-1: the number of a GPU there, none here."""
def gradient(input: Tensor, *, spacing: Any = None, dim: Dims | None = None, edge_order: _int = 1) -> builtins.tuple[Tensor, ...]:
    """Estimated derivatives along each of `dim`: central differences, one-sided at the edges."""
def greater(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a > b."""
def greater_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a >= b."""
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """`nn.functional.grid_sample` with its modes as numbers, in the order of its documentation."""
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """`nn.functional.grid_sample` with its modes as numbers, in the order of its documentation."""
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """`nn.functional.grid_sample` with its modes as numbers, in the order of its documentation."""
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05, cudnn_enabled: _bool = True) -> Tensor:
    """`nn.functional.group_norm` in the order of `torch.group_norm`."""
def gru(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Gated recurrent unit: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.
    """
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """h' of a gated recurrent unit after one input (B, X)."""
def gt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a > b."""
def hamming_window(window_length: _int, periodic: _bool = True, alpha: _float = 0.54, beta: _float = 0.46, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Hamming window: alpha - beta cos(2 pi k/n)."""
def hann_window(window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Hann window: (1 - cos(2 pi k/n))/2."""
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """x where |x| > lambd, else 0; of narrow types lambd is rounded as the elements are."""
def hash_tensor(input: Tensor, dim: Dims = ..., *, keepdim: _bool = False, mode: _int = 0, out: Tensor | None = None) -> Tensor:
    """A number that tells tensors apart: the exclusive or of the bits of all elements, or over
    `dim`, after each was made a 64-bit number.

    >>> import rushlight as torch
    >>> torch.hash_tensor(torch.tensor([1, 2, 4]))
    tensor(7, dtype=torch.uint64)
    """
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 for negative x, 1 for positive x, `values` where x is 0."""
def histc(input: Tensor, bins: _int = 100, min: _float = 0, max: _float = 0, *, out: Tensor | None = None) -> Tensor:
    """The counts in equal bins between min and max (of the data, when both are 0)."""
def histogram(input: Tensor, bins: _int = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.histogram:
    """(hist, bin_edges): counts (or sums of weights) in bins given by number or by edges."""
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> return_types.histogramdd:
    """(hist, bin_edges) of points with several coordinates, the last dim of input.

    bins: one number, a number for each coordinate, or a list of tensors of edges.
    """
def hsplit(input: Tensor, indices_or_sections: Tensor | _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
    """Views along dimension 1, of vectors along dimension 0: in n equal parts, or cut before each given index.

    `tensor_split` of tensors with at least 1 dimension, but n must
    divide the size.

    >>> x = torch.zeros(4, 4, 4)
    >>> [part.shape for part in torch.hsplit(x, 2)]
    [torch.Size([4, 2, 4]), torch.Size([4, 2, 4])]
    """
def hspmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A product with a sparse matrix (`rushlight/sparse`)."""
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along the second dimension, vectors along the first.

    >>> torch.hstack((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
    >>> torch.hstack((torch.tensor([[1], [2]]), torch.tensor([[3], [4]])))
    tensor([[1, 3],
            [2, 4]])
    """
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hypotenuse sqrt(a^2 + b^2), without overflow."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0."""
def i0_(input: Tensor) -> Tensor:
    """In place: the modified Bessel function of the first kind, order 0."""
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function P(a, x)."""
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
def imag(input: Tensor) -> Tensor:
    """The imaginary part, a view; not for real tensors."""
def index_add(input: Tensor, dim: Dims, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """A copy with the slices of `source`, times `alpha`, added at positions along `dim`.

    For dim=0 y[index[i]] += alpha * source[i]; a position may be named more than once. `source`
    has the input's dtype and, but for `dim`, its sizes.

    >>> x = torch.zeros(3)
    >>> torch.index_add(x, 0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([1., 0., 5.])
    """
def index_copy(input: Tensor, dim: Dims, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy with the slices of `source` at the positions in the vector `index` along `dim`.

    For dim=0 y[index[i]] = source[i].

    >>> x = torch.zeros(3)
    >>> torch.index_copy(x, 0, torch.tensor([2, 0]), torch.tensor([1.0, 2.0]))
    tensor([2., 0., 1.])
    """
def index_fill(input: Tensor, dim: _int, index: Tensor, value: Tensor | Number) -> Tensor:
    """A copy with one number in the slices along `dim` at the positions in the vector `index`.

    `value` is a number or a 0-d tensor.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.index_fill(x, 1, torch.tensor([0]), 9)
    tensor([[9, 2],
            [9, 4]])
    """
def index_put(input: Tensor, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
    """A copy with `values` at the places that a tuple of index tensors names, as `x[indices] =
    values`.

    `values` broadcast to the shape of the indices and have the input's dtype. `accumulate`: they
    are added to what is there, for a place that is named twice both of them.

    >>> x = torch.zeros(2, 2)
    >>> torch.index_put(x, (torch.tensor([0, 1]), torch.tensor([1, 0])), torch.tensor([5.0, 6.0]))
    tensor([[0., 5.],
            [6., 0.]])
    """
def index_put_(input: Tensor, indices: Any, values: Tensor | Number, accumulate: _bool = False) -> Tensor:
    """Writes `values` at the places that a tuple of index tensors names, in place: `x[indices] =
    values`.

    `accumulate`: they are added to what is there, for a place that is named twice both of them.

    >>> x = torch.zeros(3)
    >>> x.index_put_((torch.tensor([1, 1]),), torch.tensor([5.0, 6.0]), accumulate=True)
    tensor([ 0., 11.,  0.])
    """
def index_reduce(input: Tensor, dim: Dims, index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """A copy into which slices of `source` are reduced at positions along `dim`.

    `reduce` is "prod", "mean", "amax" or "amin". With `include_self=False` the old values do not
    count at positions that `index` names.

    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> torch.index_reduce(x, 0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "prod")
    tensor([20.,  2.,  3.])
    """
def index_select(input: Tensor, dim: _int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices along `dim` at the positions in the vector `index`, as a new tensor.

    y[i] = input[index[i]] for dim=0. IndexError beyond the end; negative positions are not taken.

    >>> x = torch.tensor([[1, 2], [3, 4], [5, 6]])
    >>> torch.index_select(x, 0, torch.tensor([2, 0]))
    tensor([[5, 6],
            [1, 2]])
    """
def inner(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Sums of products over the last dim of both; a plain product when one is a number."""
def instance_norm(input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, use_input_stats: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """`nn.functional.instance_norm` in the order of `torch.instance_norm`."""
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices (linalg.inv)."""
def is_complex(input: Tensor) -> _bool:
    """Whether the dtype is a complex type."""
def is_conj(input: Tensor) -> _bool:
    """Whether the tensor is a view of its memory's conjugates."""
def is_distributed(input: Tensor) -> _bool:
    """False."""
def is_floating_point(input: Tensor) -> _bool:
    """Whether the dtype is a floating type."""
def is_inference(input: Tensor) -> _bool:
    """Whether the tensor was made inside inference_mode."""
def is_neg(input: Tensor) -> _bool:
    """Whether the tensor is a view of its memory's negatives."""
def is_nonzero(input: Tensor) -> _bool:
    """Whether the only element is not zero."""
def is_same_size(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether both have one shape."""
def is_signed(input: Tensor) -> _bool:
    """Whether the dtype has negative values."""
def is_storage(obj: Any) -> _bool:
    """Whether `obj` is the storage of a tensor."""
def isclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
    """Whether |input - other| <= atol + rtol * |other|, element by element."""
def isfinite(input: Tensor) -> Tensor:
    """True where x is neither infinite nor NaN."""
def isin(elements: Tensor | Number, test_elements: Tensor | Number, *, assume_unique: _bool = False, invert: _bool = False, out: Tensor | None = None) -> Tensor:
    """Whether each element is among the test elements."""
def isinf(input: Tensor) -> Tensor:
    """True where x is plus or minus infinity."""
def isnan(input: Tensor) -> Tensor:
    """True where x is NaN."""
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where x is -inf."""
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where x is +inf."""
def isreal(input: Tensor) -> Tensor:
    """True where the imaginary part is 0."""
def istft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
    """The least-squares inverse of stft: overlapped pieces, divided by the overlapped squared
    window.
    """
def kaiser_window(window_length: _int, periodic: _bool = True, beta: _float = 12.0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Kaiser window: i0(beta sqrt(1 - (2k/n - 1)^2)) / i0(beta)."""
def kron(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: every element of input times the whole of other."""
def kthvalue(input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.kthvalue:
    """(value, index) of the k-th smallest element along dim, k from 1."""
def layer_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05, cudnn_enable: _bool = True) -> Tensor:
    """`nn.functional.layer_norm` in the order of `torch.layer_norm`."""
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Least common multiple."""
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """In place: least common multiple."""
def ldexp(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input * 2^other."""
def ldexp_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`ldexp` in place."""
def le(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a <= b."""
def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input + weight * (end - input)."""
def less(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a < b."""
def less_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a <= b."""
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log |gamma(x)|."""
def linspace(start: Tensor | Number, end: Tensor | Number, steps: _int, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances.

    y[i] = start + i * (end - start) / (steps - 1). The ends may be tensors without dimensions. Of
    the default float type unless `dtype` is given (complex if an end is).

    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    >>> torch.linspace(0, 10, steps=3, dtype=torch.int64)
    tensor([ 0,  5, 10])
    """
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm."""
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 10."""
def log10_(input: Tensor) -> Tensor:
    """In place: logarithm to base 10."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + x)."""
def log1p_(input: Tensor) -> Tensor:
    """In place: log(1 + x)."""
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm to base 2."""
def log2_(input: Tensor) -> Tensor:
    """In place: logarithm to base 2."""
def log_(input: Tensor) -> Tensor:
    """In place: natural logarithm."""
def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(softmax(x)) along `dim`, without overflow."""
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(exp(a) + exp(b))."""
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log2(2^a + 2^b)."""
def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor:
    """log of running sums of exp along `dim`, computed without overflow."""
def logdet(input: Tensor) -> Tensor:
    """The log of the determinant; NaN where that is negative."""
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where both are non-zero."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where x is zero."""
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where one is non-zero."""
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where exactly one is non-zero."""
def logit(input: Tensor, eps: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(x / (1 - x)); with eps, x is first brought into [eps, 1 - eps]."""
def logit_(input: Tensor, eps: Tensor | Number | None = None) -> Tensor:
    """In place: log(x / (1 - x)); with eps, x is first brought into [eps, 1 - eps]."""
def logspace(start: Tensor | Number, end: Tensor | Number, steps: _int, base: _float = 10.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`steps` numbers from base^start to base^end, whose exponents are at equal distances.

    y[i] = base ^ (start + i * (end - start) / (steps - 1)).

    >>> torch.logspace(0, 3, steps=4)
    tensor([   1.,   10.,  100., 1000.])
    >>> torch.logspace(0, 3, steps=4, base=2)
    tensor([1., 2., 4., 8.])
    """
def logsumexp(input: Tensor, dim: Dims, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """log(sum(exp(x))) over `dim`, computed without overflow."""
def lstm(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Long short-term memory: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.
    """
def lstm_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> builtins.tuple[Tensor, ...]:
    """(h', c') of a long short-term memory after one input (B, X)."""
def lstsq(input: Tensor, A: Tensor, *, out: Tensor | None = None) -> Any:
    """Removed from PyTorch: call torch.linalg.lstsq, with the arguments the other way round."""
def lt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a < b."""
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> builtins.tuple[Tensor, ...]:
    """(LU, pivots[, info]); the older name of linalg.lu_factor."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The x with A @ x = input from the packed LU of A; the older form of linalg.lu_solve."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.lu_unpack:
    """P, L, U from the packed form."""
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`value` where the mask is True, else the input.

    `mask` is a bool tensor that broadcasts with `input`; `value` a number or a 0-d tensor, in
    tensors of integers cut to a whole number.

    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> torch.masked_fill(x, x > 1.5, 0)
    tensor([1., 0., 0.])
    """
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements of `source` in turn where the mask is True, else the input.

    `mask` is a bool tensor that broadcasts with `input`. RuntimeError if `source` has fewer
    elements than the mask has True. The first True gets the first element, wherever it stands.

    >>> x = torch.zeros(4)
    >>> torch.masked_scatter(x, torch.tensor([False, True, False, True]), torch.tensor([1.0, 2.0]))
    tensor([0., 1., 0., 2.])
    """
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where the mask is True, one after the other: a new 1-d tensor.

    Both are broadcast. `input[mask]` is the same where the shapes are equal.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.masked_select(x, x > 1)
    tensor([2, 3, 4])
    """
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product: vectors, matrices and stacks of matrices, which broadcast."""
def matrix_exp(A: Tensor) -> Tensor:
    """The matrix exponential: the sum of A^k / k!."""
def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """A multiplied with itself n times; the inverse's power for negative n."""
def matrix_rank(input: Tensor, tol: Tensor | Number | None = None, symmetric: _bool = False, *, out: Tensor | None = None) -> Any:
    """Removed from PyTorch: call torch.linalg.matrix_rank."""
@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.max:
    """The largest element; with `dim`, (values, indices) along it; with another tensor, the larger of each pair."""
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 1 dimension(s).

    Args:
        input: (N, C, L), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool1d` with `return_indices=True`."""
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 2 dimension(s).

    Args:
        input: (N, C, H, W), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.
    """
def max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 3 dimension(s).

    Args:
        input: (N, C, D, H, W), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.
    """
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of a and b; NaN if either is."""
def mean(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or over `dim`; for floating and complex tensors.

    >>> import rushlight as torch
    >>> torch.mean(torch.tensor([1.0, 2.0, 6.0]))
    tensor(3.)
    """
@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.median:
    """The lower median of all elements, or (values, indices) along dim."""
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: _str | None = None) -> builtins.tuple[Tensor, ...]:
    """Coordinate grids of 1-d tensors: one for each, all of the same shape, as views.

    Of sizes n and m: with `indexing="ij"` the grids are (n, m), and the first varies along the
    rows; with "xy", as in plots, (m, n). PyTorch's default is "ij", with a warning.

    >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    >>> x
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> y
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, dim: _int, keepdim: _bool = False, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.min:
    """The smallest element; with `dim`, (values, indices) along it; with another tensor, the smaller of each pair."""
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of a and b; NaN if either is."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices."""
def mode(input: Tensor, dim: _int = -1, keepdim: _bool = False, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.mode:
    """(value, index) of the most frequent element along dim; the smallest of several."""
def moveaxis(input: Tensor, source: Tensor, destination: _int | Sequence[_int]) -> Tensor:
    """A view with the dimensions `source` moved to the places `destination`; the others keep order.

    Both are a number or a tuple of the same length.

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.movedim(x, 0, -1).shape
    torch.Size([3, 4, 2])
    >>> torch.movedim(x, (0, 1), (1, 2)).shape
    torch.Size([4, 2, 3])
    """
def movedim(input: Tensor, source: Tensor, destination: _int | Sequence[_int]) -> Tensor:
    """A view with the dimensions `source` moved to the places `destination`; the others keep order.

    Both are a number or a tuple of the same length.

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.movedim(x, 0, -1).shape
    torch.Size([3, 4, 2])
    >>> torch.movedim(x, (0, 1), (1, 2)).shape
    torch.Size([4, 2, 3])
    """
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The values sorted along the first dim."""
def mul(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Multiply element by element: a * b."""
def multinomial(input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Indices drawn with the probabilities in each row of `input` (they need not sum to one).

    Args:
        input: (n,) or (rows, n) weights, floating.
        num_samples: how many indices a row gets.
        replacement: whether an index may come twice.

    Returns:
        int64 of shape (num_samples,) or (rows, num_samples).

    Raises:
        RuntimeError: negative, infinite or only zero weights; more samples than weights.
    """
def multiply(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Multiply element by element: a * b."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector."""
def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """The log of the p-variate gamma function: p (p-1)/4 log(pi) + sum of lgamma(x - j/2), j <
    p.
    """
def nan_to_num(input: Tensor, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """NaN becomes `nan` (0), infinities `posinf` and `neginf` (the largest and smallest finite
    numbers).
    """
def nan_to_num_(input: Tensor, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None) -> Tensor:
    """In place: naN becomes `nan` (0), infinities `posinf` and `neginf` (the largest and smallest finite
    numbers).
    """
def nanmean(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of the elements that are not NaN."""
@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.nanmedian:
    """The lower median of the elements that are not NaN."""
def nanquantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Tensor | None = None) -> Tensor:
    """The q-th quantiles of the elements that are not NaN."""
def nansum(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum with NaN counted as zero; they are left out before `dtype=` converts."""
def narrow(input: Tensor, dim: _int, start: Tensor | Number, length: _int) -> Tensor:
    """A view of `length` positions of `dim`, from `start` on: x[start : start + length].

    `start` may be negative, or a 0-d tensor of integers. RuntimeError if it reaches beyond the end.

    >>> x = torch.arange(5)
    >>> torch.narrow(x, 0, 1, 3)
    tensor([1, 2, 3])
    """
def narrow_copy(input: Tensor, dim: _int, start: Tensor | Number, length: _int, *, out: Tensor | None = None) -> Tensor:
    """`narrow` as a copy: `length` positions of `dim` from `start` on, with memory of their own.

    >>> x = torch.arange(5)
    >>> torch.narrow_copy(x, 0, 1, 3)
    tensor([1, 2, 3])
    """
def native_channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    Zhang et al., ShuffleNet, 2018.
    """
def native_dropout(input: Tensor, p: _float, train: _bool | None) -> builtins.tuple[Tensor, ...]:
    """(`dropout`, whether each element was kept)."""
def ne(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a differs from b."""
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Minus x. Not for bool tensors."""
def neg_(input: Tensor) -> Tensor:
    """In place: minus x. Not for bool tensors."""
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Minus x. Not for bool tensors."""
def negative_(input: Tensor) -> Tensor:
    """In place: minus x. Not for bool tensors."""
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The next floating number after a towards b."""
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: _bool = False) -> Tensor:
    """The places of the elements that are not zero: int64 (n, input.dim()), one row each.

    In the order of the elements. With `as_tuple=True` one vector for each dimension, which can be
    used as an index: `x[torch.nonzero(x, as_tuple=True)]`. Not on meta tensors: the shape depends
    on the values.

    >>> x = torch.tensor([[0, 5], [6, 0]])
    >>> torch.nonzero(x)
    tensor([[0, 1],
            [1, 0]])
    >>> torch.nonzero(x, as_tuple=True)
    (tensor([0, 1]), tensor([1, 0]))
    """
def nonzero_static(input: Tensor, *, size: _int, fill_value: _int = -1, out: Tensor | None = None) -> Tensor:
    """`nonzero` with exactly `size` rows: cut off, or filled up with `fill_value`.

    Its shape does not depend on the values.

    >>> x = torch.tensor([0, 5, 6])
    >>> torch.nonzero_static(x, size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
def norm(input: Tensor, p: Number | _str = 'fro', dim: Dims | None = None, keepdim: _bool = False, out: Tensor | None = None, dtype: _dtype | None = None) -> Tensor:
    """The p-norm over dims: all elements by default; p is a number, "fro" or "nuc"."""
@overload
def normal(mean: Tensor, std: Tensor | _float = 1.0, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def normal(mean: _float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def normal(mean: _float, std: _float, size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Normal numbers of given means and standard deviations.

    ``normal(mean, std, *, generator=None, out=None)`` with a tensor for one or both of them, or
    ``normal(mean, std, size, *, generator=None, out=None, dtype=None, ...)`` with numbers.

    Raises:
        RuntimeError: a negative standard deviation.
    """
def not_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where a differs from b."""
def nuclear_norm(input: Tensor, dim: Dims = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The sum of the singular values; an older name of `linalg.matrix_norm(A, "nuc")`."""
def numel(input: Tensor) -> _int:
    """Number of elements."""
@overload
def ones(size: Sequence[_int], *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def ones(*size: _int, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of ones; the sizes one by one or as a tuple, the default float type unless given.

    >>> torch.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> torch.ones((2,), dtype=torch.bool)
    tensor([True, True])
    """
def ones_like(input: Tensor, *, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Ones in the shape, dtype and device of `input`.

    `dtype`, `device` and `memory_format` replace those of `input`. Strides are the input's where
    it has no gaps.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.ones_like(x, dtype=torch.float32)
    tensor([[1., 1.],
            [1., 1.]])
    """
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The older name of linalg.householder_product; `input2` is its tau."""
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix `input3` with the square Q that `geqrf` describes by `input` and
    `input2`.
    """
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of an element of the first vector with one of the second."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """|x1 - x2 + eps| in the p-norm of the last dimension."""
def pca_lowrank(A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2) -> builtins.tuple[Tensor, ...]:
    """The q first principal components: (U, S, V) of the centred rows."""
def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """The p-norm distances between all pairs of rows, in the order (0, 1), (0, 2), ..., (1, 2),
    ...
    """
def permute(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """A view with its dimensions in the order `dims`: dimension i of the result is `dims[i]` of x.

    RuntimeError unless each dimension is named once.

    >>> x = torch.zeros(2, 3, 4)
    >>> torch.permute(x, (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
def permute_copy(input: Tensor, dims: _int | Sequence[_int], *, out: Tensor | None = None) -> Tensor:
    """`permute` as a copy: the result has memory of its own.

    Parameters are those of `permute`.

    >>> torch.permute_copy(torch.zeros(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
def pinverse(input: Tensor, rcond: _float = 1e-15) -> Tensor:
    """The pseudoinverse (linalg.pinv with a relative tolerance)."""
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Channels to positions: (*, C r ** 2, H, W) to (*, C, H r, W r).

    Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Positions to channels: (*, C, H r, W r) to (*, C r ** 2, H, W)."""
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """A Poisson number for each rate in `input`, of the same type.

    Raises:
        RuntimeError: a negative rate.
    """
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """abs (cos(angle) + i sin(angle))."""
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma at input, n >= 0."""
def positive(input: Tensor) -> Tensor:
    """The tensor itself (not for bool)."""
def pow(input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a to the power b."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where x > 0, else weight * x; one weight, or one for each channel (dimension 1).

    He et al., 2015, arXiv:1502.01852.
    """
def prod(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or over one dimension."""
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
    """A copy with the elements of `source` at positions in the flattened tensor.

    `index` and `source` have the same number of elements. `accumulate`: they are added to what is
    there, where a position is named twice both of them.

    >>> x = torch.zeros(2, 2)
    >>> torch.put(x, torch.tensor([1, -1]), torch.tensor([5.0, 6.0]))
    tensor([[0., 5.],
            [0., 6.]])
    """
def qr(input: Tensor, some: _bool = True, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.qr:
    """A = Q @ R; the older name of linalg.qr."""
def quantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Tensor | None = None) -> Tensor:
    """The q-th quantiles (0 to 1) of all elements or along dim; several q make a new first dim.

    >>> import rushlight as torch
    >>> torch.tensor([0.0, 1.0, 2.0, 3.0]).quantile(0.5)
    tensor(1.5000)
    """
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees."""
def rad2deg_(input: Tensor) -> Tensor:
    """In place: radians as degrees."""
@overload
def rand(size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def rand(*size: _int, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Uniform numbers in [0, 1).

    ``rand(*size, generator=None, out=None, dtype=None, device=None, requires_grad=False)``

    Args:
        size: ints, or one tuple of them.
        generator: the stream to draw from; the default generator otherwise.
        dtype: a floating or complex type; the default type otherwise.

    Example:
        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.rand(3)
        tensor([0.4963, 0.7682, 0.0885])
    """
def rand_like(input: Tensor, *, generator: Generator | None = None, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`rand` of the shape, type and memory order of `input`: ``(input, *, dtype=None, ...)``."""
@overload
def randint(high: _int, size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def randint(low: _int, high: _int, size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Whole numbers from low (0 if not given) up to, but without, high: int64 unless said.

    ``randint(low=0, high, size, *, generator=None, out=None, dtype=None, device=None,
    requires_grad=False)``

    Example:
        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.randint(10, (4,))
        tensor([4, 9, 3, 0])
    """
def randint_like(input: Tensor, low: _int = 0, high: Tensor | Number | None = None, *, generator: Generator | None = None, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`randint` of the shape, type and memory order of `input`: ``(input, low=0, high)``."""
@overload
def randn(size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def randn(*size: _int, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Normal numbers of mean 0 and variance 1; arguments as of `rand`.

    Example:
        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.randn(2, 2)
        tensor([[ 1.5410, -0.2934],
                [-2.1788,  0.5684]])
    """
def randn_like(input: Tensor, *, generator: Generator | None = None, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`randn` of the shape, type and memory order of `input`."""
def randperm(n: _int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The numbers 0 to n - 1 in random order: ``randperm(n, *, generator=None, dtype=int64, ...)``.

    Example:
        >>> import rushlight as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.randperm(5)
        tensor([4, 0, 1, 3, 2])
    """
def range(start: Tensor | Number = 0, end: Tensor | Number | None = None, step: Tensor | Number = 1, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, requires_grad: _bool = False) -> Tensor:
    """The numbers start, start + step, ... up to `end`, which is included; of the default float
    type.

    Deprecated, with a warning: `arange` is what Python's `range` is.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.range(1, 2, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: the tensor's own memory if it is contiguous, else a copy.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.ravel(x)
    tensor([1, 2, 3, 4])
    """
def real(input: Tensor) -> Tensor:
    """The real part, a view; of a real tensor the tensor itself."""
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / x."""
def reciprocal_(input: Tensor) -> Tensor:
    """In place: 1 / x."""
def relu(input: Tensor) -> Tensor:
    """max(x, 0).

    >>> import rushlight as torch
    >>> torch.relu(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """
def relu_(input: Tensor) -> Tensor:
    """In place: max(x, 0).

    >>> import rushlight as torch
    >>> torch.tensor([-1., 2.]).relu_()
    tensor([0., 2.])
    """
def remainder(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """a - b * floor(a / b): the sign of b."""
def renorm(input: Tensor, p: _float, dim: _int, maxnorm: _float, *, out: Tensor | None = None) -> Tensor:
    """Each slice along dim scaled down so that its p-norm is at most maxnorm."""
def repeat_interleave(input: Tensor, repeats: Tensor | _int, dim: _int | None = None, *, output_size: _int | None = None) -> Tensor:
    """Each element (or each slice along `dim`) as often as `repeats` says, next to each other.

    `repeats` is a number or a 1-d tensor with one for each position. Without `dim` the tensor is
    flattened. `output_size`, if known, saves adding them up. With `repeats` alone: its own places,
    each as often as it says.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.repeat_interleave(x, 2)
    tensor([1, 1, 2, 2, 3, 3, 4, 4])
    >>> torch.repeat_interleave(x, torch.tensor([1, 2]), dim=0)
    tensor([[1, 2],
            [3, 4],
            [3, 4]])
    """
def reshape(input: Tensor, shape: _int | Sequence[_int]) -> Tensor:
    """The tensor with another shape: a view where the strides allow it, else a copy.

    One size may be -1 and is computed from the others. RuntimeError if the number of elements
    differs.

    >>> x = torch.arange(4)
    >>> torch.reshape(x, (2, 2))
    tensor([[0, 1],
            [2, 3]])
    >>> torch.reshape(x, (-1, 1)).shape
    torch.Size([4, 1])
    """
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """`Tensor.resize_as_` as a function."""
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or the conjugates that its bit stands for, in memory of their own."""
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or the negatives that its bit stands for, in memory of their own."""
def result_type(tensor: Tensor, other: Tensor | Number) -> _dtype:
    """The dtype of an arithmetic result of two operands (tensors or numbers)."""
def rms_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """x / sqrt(mean(x ** 2) + eps) * weight over the last dimensions, those of `normalized_shape`.

    `eps` is the machine epsilon of the type when None. Zhang and Sennrich, 2019.
    """
def rnn_relu(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Elman network with relu: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.
    """
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """relu(W x + U h + b)."""
def rnn_tanh(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Elman network with tanh: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.
    """
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """tanh(W x + U h + b)."""
def roll(input: Tensor, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ...) -> Tensor:
    """A copy shifted by `shifts` positions; what leaves at one end comes in at the other.

    `dims`: along which dimensions, one shift for each; without it the flattened tensor is shifted,
    in its shape.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.roll(x, 1)
    tensor([[4, 1],
            [2, 3]])
    >>> torch.roll(x, 1, 0)
    tensor([[3, 4],
            [1, 2]])
    """
def rot90(input: Tensor, k: _int = 1, dims: _int | Sequence[_int] = ...) -> Tensor:
    """A copy turned by `k` quarters of a circle in the plane of two dimensions, from the first of
    them towards the second.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.rot90(x)
    tensor([[2, 4],
            [1, 3]])
    >>> torch.rot90(x, 2)
    tensor([[4, 3],
            [2, 1]])
    """
def round(input: Tensor, *, decimals: _int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest multiple of 10^-decimals; halves go to even."""
def round_(input: Tensor, *, decimals: _int = 0) -> Tensor:
    """In place: the nearest multiple of 10^-decimals; halves go to even."""
def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one below the other, along the first dimension; vectors are rows.

    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([[3, 4], [5, 6]])))
    tensor([[1, 2],
            [3, 4],
            [5, 6]])
    """
def rrelu(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, generator: Generator | None = None) -> Tensor:
    """`nn.functional.rrelu`."""
def rrelu_(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, generator: Generator | None = None) -> Tensor:
    """`rrelu` in place."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / sqrt(x)."""
def rsqrt_(input: Tensor) -> Tensor:
    """In place: 1 / sqrt(x)."""
def rsub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """other - alpha * input."""
def scalar_tensor(s: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor without dimensions that holds a number, of the default float type unless another is
    given.

    >>> torch.scalar_tensor(3)
    tensor(3.)
    >>> torch.scalar_tensor(3, dtype=torch.int64)
    tensor(3)
    """
@overload
def scatter(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, reduce: _str | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def scatter(input: Tensor, dim: _int, index: Tensor, value: Number, *, reduce: _str | None = None, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with the elements of `src` (or one number) at their indices along `dim`.

    For dim=0 and two dimensions y[index[i, j], j] = src[i, j]; the opposite of `gather`. Where two
    elements go to one place the last one stays, and gradients are then not true. `reduce` "add" or
    "multiply" combines them with what is there; `scatter_reduce` can do more.

    >>> x = torch.zeros(2, 3)
    >>> torch.scatter(x, 1, torch.tensor([[0], [2]]), 1.0)
    tensor([[1., 0., 0.],
            [0., 0., 1.]])
    """
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with each element of `src` added at its index along `dim`.

    For dim=0 and two dimensions y[index[i, j], j] += src[i, j]. `index` is nowhere longer than
    `src`, nor than `input` but along `dim`; `src` has the input's dtype.

    >>> x = torch.zeros(3)
    >>> torch.scatter_add(x, 0, torch.tensor([0, 2, 2]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([1., 0., 5.])
    """
def scatter_reduce(input: Tensor, dim: _int, index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True, out: Tensor | None = None) -> Tensor:
    """The elements of `src` reduced into a copy of `input` at their indices along `dim`.

    `reduce` is "sum", "prod", "mean", "amax" or "amin". With `include_self=False` the old value
    does not count at places to which something goes.

    >>> x = torch.tensor([10.0, 20.0])
    >>> index, src = torch.tensor([0, 0, 1]), torch.tensor([1.0, 2.0, 3.0])
    >>> torch.scatter_reduce(x, 0, index, src, "sum")
    tensor([13., 23.])
    >>> torch.scatter_reduce(x, 0, index, src, "amax", include_self=False)
    tensor([2., 3.])
    """
def searchsorted(sorted_sequence: Tensor, input: Tensor | None = None, *, out_int32: _bool = False, right: _bool = False, side: _str | None = None, out: Tensor | None = None, sorter: Tensor | None = None) -> Tensor:
    """Where the values of input would go in the sorted last dim of sorted_sequence to keep it
    sorted.

    >>> import rushlight as torch
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 9]))
    tensor([0, 1, 3])
    """
def segment_reduce(data: Any, reduce: _str, *, lengths: Tensor | None = None, indices: Any = None, offsets: Tensor | None = None, axis: _int = 0, unsafe: _bool = False, initial: Tensor | None = None) -> Tensor:
    """sum, mean, prod, max or min of consecutive pieces along a dimension.

    The pieces are given by their `lengths`, or by `offsets`, one more than there are pieces, in the
    last dimension of either. An empty piece has `initial`, or what the reduction starts from.

    >>> import rushlight as torch
    >>> torch.segment_reduce(torch.tensor([1.0, 2, 3]), "sum", lengths=torch.tensor([1, 2]))
    tensor([1., 5.])
    """
def select(input: Tensor, dim: Dims, index: Tensor) -> Tensor:
    """The view at position `index` of `dim`, without that dimension: x[:, index] for dim=1.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.select(x, 1, 0)
    tensor([1, 3])
    """
def select_copy(input: Tensor, dim: Dims, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`select` as a copy: the result has memory of its own.

    Parameters are those of `select`.

    >>> torch.select_copy(torch.eye(2), 0, 1)
    tensor([0., 1.])
    """
def select_scatter(input: Tensor, src: Tensor, dim: _int, index: _int) -> Tensor:
    """A copy of `input` with `src` at position `index` of `dim`, which `src` does not have.

    >>> x = torch.zeros(2, 3)
    >>> torch.select_scatter(x, torch.tensor([1.0, 2.0]), 1, 0)
    tensor([[1., 0., 0.],
            [2., 0., 0.]])
    """
def selu(input: Tensor) -> Tensor:
    """scale * (x where x > 0, else alpha * (exp(x) - 1)). Klambauer, 2017, arXiv:1706.02515."""
def selu_(input: Tensor) -> Tensor:
    """In place: scale * (x where x > 0, else alpha * (exp(x) - 1)). Klambauer, 2017, arXiv:1706.02515."""
def set_default_tensor_type(t: Any) -> None:
    """`set_default_dtype` by a legacy type name ("torch.DoubleTensor")."""
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x / |x|, 0 for 0: the sign of real and of complex numbers."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    >>> import rushlight as torch
    >>> torch.sigmoid(torch.tensor(0.))
    tensor(0.5000)
    """
def sigmoid_(input: Tensor) -> Tensor:
    """In place: 1 / (1 + exp(-x)).

    >>> import rushlight as torch
    >>> torch.tensor(0.).sigmoid_()
    tensor(0.5000)
    """
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1."""
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where the sign bit is set."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine of radians."""
def sin_(input: Tensor) -> Tensor:
    """In place: sine of radians."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi x)/(pi x), and 1 at 0."""
def sinc_(input: Tensor) -> Tensor:
    """In place: sin(pi x)/(pi x), and 1 at 0."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine."""
def sinh_(input: Tensor) -> Tensor:
    """In place: hyperbolic sine."""
def slice_copy(input: Tensor, dim: _int = 0, start: Tensor | Number | None = None, end: Tensor | Number | None = None, step: _int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of the positions start, start + step, ... before end along `dim`.

    >>> x = torch.arange(6)
    >>> torch.slice_copy(x, 0, 1, 6, 2)
    tensor([1, 3, 5])
    """
def slice_scatter(input: Tensor, src: Tensor, dim: _int = 0, start: Tensor | Number | None = None, end: Tensor | Number | None = None, step: _int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of `input` with `src` at the positions start, start + step, ... before end of `dim`.

    >>> x = torch.zeros(4)
    >>> torch.slice_scatter(x, torch.tensor([1.0, 2.0]), 0, 1, 4, 2)
    tensor([0., 1., 0., 2.])
    """
def slogdet(input: Tensor) -> return_types.slogdet:
    """(sign, logabsdet) of the determinant."""
def smm(input: Tensor, mat2: Tensor) -> Tensor:
    """A product with a sparse matrix (`rushlight/sparse`)."""
def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> import rushlight as torch
    >>> torch.softmax(torch.tensor([0., 0.]), 0)
    tensor([0.5000, 0.5000])
    """
def solve(input: Tensor, A: Tensor, *, out: Tensor | None = None) -> Any:
    """Removed from PyTorch: call torch.linalg.solve, with the arguments the other way round."""
def sort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.sort:
    """(values, indices) in order along dim; equal values keep their order, NaN counts as the
    greatest.

    >>> import rushlight as torch
    >>> values, indices = torch.tensor([3.0, 1.0, 2.0]).sort()
    >>> values
    tensor([1., 2., 3.])
    >>> indices
    tensor([1, 2, 0])
    """
def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse tensor of indices and values (`rushlight/sparse/compressed.py`)."""
def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse tensor of indices and values (`rushlight/sparse/compressed.py`)."""
def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse tensor of indices and values (`rushlight/sparse/compressed.py`)."""
def sparse_coo_tensor(indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None, is_coalesced: _bool | None = None) -> Tensor:
    """A sparse tensor of indices and values (`rushlight/sparse/create.py`)."""
def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse tensor of indices and values (`rushlight/sparse/compressed.py`)."""
def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse tensor of indices and values (`rushlight/sparse/compressed.py`)."""
def split(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """Views along `dim` of so many positions each (the last may be smaller), as a tuple.

    A list gives the size of each part; the sizes must add up to the dimension's.

    >>> x = torch.arange(5)
    >>> torch.split(x, 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.split(x, [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
def split_copy(input: Tensor, split_size: _int | Sequence[_int], dim: _int = 0, *, out: builtins.tuple[Tensor, ...] | None = None) -> builtins.tuple[Tensor, ...]:
    """`split` as a copy: the result has memory of its own.

    Parameters are those of `split`.

    >>> torch.split_copy(torch.arange(3), 2)
    (tensor([0, 1]), tensor([2]))
    """
def split_with_sizes(input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """Views of the given sizes along `dim`, as a tuple; the sizes must add up to the dimension's.

    >>> x = torch.arange(5)
    >>> torch.split_with_sizes(x, [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
def split_with_sizes_copy(input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0, *, out: builtins.tuple[Tensor, ...] | None = None) -> builtins.tuple[Tensor, ...]:
    """`split_with_sizes` as a copy: the result has memory of its own.

    Parameters are those of `split_with_sizes`.

    >>> torch.split_with_sizes_copy(torch.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2]))
    """
def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The matrix product, of which an operand may be sparse."""
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Square root."""
def sqrt_(input: Tensor) -> Tensor:
    """In place: square root."""
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x * x; integers for bool."""
def square_(input: Tensor) -> Tensor:
    """In place: x * x; integers for bool."""
def squeeze(input: Tensor, dim: Dims | None = None) -> Tensor:
    """A view without the dimensions of size 1: all of them, or those of `dim` whose size is 1.

    `dim` is a number or a tuple. Without it a batch of one loses its batch dimension too.

    >>> x = torch.zeros(1, 3, 1)
    >>> torch.squeeze(x).shape
    torch.Size([3])
    >>> torch.squeeze(x, 0).shape
    torch.Size([3, 1])
    """
def squeeze_copy(input: Tensor, dim: Dims | None = None, *, out: Tensor | None = None) -> Tensor:
    """`squeeze` as a copy: the result has memory of its own.

    Parameters are those of `squeeze`.

    >>> torch.squeeze_copy(torch.zeros(1, 3)).shape
    torch.Size([3])
    """
def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """A product with a sparse matrix, added to one (`rushlight/sparse`)."""
def stack(tensors: Sequence[Tensor], dim: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape along a new dimension `dim`.

    k tensors of shape (m, n) become (k, m, n), with `dim=-1` (m, n, k).

    >>> a, b = torch.tensor([1, 2]), torch.tensor([3, 4])
    >>> torch.stack((a, b))
    tensor([[1, 2],
            [3, 4]])
    >>> torch.stack((a, b), dim=1)
    tensor([[1, 3],
            [2, 4]])
    """
@overload
def std(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, keepdim: _bool = False, out: Tensor | None = None) -> Tensor: ...
@overload
def std(input: Tensor, dim: Dims | None, unbiased: _bool, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
@overload
def std(input: Tensor, unbiased: _bool) -> Tensor:
    """Standard deviation over `dim`: the root of the variance."""
@overload
def std_mean(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def std_mean(input: Tensor, dim: Dims | None, unbiased: _bool, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def std_mean(input: Tensor, unbiased: _bool) -> builtins.tuple[Tensor, Tensor]:
    """(standard deviation, mean) over `dim`."""
def stft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: _bool | None = None, align_to_window: _bool | None = None) -> Tensor:
    """The short-time Fourier transform: (..., frequencies, frames) of windowed pieces of the
    signal.

    >>> import rushlight as torch
    >>> torch.stft(torch.ones(100), 16, return_complex=True).shape
    torch.Size([9, 26])
    """
def sub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """input - alpha * other."""
def subtract(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """input - alpha * other."""
def sum(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or over `dim` (one or several).

    Integers are summed in int64; `dtype=` casts first.

    >>> import rushlight as torch
    >>> torch.sum(torch.tensor([[1, 2], [3, 4]]), 0)
    tensor([4, 6])
    """
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.svd:
    """(U, S, V) with input = U @ diag(S) @ V^H; the older form of linalg.svd."""
def svd_lowrank(A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Tensor | None = None) -> builtins.tuple[Tensor, ...]:
    """The q largest singular values and vectors (here from the whole SVD): (U, S, V)."""
def swapaxes(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """A view with dimensions `dim0` and `dim1` exchanged.

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> torch.transpose(x, 0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
def swapdims(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """A view with dimensions `dim0` and `dim1` exchanged.

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> torch.transpose(x, 0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
def symeig(input: Tensor, eigenvectors: _bool = False, upper: _bool = True, *, out: Tensor | None = None) -> Any:
    """Removed from PyTorch: call torch.linalg.eigh."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix, as a view; vectors and numbers as they are.

    RuntimeError for more than two dimensions: use `x.mT`.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.t(x)
    tensor([[1, 3],
            [2, 4]])
    """
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`t` as a copy: the result has memory of its own.

    Parameters are those of `t`.

    >>> torch.t_copy(torch.zeros(2, 3)).stride()
    (2, 1)
    """
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at positions in the flattened tensor, in the shape of `index`.

    Negative positions count from the end. IndexError beyond it.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.take(x, torch.tensor([0, -1]))
    tensor([1, 4])
    """
def take_along_dim(input: Tensor, indices: Any, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """Elements picked along `dim` by an int64 tensor, of the same number of dimensions.

    y[i, j] = input[i, indices[i, j]] for dim=1; the other dimensions broadcast (unlike `gather`).
    Without `dim` positions in the flattened tensor. What `argmax` and `argsort` give fits.

    >>> x = torch.tensor([[1, 3, 2], [9, 7, 8]])
    >>> torch.take_along_dim(x, x.argmax(1, keepdim=True), 1)
    tensor([[3],
            [9]])
    >>> torch.take_along_dim(x, x.argsort(1), 1)
    tensor([[1, 2, 3],
            [7, 8, 9]])
    """
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Tangent."""
def tan_(input: Tensor) -> Tensor:
    """In place: tangent."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""
def tanh_(input: Tensor) -> Tensor:
    """In place: hyperbolic tangent."""
def tensor(data: Any, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor:
    """A new tensor with a copy of `data`: numbers, nested sequences, arrays.

    The dtype follows the data: bool, int64, the default float type (float32) for Python's floats,
    an array's own. The copy has no history, even of a tensor: `x.detach().clone()` says that
    better. ValueError if the sequences differ in length.

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([1, 2.5])
    tensor([1.0000, 2.5000])
    >>> torch.tensor(True)
    tensor(True)
    """
def tensor_split(input: Tensor, indices_or_sections: Tensor | _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """Views along `dim`: n nearly equal parts, or cut before each of the given indices.

    The first n % parts are one longer. Indices are a list or a 1-d int64 tensor; a part between
    equal indices is empty.

    >>> x = torch.arange(7)
    >>> torch.tensor_split(x, 3)
    (tensor([0, 1, 2]), tensor([3, 4]), tensor([5, 6]))
    >>> torch.tensor_split(x, (1, 5))
    (tensor([0]), tensor([1, 2, 3, 4]), tensor([5, 6]))
    """
def tensordot(a: Tensor, b: Tensor, dims: _int = 2, out: Tensor | None = None) -> Tensor:
    """The product of two tensors summed over several dims.

    dims is a number (the last dims of a against the first of b) or two lists of dims.

    >>> import rushlight as torch
    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(4, 3, 5), ([1, 2], [1, 0])).shape
    torch.Size([2, 5])
    """
def threshold(input: Tensor, threshold: Tensor | Number, value: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """x where x > threshold, else value. Both are numbers of x's type: -1 is 255 in uint8."""
def threshold_(input: Tensor, threshold: Tensor | Number, value: Tensor | Number) -> Tensor:
    """In place: x where x > threshold, else value. Both are numbers of x's type: -1 is 255 in uint8."""
def tile(input: Tensor, dims: _int | Sequence[_int]) -> Tensor:
    """Copies side by side, `dims[i]` along dimension i; missing leading numbers are 1, as NumPy's.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.tile(x, (2,))
    tensor([[1, 2, 1, 2]])
    >>> torch.tile(x, (2, 1))
    tensor([[1, 2],
            [1, 2]])
    """
def topk(input: Tensor, k: _int, dim: _int = -1, largest: _bool = True, sorted: _bool = True, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.topk:
    """(values, indices) of the k largest (or smallest) elements along dim.

    >>> import rushlight as torch
    >>> torch.tensor([3, 1, 2]).topk(2).values
    tensor([3, 2])
    """
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
def transpose(input: Tensor, dim0: _int, dim1: _int) -> Tensor:
    """A view with dimensions `dim0` and `dim1` exchanged.

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> torch.transpose(x, 0, 1)
    tensor([[1, 4],
            [2, 5],
            [3, 6]])
    """
def transpose_copy(input: Tensor, dim0: _int, dim1: _int, *, out: Tensor | None = None) -> Tensor:
    """`transpose` as a copy: the result has memory of its own.

    Parameters are those of `transpose`.

    >>> torch.transpose_copy(torch.zeros(2, 3), 0, 1).stride()
    (2, 1)
    """
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: _int = -1) -> Tensor:
    """The integral of samples by the trapezoidal rule."""
def trapz(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: _int = -1) -> Tensor:
    """The integral of samples by the trapezoidal rule."""
def triangular_solve(input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.triangular_solve:
    """(X, A) with A @ X = input for triangular A; the older form of linalg.solve_triangular."""
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of each matrix; other elements are 0."""
def tril_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The places on and below a diagonal of a matrix: (2, n), rows and columns.

    Of a `row` x `col` matrix, row by row; a positive `offset` is a diagonal above the main one.
    int64 unless `dtype` is int32.

    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of each matrix; other elements are 0."""
def triu_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The places on and above a diagonal of a matrix: (2, n), rows and columns.

    Of a `row` x `col` matrix, row by row; a positive `offset` is a diagonal above the main one.
    int64 unless `dtype` is int32.

    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
def true_divide(input: Tensor, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """input / other; rounding_mode 'floor' or 'trunc' rounds the quotient."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x without its fraction."""
def trunc_(input: Tensor) -> Tensor:
    """In place: x without its fraction."""
def typename(obj: Any) -> _str:
    """The name of a tensor's legacy type, or of an object's class with its module."""
def unbind(input: Tensor, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """All slices along `dim`, without that dimension, as a tuple of views.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.unbind(x)
    (tensor([1, 2]), tensor([3, 4]))
    """
def unbind_copy(input: Tensor, dim: _int = 0, *, out: builtins.tuple[Tensor, ...] | None = None) -> builtins.tuple[Tensor, ...]:
    """`unbind` as a copy: the result has memory of its own.

    Parameters are those of `unbind`.

    >>> torch.unbind_copy(torch.arange(2))
    (tensor(0), tensor(1))
    """
def unflatten(input: Tensor, dim: _int, sizes: _int | Sequence[_int]) -> Tensor:
    """A view in which dimension `dim` is divided into several of the given sizes (one may be -1).

    The opposite of `flatten`. RuntimeError if the sizes do not multiply up to the dimension's.

    >>> x = torch.arange(6)
    >>> torch.unflatten(x, 0, (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
def unfold_copy(input: Tensor, dimension: _int, size: _int | Sequence[_int], step: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`unfold` as a copy: the result has memory of its own.

    Parameters are those of `unfold`.

    >>> torch.unfold_copy(torch.arange(4), 0, 2, 2).shape
    torch.Size([2, 2])
    """
@overload
def unique(input: Tensor, sorted: _bool = True, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor: ...
@overload
def unique(input: Tensor, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> builtins.tuple[Tensor, ...]:
    """The distinct elements in ascending order, or the distinct slices along dim.

    >>> import rushlight as torch
    >>> torch.tensor([3, 1, 3]).unique(return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
@overload
def unique_consecutive(input: Tensor, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> builtins.tuple[Tensor, ...]:
    """The elements (or slices along dim) without those that equal the one before."""
def unravel_index(indices: Any, shape: _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
    """The places in a tensor of shape `shape` of positions in it when flattened.

    A tuple with a tensor of the shape of `indices` for each dimension. Positions beyond the end
    raise nothing.

    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
def unsafe_chunk(input: Tensor, chunks: _int, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """`chunk`, of which the parts may be changed in place: autograd does not take them for views.

    >>> x = torch.arange(5)
    >>> torch.unsafe_chunk(x, 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
def unsafe_split(input: Tensor, split_size: _int, dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """`split`, of which the parts may be changed in place: autograd does not take them for views.

    >>> x = torch.arange(5)
    >>> torch.unsafe_split(x, 3)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
def unsafe_split_with_sizes(input: Tensor, split_sizes: _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """`split_with_sizes`, of which the parts may be changed in place.

    >>> x = torch.arange(5)
    >>> torch.unsafe_split_with_sizes(x, [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
def unsqueeze(input: Tensor, dim: Dims) -> Tensor:
    """A view with a new dimension of size 1 at `dim`, from -n - 1 to n for n dimensions.

    >>> x = torch.tensor([1, 2])
    >>> torch.unsqueeze(x, 1)
    tensor([[1],
            [2]])
    """
def unsqueeze_copy(input: Tensor, dim: Dims, *, out: Tensor | None = None) -> Tensor:
    """`unsqueeze` as a copy: the result has memory of its own.

    Parameters are those of `unsqueeze`.

    >>> torch.unsqueeze_copy(torch.zeros(3), 0).shape
    torch.Size([1, 3])
    """
def vander(x: Tensor, N: _int | None = None, increasing: _bool = False) -> Tensor:
    """The Vandermonde matrix of a vector, highest power first unless increasing."""
@overload
def var(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, keepdim: _bool = False, out: Tensor | None = None) -> Tensor: ...
@overload
def var(input: Tensor, dim: Dims | None, unbiased: _bool, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
@overload
def var(input: Tensor, unbiased: _bool) -> Tensor:
    """Variance over `dim`: the mean squared distance from the mean, over n - correction (1)."""
@overload
def var_mean(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def var_mean(input: Tensor, dim: Dims | None, unbiased: _bool, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def var_mean(input: Tensor, unbiased: _bool) -> builtins.tuple[Tensor, Tensor]:
    """(variance, mean) over `dim`."""
def vdot(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The sum of products of two vectors, the first one conjugated."""
def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor with a last dim of size 2 as a complex one, sharing memory."""
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`view_as_complex` as a copy: the result has memory of its own.

    Parameters are those of `view_as_complex`.

    >>> torch.view_as_complex_copy(torch.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a real one with a last dim (real, imag), sharing memory.

    >>> import rushlight as torch
    >>> torch.view_as_real(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`view_as_real` as a copy: the result has memory of its own.

    Parameters are those of `view_as_real`.

    >>> torch.view_as_real_copy(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
def view_copy(input: Tensor, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """`view` as a copy: the result has memory of its own.

    Parameters are those of `view`.

    >>> torch.view_copy(torch.zeros(2, 3), (3, 2)).shape
    torch.Size([3, 2])
    """
def vsplit(input: Tensor, indices_or_sections: Tensor | _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
    """Views along dimension 0: in n equal parts, or cut before each given index.

    `tensor_split` of tensors with at least 2 dimensions, but n must
    divide the size.

    >>> x = torch.zeros(4, 4, 4)
    >>> [part.shape for part in torch.vsplit(x, 2)]
    [torch.Size([2, 4, 4]), torch.Size([2, 4, 4])]
    """
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one below the other, along the first dimension; vectors are rows.

    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([[3, 4], [5, 6]])))
    tensor([[1, 2],
            [3, 4],
            [5, 6]])
    """
@overload
def where(condition: Tensor) -> builtins.tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`input` where the condition holds, else `other`; with the condition alone, the places where
    it holds.

    >>> import rushlight as torch
    >>> torch.where(torch.tensor([True, False]), torch.tensor([1, 2]), 0)
    tensor([1, 0])
    """
def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """x log(y), and 0 where x is 0 (unless y is NaN)."""
def xlogy_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """In place: x log(y), and 0 where x is 0 (unless y is NaN)."""
def zero_(input: Tensor) -> Tensor:
    """Fills the tensor with zeros, in place.

    >>> torch.ones(3).zero_()
    tensor([0., 0., 0.])
    """
@overload
def zeros(size: Sequence[_int], *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def zeros(*size: _int, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """A tensor of zeros.

    The sizes are given one by one or as a tuple. `dtype` is the default float type (float32) unless
    given; `device="meta"` makes a shape without values. `out`, a tensor, takes the result.

    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    >>> torch.zeros(2, dtype=torch.int64)
    tensor([0, 0])
    """
def zeros_like(input: Tensor, *, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Zeros in the shape, dtype and device of `input`.

    `dtype`, `device` and `memory_format` replace those of `input`. Strides are the input's where
    it has no gaps.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.zeros_like(x)
    tensor([[0, 0],
            [0, 0]])
    """

def __getattr__(name: _str) -> Any: ...
