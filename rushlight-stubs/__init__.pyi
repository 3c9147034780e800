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
from rushlight.errors import AcceleratorError as AcceleratorError
DeviceObjType: Any
from rushlight.futures import Future as Future
from rushlight.random import Generator as Generator
from rushlight.amp import GradScaler as GradScaler
JitType: Any
ListType: Any
from rushlight.serialization.zipfiles import PyTorchFileReader as PyTorchFileReader
from rushlight.serialization.zipfiles import PyTorchFileWriter as PyTorchFileWriter
from rushlight.jit import ScriptFunction as ScriptFunction
from rushlight.jit import ScriptModule as ScriptModule
StorageBase: Any
Tag: Any
TensorType: Any
from rushlight.amp import autocast as autocast
from rushlight.amp.switches import autocast_decrement_nesting as autocast_decrement_nesting
from rushlight.amp.switches import autocast_increment_nesting as autocast_increment_nesting
from rushlight._by_number import bilinear as bilinear
from rushlight._by_number import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
bits16: _dtype
bits1x8: _dtype
bits2x4: _dtype
bits4x2: _dtype
bits8: _dtype
from rushlight.amp.switches import clear_autocast_cache as clear_autocast_cache
from rushlight.compiler import compile as compile
from rushlight._higher_order_ops import cond as cond
from rushlight._by_number import cosine_embedding_loss as cosine_embedding_loss
from rushlight._by_number import ctc_loss as ctc_loss
from rushlight.random import default_generator as default_generator
from rushlight._by_number import embedding_bag as embedding_bag
from rushlight._by_number import embedding_renorm_ as embedding_renorm_
float4_e2m1fn_x2: _dtype
float8_e8m0fnu: _dtype
from rushlight.jit import fork as fork
from rushlight.interchange import from_dlpack as from_dlpack
from rushlight.storage_files import from_file as from_file
from rushlight.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from rushlight.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from rushlight.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from rushlight.config import get_deterministic_debug_mode as get_deterministic_debug_mode
from rushlight.device import get_device_module as get_device_module
from rushlight.random import get_rng_state as get_rng_state
from rushlight.config import has_lapack as has_lapack
from rushlight.config import has_mkl as has_mkl
from rushlight.config import has_openmp as has_openmp
from rushlight.config import has_spectral as has_spectral
from rushlight._by_number import hinge_embedding_loss as hinge_embedding_loss
from rushlight.random import initial_seed as initial_seed
int1: _dtype
int2: _dtype
int3: _dtype
int4: _dtype
int5: _dtype
int6: _dtype
int7: _dtype
from rushlight.autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from rushlight.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from rushlight.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from rushlight.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from rushlight.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from rushlight.once import is_warn_always_enabled as is_warn_always_enabled
from rushlight.layout import jagged as jagged
from rushlight._by_number import kl_div as kl_div
from rushlight.serialization import load as load
from rushlight._lobpcg import lobpcg as lobpcg
from rushlight.random import manual_seed as manual_seed
from rushlight._by_number import margin_ranking_loss as margin_ranking_loss
from rushlight.ops.nn.native_norm import native_batch_norm as native_batch_norm
from rushlight.ops.nn.native_norm import native_group_norm as native_group_norm
from rushlight.ops.nn.native_norm import native_layer_norm as native_layer_norm
from rushlight.nn.utils._norms import norm_except_dim as norm_except_dim
from rushlight.layout import per_channel_affine as per_channel_affine
from rushlight.layout import per_channel_affine_float_qparams as per_channel_affine_float_qparams
from rushlight.layout import per_channel_symmetric as per_channel_symmetric
from rushlight.layout import per_tensor_affine as per_tensor_affine
from rushlight.layout import per_tensor_symmetric as per_tensor_symmetric
from rushlight._by_number import poisson_nll_loss as poisson_nll_loss
qint32: _dtype
qint8: _dtype
from rushlight.layout import qscheme as qscheme
from rushlight.ao.quantization import quantize_per_channel as quantize_per_channel
from rushlight.ao.quantization import quantize_per_tensor as quantize_per_tensor
from rushlight.ao.quantization import quantize_per_tensor_dynamic as quantize_per_tensor_dynamic
quint2x4: _dtype
quint4x2: _dtype
quint8: _dtype
from rushlight.serialization import save as save
from rushlight.random import seed as seed
from rushlight.autograd.anomaly import set_anomaly_enabled as set_anomaly_enabled
from rushlight.amp.switches import set_autocast_cache_enabled as set_autocast_cache_enabled
from rushlight.amp.switches import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from rushlight.amp.switches import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from rushlight.amp.switches import set_autocast_dtype as set_autocast_dtype
from rushlight.amp.switches import set_autocast_enabled as set_autocast_enabled
from rushlight.amp.switches import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from rushlight.config import set_deterministic_debug_mode as set_deterministic_debug_mode
from rushlight.printing import set_printoptions as set_printoptions
from rushlight.random import set_rng_state as set_rng_state
from rushlight.once import set_warn_always as set_warn_always
from rushlight.layout import sparse_bsc as sparse_bsc
from rushlight.layout import sparse_bsr as sparse_bsr
from rushlight.layout import sparse_csc as sparse_csc
from rushlight._symbols import sym_float as sym_float
from rushlight._symbols import sym_fresh_size as sym_fresh_size
from rushlight._symbols import sym_int as sym_int
from rushlight._symbols import sym_ite as sym_ite
from rushlight._symbols import sym_max as sym_max
from rushlight._symbols import sym_min as sym_min
from rushlight._symbols import sym_not as sym_not
from rushlight._symbols import sym_sqrt as sym_sqrt
from rushlight._symbols import sym_sum as sym_sum
from rushlight.random import thread_safe_generator as thread_safe_generator
from rushlight.interchange import to_dlpack as to_dlpack
from rushlight._by_number import triplet_margin_loss as triplet_margin_loss
uint1: _dtype
uint2: _dtype
uint3: _dtype
uint4: _dtype
uint5: _dtype
uint6: _dtype
uint7: _dtype
from rushlight.func import vmap as vmap
from rushlight.jit import wait as wait
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
    """The magnitude of each element: `y = |x|`; real for complex x.

    The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

    >>> torch.abs(torch.tensor([-1.5, 0.0, 2.0]))
    tensor([1.5000, 0.0000, 2.0000])
    >>> torch.abs(torch.tensor([3.0 + 4.0j]))
    tensor([5.])
    """
def abs_(input: Tensor) -> Tensor:
    """In place: the magnitude of each element: `y = |x|`; real for complex x.

    The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

    >>> torch.tensor([-1.5, 0.0, 2.0]).abs_()
    tensor([1.5000, 0.0000, 2.0000])
    """
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of each element: `y = |x|`; real for complex x.

    The gradient at 0 is 0. Not for bools; `abs_` is not for complex numbers.

    >>> torch.abs(torch.tensor([-1.5, 0.0, 2.0]))
    tensor([1.5000, 0.0000, 2.0000])
    >>> torch.abs(torch.tensor([3.0 + 4.0j]))
    tensor([5.])
    """
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse cosine: the angle in [0, pi] whose cosine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.acos(torch.tensor([1.0, 0.5, -1.0, 2.0]))
    tensor([0.0000, 1.0472, 3.1416,    nan])
    """
def acos_(input: Tensor) -> Tensor:
    """In place: the inverse cosine: the angle in [0, pi] whose cosine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.tensor([1.0, 0.5, -1.0, 2.0]).acos_()
    tensor([0.0000, 1.0472, 3.1416,    nan])
    """
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

    NaN below 1, unless x is complex.

    >>> torch.acosh(torch.tensor([1.0, 2.0, 0.5]))
    tensor([0.0000, 1.3170,    nan])
    """
def acosh_(input: Tensor) -> Tensor:
    """In place: the inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

    NaN below 1, unless x is complex.

    >>> torch.tensor([1.0, 2.0, 0.5]).acosh_()
    tensor([0.0000, 1.3170,    nan])
    """
def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """Means over the last 1 dimension(s), in as many windows as `output_size` says.

    Window i of o over n positions runs from floor(i n / o) to ceil((i + 1) n / o).

    Args:
        input: (N, C, L), or without N.
        output_size: one number, or one a dimension; None keeps a size.

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> F.adaptive_avg_pool1d(x, 1).flatten()
    tensor([1.5000])
    """
def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> builtins.tuple[Tensor, ...]:
    """Adaptive maxima and their indices: `torch.adaptive_max_pool1d` returns both.

    >>> torch.adaptive_max_pool1d(torch.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
    (tensor([[5., 3.]]), tensor([[1, 3]]))
    """
def add(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """`y = input + alpha * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number; the result has their
    common type. RuntimeError where shapes do not go together, and for a float alpha with integers.

    alpha: a number by which other is multiplied first; 1 by default.

    >>> torch.add(torch.tensor([1, 2]), 10)
    tensor([11, 12])
    >>> torch.add(torch.zeros(2, 1), torch.tensor([1.0, 2.0, 3.0]), alpha=10)
    tensor([[10., 20., 30.],
            [10., 20., 30.]])
    """
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (the sum over i of batch1[i] @ batch2[i]).

    `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (n, m), the result's shape.

    >>> x = torch.zeros(2, 2)
    >>> torch.addbmm(x, torch.ones(5, 2, 3), torch.ones(5, 3, 2))
    tensor([[15., 15.],
            [15., 15.]])
    """
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1, out: Tensor | None = None) -> Tensor:
    """`y = input + value * tensor1 / tensor2`, element by element.

    The three tensors broadcast; value: a number, 1 by default. RuntimeError where both tensor1 and
    tensor2 are integers.

    >>> torch.addcdiv(torch.zeros(2), torch.tensor([1.0, 2.0]), torch.tensor([4.0, 4.0]), value=2)
    tensor([0.5000, 1.0000])
    """
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Tensor | Number = 1, out: Tensor | None = None) -> Tensor:
    """`y = input + value * tensor1 * tensor2`, element by element.

    The three tensors broadcast; value: a number, 1 by default. Optimisers are made of it.

    >>> torch.addcmul(torch.zeros(2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), value=0.5)
    tensor([1.5000, 4.0000])
    """
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    `mat1` (n, k), `mat2` (k, m), `input` broadcasts to (n, m). With `beta=0` what `input` holds
    does not count, NaN neither.

    >>> x = torch.ones(2, 2)
    >>> torch.addmm(x, torch.tensor([[1.0], [2.0]]), torch.tensor([[3.0, 4.0]]))
    tensor([[4., 5.],
            [7., 9.]])
    >>> torch.addmm(x, x, x, beta=2, alpha=10)
    tensor([[22., 22.],
            [22., 22.]])
    """
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    `mat` (n, m), `vec` (m,), `input` broadcasts to (n,). With `beta=0` what `input` holds does not
    count.

    >>> x = torch.tensor([1.0, 1.0])
    >>> torch.addmv(x, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
    tensor([22., 44.])
    """
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """In place: beta * input + alpha * (mat @ vec).

    `mat` (n, m), `vec` (m,), `input` broadcasts to (n,). With `beta=0` what `input` holds does not
    count.

    >>> x = torch.tensor([1.0, 1.0])
    >>> x.addmv_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([1.0, 10.0]))
    tensor([22., 44.])
    """
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2).

    `vec1` (n,), `vec2` (m,), `input` broadcasts to (n, m). With `beta=0` what `input` holds does
    not count.

    >>> x = torch.zeros(2, 2)
    >>> torch.addr(x, torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions: y[..., i, j] = conj(x[..., j, i]).

    `input` (*, m, n), the result (*, n, m), a view.

    >>> x = torch.tensor([[1.0 + 1.0j, 2.0]])
    >>> torch.adjoint(x)
    tensor([[1.-1.j],
            [2.-0.j]])
    """
def affine_grid_generator(theta: Tensor, size: _int | Sequence[_int], align_corners: Any) -> Tensor:
    """A grid for `grid_sample`: the points of an image of `size` (N, C, *S), moved by `theta`.

    `nn.functional.affine_grid`, which checks its arguments.

    >>> theta = torch.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]])
    >>> torch.affine_grid_generator(theta, (1, 1, 1, 2), True)
    tensor([[[[-0.5000,  0.0000],
              [ 1.5000,  0.0000]]]])
    """
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy, with memory of its own.

    >>> x = torch.tensor([1, 2])
    >>> torch.alias_copy(x)
    tensor([1, 2])
    """
def all(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether every element is not zero, of all or over `dim`; True for no elements.

    dim: an int or a tuple; None, the default, reduces all dimensions. keepdim: these dimensions
    stay, with size 1. The result is of bools, but of uint8 for uint8.

    >>> x = torch.tensor([[1, 1], [0, 1]])
    >>> torch.all(x), torch.all(x, 1)
    (tensor(False), tensor([ True, False]))
    """
def allclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> _bool:
    """Whether all elements are nearly equal: `|input - other| <= atol + rtol * |other|`.

    rtol: 1e-5 by default; atol: 1e-8; equal_nan: True lets two NaN be equal.

    >>> torch.allclose(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.0]))
    True
    >>> torch.allclose(torch.tensor([1.0, 2.0]), torch.tensor([1.1, 2.0]))
    False
    """
def alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.alpha_dropout`.

    All parameters must be given; train=False changes nothing.

    >>> x = torch.zeros(4, 8, 5)
    >>> y = torch.alpha_dropout(x, 0.5, train=True)
    >>> y.unique(), y is x
    (tensor([-0.7792,  0.7792]), False)
    """
def alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.alpha_dropout`, in place.

    All parameters must be given; train=False changes nothing.

    >>> x = torch.zeros(4, 8, 5)
    >>> y = torch.alpha_dropout_(x, 0.5, train=True)
    >>> y.unique(), y is x
    (tensor([-0.7792,  0.7792]), True)
    """
def amax(input: Tensor, dim: Dims = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The largest value over `dim`, one dimension or several.

    dim: an int or a tuple; (), the default, reduces all dimensions. keepdim: these dimensions stay,
    with size 1. The gradient is shared equally among equal maxima, other than that of `max` along a
    dimension, which goes to the one that it returns. IndexError for a dimension without elements.

    >>> torch.amax(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
    tensor([5., 7.])
    >>> torch.amax(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), (0, 1))
    tensor(7.)
    """
def amin(input: Tensor, dim: Dims = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The smallest value over `dim`, one dimension or several.

    dim: an int or a tuple; (), the default, reduces all dimensions. keepdim: these dimensions stay,
    with size 1. The gradient is shared equally among equal minima. IndexError for a dimension
    without elements.

    >>> torch.amin(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
    tensor([1., 2.])
    >>> torch.amin(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), (0, 1))
    tensor(1.)
    """
def aminmax(input: Tensor, *, dim: _int | None = None, keepdim: _bool = False, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.aminmax:
    """The pair (min, max) of all elements, or along `dim`.

    dim: one dimension; None, the default, takes all. keepdim: it stays, with size 1. RuntimeError
    for no elements.

    >>> low, high = torch.aminmax(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), dim=1)
    >>> low, high
    (tensor([1., 2.]), tensor([5., 7.]))
    """
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The argument of each number, in radians: `y = atan2(imag, real)`.

    Of real numbers 0, and pi for negative ones; NaN stays NaN. Integers give the default float
    type.

    >>> torch.angle(torch.tensor([1 + 1j, -1j]))
    tensor([ 0.7854, -1.5708])
    >>> torch.angle(torch.tensor([1.0, -1.0]))
    tensor([0.0000, 3.1416])
    """
def any(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether some element is not zero, of all or over `dim`; False for no elements.

    dim: an int or a tuple; None, the default, reduces all dimensions. keepdim: these dimensions
    stay, with size 1. The result is of bools, but of uint8 for uint8.

    >>> x = torch.tensor([[0, 1], [0, 0]])
    >>> torch.any(x), torch.any(x, 1)
    (tensor(True), tensor([ True, False]))
    """
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
    """The inverse cosine: the angle in [0, pi] whose cosine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.acos(torch.tensor([1.0, 0.5, -1.0, 2.0]))
    tensor([0.0000, 1.0472, 3.1416,    nan])
    """
def arccos_(input: Tensor) -> Tensor:
    """In place: the inverse cosine: the angle in [0, pi] whose cosine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `-1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.tensor([1.0, 0.5, -1.0, 2.0]).acos_()
    tensor([0.0000, 1.0472, 3.1416,    nan])
    """
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

    NaN below 1, unless x is complex.

    >>> torch.acosh(torch.tensor([1.0, 2.0, 0.5]))
    tensor([0.0000, 1.3170,    nan])
    """
def arccosh_(input: Tensor) -> Tensor:
    """In place: the inverse hyperbolic cosine: `y = log(x + sqrt(x * x - 1))`.

    NaN below 1, unless x is complex.

    >>> torch.tensor([1.0, 2.0, 0.5]).acosh_()
    tensor([0.0000, 1.3170,    nan])
    """
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.asin(torch.tensor([0.0, 0.5, 1.0, 2.0]))
    tensor([0.0000, 0.5236, 1.5708,    nan])
    """
def arcsin_(input: Tensor) -> Tensor:
    """In place: the inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.tensor([0.0, 0.5, 1.0, 2.0]).asin_()
    tensor([0.0000, 0.5236, 1.5708,    nan])
    """
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

    >>> torch.asinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.8814, -0.8814])
    """
def arcsinh_(input: Tensor) -> Tensor:
    """In place: the inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

    >>> torch.tensor([0.0, 1.0, -1.0]).asinh_()
    tensor([ 0.0000,  0.8814, -0.8814])
    """
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

    `atan2` knows all four quadrants.

    >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
    tensor([0.0000, 0.7854, 1.5708])
    """
def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input): `y = atan(input / other)`, in the right quadrant,
    in [-pi, pi].

    input: the vertical coordinate; other: the horizontal one. Their shapes broadcast; integers give
    the default float type. The gradient at the origin is 0.

    >>> torch.atan2(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, -1.0, -1.0]))
    tensor([ 0.7854,  2.3562, -2.3562])
    """
def arctan_(input: Tensor) -> Tensor:
    """In place: the inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

    `atan2` knows all four quadrants.

    >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
    tensor([0.0000, 0.7854, 1.5708])
    """
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

    Infinite at -1 and 1, NaN outside, unless x is complex.

    >>> torch.atanh(torch.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.5493,    inf])
    """
def arctanh_(input: Tensor) -> Tensor:
    """In place: the inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

    Infinite at -1 and 1, NaN outside, unless x is complex.

    >>> torch.tensor([0.0, 0.5, 1.0]).atanh_()
    tensor([0.0000, 0.5493,    inf])
    """
def argmax(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The place of the largest value, in int64: in the flattened tensor, or along `dim`.

    dim: one dimension; None, the default, takes all. keepdim: the dimension stays, with size 1. Of
    equal values the first is taken, and NaN is larger than all. Not for bools; IndexError for no
    elements.

    >>> logits = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> torch.argmax(logits, 1)
    tensor([1, 0])
    >>> torch.argmax(logits)
    tensor(1)
    """
def argmin(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The place of the smallest value, in int64: in the flattened tensor, or along `dim`.

    dim: one dimension; None, the default, takes all. keepdim: the dimension stays, with size 1. Of
    equal values the first is taken, and NaN is smaller than all. Not for bools; IndexError for no
    elements.

    >>> x = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]])
    >>> torch.argmin(x, 1)
    tensor([0, 2])
    >>> torch.argmin(x)
    tensor(0)
    """
def argsort(input: Tensor, dim: _int = -1, descending: _bool = False, stable: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The indices, int64, that bring input into order along `dim`: the second of what `sort` gives.

    dim: -1 by default; descending: False by default. stable: equal values keep their order in any
    case.

    >>> x = torch.tensor([3.0, 1.0, 2.0])
    >>> torch.argsort(x)
    tensor([1, 2, 0])
    >>> x[torch.argsort(x, descending=True)]
    tensor([3., 2., 1.])
    """
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
    """The inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.asin(torch.tensor([0.0, 0.5, 1.0, 2.0]))
    tensor([0.0000, 0.5236, 1.5708,    nan])
    """
def asin_(input: Tensor) -> Tensor:
    """In place: the inverse sine: the angle in [-pi/2, pi/2] whose sine is x.

    NaN outside [-1, 1], unless x is complex. The derivative, `1 / sqrt(1 - x * x)`, is infinite at
    both ends.

    >>> torch.tensor([0.0, 0.5, 1.0, 2.0]).asin_()
    tensor([0.0000, 0.5236, 1.5708,    nan])
    """
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

    >>> torch.asinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.8814, -0.8814])
    """
def asinh_(input: Tensor) -> Tensor:
    """In place: the inverse hyperbolic sine: `y = log(x + sqrt(x * x + 1))`.

    >>> torch.tensor([0.0, 1.0, -1.0]).asinh_()
    tensor([ 0.0000,  0.8814, -0.8814])
    """
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

    `atan2` knows all four quadrants.

    >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
    tensor([0.0000, 0.7854, 1.5708])
    """
def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input): `y = atan(input / other)`, in the right quadrant,
    in [-pi, pi].

    input: the vertical coordinate; other: the horizontal one. Their shapes broadcast; integers give
    the default float type. The gradient at the origin is 0.

    >>> torch.atan2(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, -1.0, -1.0]))
    tensor([ 0.7854,  2.3562, -2.3562])
    """
def atan_(input: Tensor) -> Tensor:
    """In place: the inverse tangent: the angle in (-pi/2, pi/2) whose tangent is x.

    `atan2` knows all four quadrants.

    >>> torch.atan(torch.tensor([0.0, 1.0, float("inf")]))
    tensor([0.0000, 0.7854, 1.5708])
    """
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

    Infinite at -1 and 1, NaN outside, unless x is complex.

    >>> torch.atanh(torch.tensor([0.0, 0.5, 1.0]))
    tensor([0.0000, 0.5493,    inf])
    """
def atanh_(input: Tensor) -> Tensor:
    """In place: the inverse hyperbolic tangent: `y = log((1 + x) / (1 - x)) / 2`.

    Infinite at -1 and 1, NaN outside, unless x is complex.

    >>> torch.tensor([0.0, 0.5, 1.0]).atanh_()
    tensor([0.0000, 0.5493,    inf])
    """
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

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> F.avg_pool1d(x, 2).flatten()
    tensor([0.5000, 2.5000])
    """
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), for each matrix of the stacks.

    `batch1` (b, n, k), `batch2` (b, k, m), `input` broadcasts to (b, n, m). With `beta=0` what
    `input` holds does not count.

    >>> x = torch.ones(1, 2, 2)
    >>> torch.baddbmm(x, torch.ones(1, 2, 3), torch.ones(1, 3, 2))
    tensor([[[4., 4.],
             [4., 4.]]])
    """
def bartlett_window(window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Bartlett window, a triangle: `w[k] = 1 - |2 * k / n - 1|`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. dtype: a float type.

    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
def batch_norm(input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, training: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """`nn.functional.batch_norm` in the order of `torch.batch_norm`; `cudnn_enabled` changes
    nothing.

    >>> x = torch.tensor([[1.0], [3.0]])
    >>> torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[-1.0000],
            [ 1.0000]])
    """
def bernoulli(input: Tensor, p: Number | _str | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """1 or 0, each with the probability in `input`; with `p`, of that probability everywhere.

    input: probabilities, floats of any shape; the result has its shape and type. generator: the
    stream to draw from. RuntimeError outside [0, 1].

    >>> _ = torch.manual_seed(0)
    >>> torch.bernoulli(torch.tensor([0.0, 0.5, 0.5, 1.0]))
    tensor([0., 0., 1., 1.])
    """
def bincount(input: Tensor, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
    """How often each of 0, 1, 2, ... occurs, in int64.

    input (n,), integers, not negative; the result is as long as the largest of them plus one, and
    at least minlength (0 by default). weights (n,): summed in place of counting, in float64, or
    float32 where they are.

    >>> torch.bincount(torch.tensor([1, 3, 3]))
    tensor([0, 1, 0, 2])
    >>> torch.bincount(torch.tensor([1, 3, 3]), weights=torch.tensor([0.5, 1.0, 2.0]))
    tensor([0.0000, 0.5000, 0.0000, 3.0000])
    """
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
    """`y = input & other`: the bits that both have; logical and of bools.

    input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_and(torch.tensor([12, 10]), 6)
    tensor([4, 2])
    """
def bitwise_left_shift(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input << other`: the bits moved up by other places, `input * 2 ** other`.

    input, other: tensors of integers whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_left_shift(torch.tensor([1, 2, 3]), 4)
    tensor([16, 32, 48])
    """
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = ~x`: all bits inverted, which is `-x - 1` of signed integers; logical not of bools.

    For integers and bools.

    >>> torch.bitwise_not(torch.tensor([0, 5, -1]))
    tensor([-1, -6,  0])
    >>> ~torch.tensor([True, False])
    tensor([False,  True])
    """
def bitwise_or(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input | other`: the bits that one of them has; logical or of bools.

    input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_or(torch.tensor([12, 10]), 6)
    tensor([14, 14])
    """
def bitwise_right_shift(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input >> other`: the bits moved down by other places; the sign stays.

    input, other: tensors of integers whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_right_shift(torch.tensor([16, 35, -16]), 4)
    tensor([ 1,  2, -1])
    """
def bitwise_xor(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input ^ other`: the bits that exactly one of them has.

    input, other: tensors of integers or bools whose shapes broadcast, or one of them a number.

    >>> torch.bitwise_xor(torch.tensor([12, 10]), 6)
    tensor([10, 12])
    """
def blackman_window(window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Blackman window: `w[k] = 0.42 - 0.5 * cos(2 * pi * k / n) + 0.08 * cos(4 * pi * k / n)`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. dtype: a float type.

    >>> torch.blackman_window(4)[1:]
    tensor([0.3400, 1.0000, 0.3400])
    """
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices along its diagonal and zeros elsewhere.

    Vectors count as rows, numbers as 1 x 1 matrices.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
    tensor([[1, 2, 0],
            [0, 0, 3],
            [0, 0, 4]])
    """
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two stacks of matrices: (b, n, k) and (b, k, m) give (b, n, m).

    Nothing broadcasts: `matmul` does.

    >>> a = torch.ones(2, 1, 3)
    >>> torch.bmm(a, torch.ones(2, 3, 2))
    tensor([[[3., 3.]],
    <BLANKLINE>
            [[3., 3.]]])
    """
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
    """The number of the bucket into which each value falls: 0 below the first boundary, n above the
    last.

    boundaries (n,), ascending; input: a tensor of any shape, or a number. right: False, the
    default, counts a boundary to the bucket below it; True to the one above. out_int32: int32 in
    place of int64.

    >>> torch.bucketize(torch.tensor([0.5, 1.0, 7.0]), torch.tensor([1.0, 3.0, 5.0]))
    tensor([0, 0, 3])
    """
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
    """The p-norm distances between rows of x1 (*, P, M) and rows of x2 (*, R, M): (*, P, R).

    For p=2 and more than 25 rows through one matrix product, which is faster and less exact where
    points are close; `compute_mode` "use_mm_for_euclid_dist" or "donot_use_mm_for_euclid_dist"
    says that always, or never.

    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest integer not below x; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.ceil(torch.tensor([1.2, -1.7, 2.0]))
    tensor([ 2., -1.,  2.])
    """
def ceil_(input: Tensor) -> Tensor:
    """In place: the smallest integer not below x; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.tensor([1.2, -1.7, 2.0]).ceil_()
    tensor([ 2., -1.,  2.])
    """
def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """An elu whose derivative is continuous for every alpha:
    `y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.

    alpha: 1 by default; RuntimeError for 0. Barron, 2017, arXiv:1704.07483.

    >>> F.celu(torch.tensor([-1.0, 0.0, 2.0]), alpha=2.0)
    tensor([-0.7869,  0.0000,  2.0000])
    """
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """In place: an elu whose derivative is continuous for every alpha:
    `y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.

    alpha: 1 by default; RuntimeError for 0. Barron, 2017, arXiv:1704.07483.

    >>> F.celu_(torch.tensor([-1.0, 0.0, 2.0]), alpha=2.0)
    tensor([-0.7869,  0.0000,  2.0000])
    """
def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order: the older name of
    `linalg.multi_dot`.

    Deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.chain_matmul(torch.ones(1, 2), torch.ones(2, 3), torch.ones(3, 1))
    tensor([[6.]])
    """
def channel_shuffle(input: Tensor, groups: _int) -> Tensor:
    """Interleave `groups` groups of channels: channel i of group g becomes channel i * groups + g.

    `input` (N, C, *), C a multiple of `groups`. Zhang et al., ShuffleNet, 2018.

    >>> x = torch.arange(6).reshape(1, 6, 1)
    >>> F.channel_shuffle(x, 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """
def cholesky(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The lower (or upper) triangular factor of a positive definite matrix: `linalg.cholesky` is
    newer.

    >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> torch.cholesky(A)
    tensor([[2., 0.],
            [1., 2.]])
    """
def cholesky_inverse(input: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A from its Cholesky factor, which is `input`: L, or U if `upper`.

    >>> L = torch.tensor([[2.0, 0.0], [2.0, 1.0]])
    >>> torch.cholesky_inverse(L)
    tensor([[ 1.2500, -1.0000],
            [-1.0000,  1.0000]])
    """
def cholesky_solve(input: Tensor, input2: Tensor, upper: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = input, where `input2` is the Cholesky factor of A.

    L (*, n, n) with A = L @ L^H, or U with A = U^H @ U if `upper`; `input` (*, n, k).

    >>> A = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
    >>> b = torch.tensor([[8.0], [12.0]])
    >>> torch.cholesky_solve(b, torch.linalg.cholesky(A))
    tensor([[1.],
            [2.]])
    """
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
    """Hold each element between two bounds: `y = min(max(x, min), max)`.

    min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
    is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
    outside.

    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), min=torch.tensor([0.0, 1.0, 2.0]))
    tensor([0., 1., 3.])
    """
def clamp_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """In place: hold each element between two bounds: `y = min(max(x, min), max)`.

    min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
    is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
    outside.

    >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_(-1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
def clamp_max(input: Tensor, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Values above max become max: `y = min(x, max)`.

    max: a number, or a tensor that broadcasts.

    >>> torch.clamp_max(torch.tensor([-2.0, 0.5, 3.0]), 1)
    tensor([-2.0000,  0.5000,  1.0000])
    """
def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """In place: values above max become max: `y = min(x, max)`.

    max: a number, or a tensor that broadcasts.

    >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_max_(1)
    tensor([-2.0000,  0.5000,  1.0000])
    """
def clamp_min(input: Tensor, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Values below min become min: `y = max(x, min)`.

    min: a number, or a tensor that broadcasts.

    >>> torch.clamp_min(torch.tensor([-2.0, 0.5, 3.0]), 0)
    tensor([0.0000, 0.5000, 3.0000])
    """
def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """In place: values below min become min: `y = max(x, min)`.

    min: a number, or a tensor that broadcasts.

    >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_min_(0)
    tensor([0.0000, 0.5000, 3.0000])
    """
def clip(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Hold each element between two bounds: `y = min(max(x, min), max)`.

    min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
    is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
    outside.

    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), -1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    >>> torch.clamp(torch.tensor([-2.0, 0.5, 3.0]), min=torch.tensor([0.0, 1.0, 2.0]))
    tensor([0., 1., 3.])
    """
def clip_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """In place: hold each element between two bounds: `y = min(max(x, min), max)`.

    min, max: numbers or tensors that broadcast; None leaves that side open, but not both. Where min
    is above max, y is max. The gradient is that of x inside the bounds, bounds included, and 0
    outside.

    >>> torch.tensor([-2.0, 0.5, 3.0]).clamp_(-1, 1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
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
    """A complex tensor of two real ones: `y = real + i * imag`.

    real, imag: tensors of one float type whose shapes broadcast. float32 gives complex64, float64
    complex128, float16 complex32. RuntimeError for other types, or for two different ones.

    >>> torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([3.0, -4.0]))
    tensor([1.+3.j, 2.-4.j])
    """
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

    >>> x = torch.tensor([1 + 2j])
    >>> x.conj()
    tensor([1.-2.j])
    >>> x.conj().is_conj(), x.conj().data_ptr() == x.data_ptr()
    (True, True)
    """
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate, in memory of its own: `y = real - i * imag`.

    `conj` gives a view instead.

    >>> torch.conj_physical(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1.-2.j, 3.+4.j])
    """
def conj_physical_(input: Tensor) -> Tensor:
    """In place: the complex conjugate, in memory of its own: `y = real - i * imag`.

    `conj` gives a view instead.

    >>> torch.tensor([1 + 2j, 3 - 4j]).conj_physical_()
    tensor([1.-2.j, 3.+4.j])
    """
def constant_pad_nd(input: Tensor, pad: _int | Sequence[_int], value: Tensor | Number = 0) -> Tensor:
    """`input` in a frame of `value`; `pad` holds (left, right) from the last dimension on.

    Negative numbers crop. `nn.functional.pad` has other modes as well.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.constant_pad_nd(x, (1, 0, 0, 1), 9)
    tensor([[9, 1, 2],
            [9, 9, 9]])
    """
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

    >>> x, w = torch.ones(2, 3, 5), torch.ones(4, 3, 3)
    >>> tuple(F.conv1d(x, w, padding=1).shape)
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

    >>> x, w = torch.ones(2, 3, 5, 5), torch.ones(4, 3, 3, 3)
    >>> tuple(F.conv2d(x, w, padding=1).shape)
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

    >>> x, w = torch.ones(2, 3, 5, 5, 5), torch.ones(4, 3, 3, 3, 3)
    >>> tuple(F.conv3d(x, w, padding=1).shape)
    (2, 4, 5, 5, 5)
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: _int = 0) -> Tensor:
    """1-d convolution with time first: `input` (T, B, C), `weight` (k, C, O), `bias` (O,): (T', B,
    O).

    `pad` zeros are added at both ends: T' = T + 2 * pad - k + 1.

    >>> x, w = torch.ones(5, 1, 2), torch.ones(3, 2, 1)
    >>> torch.conv_tbc(x, w, torch.zeros(1), 1).flatten()
    tensor([4., 6., 6., 6., 4.])
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """The transpose of convolution in 1 dimension(s), also called deconvolution.

    An output is (n - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1 long.

    Args:
        input: (N, C, L), or (C, L) without a batch.
        weight: (C, O / groups, k).
        bias: (O,) or None.
        output_padding: added on one side of the output, whose size the stride leaves ambiguous.

    Raises RuntimeError when sizes, channels or types do not fit.

    >>> x, w = torch.ones(2, 3, 5), torch.ones(3, 4, 2)
    >>> tuple(F.conv_transpose1d(x, w, stride=2).shape)
    (2, 4, 10)
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

    >>> x, w = torch.ones(2, 3, 5, 5), torch.ones(3, 4, 2, 2)
    >>> tuple(F.conv_transpose2d(x, w, stride=2).shape)
    (2, 4, 10, 10)
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

    >>> x, w = torch.ones(2, 3, 5, 5, 5), torch.ones(3, 4, 2, 2, 2)
    >>> tuple(F.conv_transpose3d(x, w, stride=2).shape)
    (2, 4, 10, 10, 10)
    """
def convolution(input: Tensor, weight: Tensor, bias: Tensor, stride: _int | Sequence[_int], padding: _int | Sequence[_int], dilation: _int | Sequence[_int], transposed: _bool = False, output_padding: _int | Sequence[_int] = ..., groups: _int = 1) -> Tensor:
    """Convolve (cross-correlate) `input` (N, C, *S) with `weight`, or apply the transpose of that.

    The weight is (O, C / groups, *K), or (C, O / groups, *K) when `transposed`. Behind `conv1d`,
    `conv2d`, `conv3d` and their transposes, which are more convenient.

    >>> x, w = torch.tensor([[[1.0, 2.0, 4.0]]]), torch.tensor([[[1.0, -1.0]]])
    >>> torch.convolution(x, w, None, [1], [0], [1], False, [0], 1)
    tensor([[[-1., -2.]]])
    """
def copysign(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of input with the sign of other, -0.0 included.

    other: a tensor whose shape broadcasts, or a number. Integers give the default float type.

    >>> torch.copysign(torch.tensor([1.0, -2.0, 3.0]), torch.tensor([-1.0, 1.0, -0.0]))
    tensor([-1.,  2., -3.])
    """
def corrcoef(input: Tensor) -> Tensor:
    """The correlation matrix (n, n) of n variables, the rows: cov[i, j] / sqrt(cov[i, i] * cov[j,
    j]).

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> torch.corrcoef(x)
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of each element, an angle in radians: `y = cos(x)`.

    >>> torch.cos(torch.tensor([0.0, torch.pi / 3, torch.pi]))
    tensor([ 1.0000,  0.5000, -1.0000])
    """
def cos_(input: Tensor) -> Tensor:
    """In place: the cosine of each element, an angle in radians: `y = cos(x)`.

    >>> torch.tensor([0.0, torch.pi / 3, torch.pi]).cos_()
    tensor([ 1.0000,  0.5000, -1.0000])
    """
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`.

    >>> torch.cosh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([1.0000, 1.5431, 1.5431])
    """
def cosh_(input: Tensor) -> Tensor:
    """In place: the hyperbolic cosine: `y = (exp(x) + exp(-x)) / 2`.

    >>> torch.tensor([0.0, 1.0, -1.0]).cosh_()
    tensor([1.0000, 1.5431, 1.5431])
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: _int = 1, eps: _float = 1e-08) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) * max(|x2|, eps)) along `dim`, which the result does not have.

    The operands broadcast; 1 for the same direction, -1 for the opposite.

    >>> x = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    >>> torch.cosine_similarity(x, torch.tensor([[2.0, 0.0]]))
    tensor([1.0000, 0.7071])
    """
def count_nonzero(input: Tensor, dim: Dims | None = None) -> Tensor:
    """How many elements are not zero, in int64.

    dim: an int or a tuple of dimensions to count over; None, the default, counts all.

    >>> x = torch.tensor([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
    >>> torch.count_nonzero(x), torch.count_nonzero(x, 0)
    (tensor(3), tensor([0, 1, 2]))
    """
def cov(input: Tensor, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariance matrix (n, n) of n variables, the rows, over m observations, the columns.

    (X - mean) @ (X - mean)^H / (m - correction); `fweights` (m,) say how often an observation
    occurred (integers), `aweights` (m,) how much it weighs. Of a vector: its variance.

    >>> x = torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> torch.cov(x)
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
def cross(input: Tensor, other: Tensor | Number, dim: _int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The vector product along `dim`, a dimension of size 3.

    (a1*b2 - a2*b1, a2*b0 - a0*b2, a0*b1 - a1*b0). Without `dim` the first dimension of size 3 is
    taken; `linalg.cross` takes the last one.

    >>> x = torch.tensor([1.0, 0.0, 0.0])
    >>> torch.cross(x, torch.tensor([0.0, 1.0, 0.0]), dim=0)
    tensor([0., 0., 1.])
    """
def cummax(input: Tensor, dim: _int, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.cummax:
    """The pair (values, indices) of the running maximum along `dim`.

    indices: the last place where each maximum stood, int64. NaN, once met, stays. The gradient goes
    to these places.

    >>> values, indices = torch.cummax(torch.tensor([1.0, 3.0, 2.0, 3.0]), 0)
    >>> values, indices
    (tensor([1., 3., 3., 3.]), tensor([0, 1, 1, 3]))
    """
def cummin(input: Tensor, dim: _int, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.cummin:
    """The pair (values, indices) of the running minimum along `dim`.

    indices: the last place where each minimum stood, int64. NaN, once met, stays. The gradient goes
    to these places.

    >>> values, indices = torch.cummin(torch.tensor([3.0, 1.0, 2.0, 1.0]), 0)
    >>> values, indices
    (tensor([3., 1., 1., 1.]), tensor([0, 1, 1, 3]))
    """
def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Running products along `dim`: `y[i] = x[0] * ... * x[i]`.

    dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
    are multiplied in int64. The derivative is right where factors are 0 too.

    >>> torch.cumprod(torch.tensor([1.0, 2.0, 3.0, 4.0]), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """Running sums along `dim`: `y[i] = x[0] + ... + x[i]`.

    dim: the dimension; dtype: the type to which the elements are brought first. Integers and bools
    are summed in int64.

    >>> torch.cumsum(torch.tensor([[1, 2, 3], [4, 5, 6]]), 1)
    tensor([[ 1,  3,  6],
            [ 4,  9, 15]])
    """
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: _int = -1) -> Tensor:
    """Running integrals of samples by the trapezoidal rule; one shorter than y along `dim`.

    y, x, dx and dim are those of `trapezoid`, which is the last of them.

    >>> torch.cumulative_trapezoid(torch.tensor([0.0, 1.0, 4.0, 9.0]), dx=0.5)
    tensor([0.2500, 1.5000, 4.7500])
    """
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians: `y = x * pi / 180`.

    >>> torch.deg2rad(torch.tensor([0.0, 90.0, 180.0]))
    tensor([0.0000, 1.5708, 3.1416])
    """
def deg2rad_(input: Tensor) -> Tensor:
    """In place: degrees as radians: `y = x * pi / 180`.

    >>> torch.tensor([0.0, 90.0, 180.0]).deg2rad_()
    tensor([0.0000, 1.5708, 3.1416])
    """
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices (*, n, n): (*), by LU decomposition.

    Its gradient, det(A) * A^-T, is that of the cofactors and so exists for singular matrices too.
    Of large matrices the determinant over- or underflows: see `linalg.slogdet`.

    >>> A = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.linalg.det(A)
    tensor(-2.)
    """
def detach(input: Tensor) -> Tensor:
    """A tensor of the same memory without history.

    What is written into it is written into this tensor; gradients end here.

    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> y = x * x.detach()  # one factor counts as a constant
    >>> y.backward()
    >>> x.grad
    tensor([2.])
    """
def detach_(input: Tensor) -> Tensor:
    """Cut this tensor itself off its history.

    Raises:
        RuntimeError: the tensor is a view.

    >>> y = torch.ones(2, requires_grad=True) * 2
    >>> y.detach_().requires_grad
    False
    """
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`detach` as a copy: the result has memory of its own.

    Parameters are those of `detach`.

    >>> torch.detach_copy(torch.ones(2, requires_grad=True))
    tensor([1., 1.])
    """
def diag(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """Of a vector (n,) the matrix that has it on its diagonal; of a matrix its diagonal, as a copy.

    A positive `diagonal` is above the main one.

    >>> x = torch.tensor([1, 2])
    >>> torch.diag(x)
    tensor([[1, 0],
            [0, 2]])
    >>> torch.diag(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
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
    """Differences of neighbours along `dim`, n times over: `y[i] = x[i + 1] - x[i]`.

    n: how often; 1 by default. dim: -1 by default. prepend, append: tensors put before and behind
    input first, so that the result may keep the size of input. Each time the dimension gets one
    shorter. Bools give the exclusive or.

    >>> torch.diff(torch.tensor([1, 4, 9, 16]))
    tensor([3, 5, 7])
    >>> torch.diff(torch.tensor([1, 4, 9, 16]), n=2)
    tensor([2, 2])
    >>> torch.diff(torch.tensor([1, 4, 9, 16]), prepend=torch.tensor([0]))
    tensor([1, 3, 5, 7])
    """
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma: `y = gamma'(x) / gamma(x)`.

    -inf at 0, NaN at -1, -2 and so on.

    >>> torch.digamma(torch.tensor([1.0, 0.5, 0.0]))
    tensor([-0.5772, -1.9635,    -inf])
    """
def dist(input: Tensor, other: Tensor | Number, p: _float = 2) -> Tensor:
    """The p-norm of input - other: one number, (sum |input - other|^p)^(1/p).

    The operands broadcast; p may be 0 (how many differ), inf and -inf.

    >>> x = torch.tensor([1.0, 1.0])
    >>> torch.dist(x, torch.tensor([4.0, 5.0]))
    tensor(5.)
    >>> torch.dist(x, torch.tensor([4.0, 5.0]), p=1)
    tensor(7.)
    """
def div(input: Tensor, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """`y = input / other`, element by element; integers give the default float type.

    input, other: tensors whose shapes broadcast, or one of them a number.

    rounding_mode: None (the default), "floor", which rounds down, or "trunc", which rounds towards
    zero; with these two integers stay integers, and 0 is no divisor of theirs (RuntimeError).

    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    """
def divide(input: Tensor, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """`y = input / other`, element by element; integers give the default float type.

    input, other: tensors whose shapes broadcast, or one of them a number.

    rounding_mode: None (the default), "floor", which rounds down, or "trunc", which rounds towards
    zero; with these two integers stay integers, and 0 is no divisor of theirs (RuntimeError).

    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    """
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors of one length, without conjugation: sum(x * y).

    >>> x = torch.tensor([1, 2])
    >>> torch.dot(x, torch.tensor([10, 100]))
    tensor(210)
    """
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.dropout` with all parameters given: 0 with probability `p`, else x / (1 - p).

    >>> x = torch.ones(1000)
    >>> torch.dropout(x, 0.5, train=True).unique()
    tensor([0., 2.])
    """
def dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Dropout in place: each element is 0 with probability `p`, else divided by 1 - p.

    >>> x = torch.ones(3)
    >>> torch.dropout_(x, 1.0, train=True)
    tensor([0., 0., 0.])
    """
def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The matrix product, of which an operand may be sparse.

    input (n, m), mat2 (m, p); the result (n, p) is dense where one of them is. RuntimeError for
    tensors that are no matrices.

    >>> torch.spmm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]]))
    tensor([[1.],
            [2.]])
    """
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
    """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.eig`.

    >>> torch.eig(torch.eye(2))
    Traceback (most recent call last):
        ...
    RuntimeError: This function was deprecated since version 1.9 and is now removed...
    """
def einsum(equation: _str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Sums of products by Einstein's convention: einsum("ij,jk->ik", a, b).

    The equation names the dims of each operand and of the result; `...` stands for any dims, a
    letter twice in one operand for a diagonal, and without `->` the result has the letters that
    occur once, in alphabetical order. Also: einsum(a, [0, 1], b, [1, 2], [0, 2]).

    >>> a, b = torch.ones(2, 3), torch.ones(3, 4)
    >>> torch.einsum("ij,jk->ik", a, b).shape
    torch.Size([2, 4])
    """
def embedding(weight: Tensor, indices: Any, padding_idx: _int = -1, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """Rows of a table: `nn.functional.embedding` with the table first.

    Row `padding_idx` gets no gradient; `scale_grad_by_freq` divides gradients by how often their
    row occurs in `indices`; `sparse` makes the table's gradient a sparse tensor.

    >>> torch.embedding(torch.eye(3), torch.tensor([2, 0]))
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
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
    """True where input equals other: `y = input == other`. NaN equals nothing.

    other: a tensor whose shape broadcasts, or a number. The result is a tensor of bools;
    `torch.equal` compares whole tensors.

    >>> torch.eq(torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3]))
    tensor([ True, False,  True])
    """
def equal(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether both tensors have the same shape and equal elements, a bool.

    NaN equals nothing, so a tensor with a NaN is not equal to its copy.

    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2, 3]))
    False
    """
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: `y = 2 / sqrt(pi) * integral of exp(-t * t) from 0 to x`, between -1
    and 1.

    >>> torch.erf(torch.tensor([0.0, 1.0, -2.0]))
    tensor([ 0.0000,  0.8427, -0.9953])
    """
def erf_(input: Tensor) -> Tensor:
    """In place: the error function: `y = 2 / sqrt(pi) * integral of exp(-t * t) from 0 to x`, between -1
    and 1.

    >>> torch.tensor([0.0, 1.0, -2.0]).erf_()
    tensor([ 0.0000,  0.8427, -0.9953])
    """
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complementary error function: `y = 1 - erf(x)`, exact where erf(x) is near 1 too.

    >>> torch.erfc(torch.tensor([0.0, 1.0, 5.0]))
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
    """
def erfc_(input: Tensor) -> Tensor:
    """In place: the complementary error function: `y = 1 - erf(x)`, exact where erf(x) is near 1 too.

    >>> torch.tensor([0.0, 1.0, 5.0]).erfc_()
    tensor([1.0000e+00, 1.5730e-01, 1.5375e-12])
    """
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of erf: the x whose `erf(x)` is the element; infinite at -1 and 1, NaN
    outside.

    >>> torch.erfinv(torch.tensor([0.0, 0.5, -1.0]))
    tensor([0.0000, 0.4769,   -inf])
    """
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The exponential: `y = e ** x` of each element.

    Integers and bools give the default float type; complex numbers stay complex.

    >>> torch.exp(torch.tensor([0.0, 1.0, -1.0]))
    tensor([1.0000, 2.7183, 0.3679])
    """
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Two to the power of each element: `y = 2 ** x`.

    Integers and bools give the default float type.

    >>> torch.exp2(torch.tensor([0.0, 3.0, -1.0]))
    tensor([1.0000, 8.0000, 0.5000])
    """
def exp2_(input: Tensor) -> Tensor:
    """In place: two to the power of each element: `y = 2 ** x`.

    Integers and bools give the default float type.

    >>> torch.tensor([0.0, 3.0, -1.0]).exp2_()
    tensor([1.0000, 8.0000, 0.5000])
    """
def exp_(input: Tensor) -> Tensor:
    """In place: the exponential: `y = e ** x` of each element.

    Integers and bools give the default float type; complex numbers stay complex.

    >>> torch.tensor([0.0, 1.0, -1.0]).exp_()
    tensor([1.0000, 2.7183, 0.3679])
    """
def expand_copy(input: Tensor, size: _int | Sequence[_int], *, implicit: _bool = False, out: Tensor | None = None) -> Tensor:
    """`expand` as a copy: the result has memory of its own.

    Parameters are those of `expand`.

    >>> torch.expand_copy(torch.tensor([1, 2]), (2, 2)).stride()
    (2, 1)
    """
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = exp(x) - 1`, exact for small x too, where exp(x) is so near 1 that the difference
    would lose its digits.

    >>> x = torch.tensor([1e-8, 1.0])
    >>> torch.expm1(x)
    tensor([1.0000e-08, 1.7183e+00])
    >>> torch.exp(x) - 1
    tensor([0.0000, 1.7183])
    """
def expm1_(input: Tensor) -> Tensor:
    """In place: `y = exp(x) - 1`, exact for small x too, where exp(x) is so near 1 that the difference
    would lose its digits.

    >>> x = torch.tensor([1e-8, 1.0])
    >>> x.expm1_()
    tensor([1.0000e-08, 1.7183e+00])
    """
def eye(n: _int, m: _int | None = None, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The identity matrix (n, n); with `m` a matrix (n, m) with ones on the diagonal.

    >>> torch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    >>> torch.eye(2, 3, dtype=torch.int64)
    tensor([[1, 0, 0],
            [0, 1, 0]])
    """
def fake_quantize_per_channel_affine(input: Tensor, scale: Any, zero_point: Any, axis: _int, quant_min: _int, quant_max: _int) -> Tensor:
    """`fake_quantize_per_tensor_affine` with one scale and zero point for each channel.

    Args:
        input: of any shape and any type of floats, which the result has as well.
        scale: (C,) of float32 or bfloat16, where C is the size of dimension `axis`.
        zero_point: (C,) of int32, float32 or float16; whole ones within the range.
        axis: the dimension of the channels, not negative.
        quant_min, quant_max: the range of the quantized numbers.

    Raises RuntimeError for other types and shapes, an empty range, zero points beyond it.

    >>> x = torch.tensor([[0.26, 0.26], [9.0, -9.0]])
    >>> scale, zero = torch.tensor([0.1, 0.2]), torch.zeros(2, dtype=torch.int32)
    >>> torch.fake_quantize_per_channel_affine(x, scale, zero, 1, -8, 7)
    tensor([[ 0.3000,  0.2000],
            [ 0.7000, -1.6000]])
    """
def fake_quantize_per_tensor_affine(input: Tensor, scale: Any, zero_point: Any, quant_min: _int, quant_max: _int) -> Tensor:
    """The values that numbers quantized by one scale and zero point would have, as floats.

    y = (clamp(round(x / scale) + zero_point, quant_min, quant_max) - zero_point) * scale

    Gradients go through unchanged where the clamp does not act, and are 0 elsewhere.

    Args:
        input: of any shape and any type of floats, which the result has as well.
        scale: a number, or a tensor of one element.
        zero_point: a whole number from quant_min to quant_max, or a tensor of one element.
        quant_min, quant_max: the range of the quantized numbers: -128 and 127, 0 and 255.

    Raises RuntimeError for an empty range and a zero point beyond it.

    >>> x = torch.tensor([-0.3, 0.04, 0.26, 9.0], requires_grad=True)
    >>> y = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 15)
    >>> y.detach()
    tensor([0.0000, 0.0000, 0.3000, 1.5000])
    >>> y.sum().backward(); x.grad
    tensor([0., 1., 1., 0.])
    """
def feature_alpha_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout`.

    All parameters must be given; train=False changes nothing.

    >>> x = torch.zeros(4, 8, 5)
    >>> y = torch.feature_alpha_dropout(x, 0.5, train=True)
    >>> y.unique(), y is x
    (tensor([-0.7792,  0.7792]), False)
    """
def feature_alpha_dropout_(input: Tensor, p: _float, train: _bool) -> Tensor:
    """`nn.functional.feature_alpha_dropout`, in place.

    All parameters must be given; train=False changes nothing.

    >>> x = torch.zeros(4, 8, 5)
    >>> y = torch.feature_alpha_dropout_(x, 0.5, train=True)
    >>> y.unique(), y is x
    (tensor([-0.7792,  0.7792]), True)
    """
def feature_dropout(input: Tensor, p: _float, train: _bool) -> Tensor:
    """Dropout of whole channels: of (N, C, *) each (n, c) is zero everywhere, or kept and scaled.

    >>> x = torch.ones(4, 8, 5)
    >>> y = torch.feature_dropout(x, 0.5, train=True)
    >>> bool((y == y[:, :, :1]).all())
    True
    """
def fill(input: Tensor, value: Tensor | Number) -> Tensor:
    """A tensor of the input's shape and dtype filled with `value`.

    >>> x = torch.zeros(2)
    >>> torch.fill(x, 2.5)
    tensor([2.5000, 2.5000])
    """
def fill_(input: Tensor, value: Tensor | Number) -> Tensor:
    """Fills the tensor with one value (a number or a 0-d tensor), in place.

    >>> torch.empty(2, 2).fill_(7)
    tensor([[7., 7.],
            [7., 7.]])
    """
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x without its fraction, rounded towards zero; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.trunc(torch.tensor([1.7, -1.7, 2.0]))
    tensor([ 1., -1.,  2.])
    """
def fix_(input: Tensor) -> Tensor:
    """In place: x without its fraction, rounded towards zero; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.tensor([1.7, -1.7, 2.0]).trunc_()
    tensor([ 1., -1.,  2.])
    """
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
    """`y = input ** exponent`, computed in float64, or complex128 for complex numbers.

    input, exponent: tensors whose shapes broadcast, or one of them a number. Integers may have
    negative exponents here, other than in `torch.pow`.

    >>> torch.float_power(torch.tensor([2, 4]), -1)
    tensor([0.5000, 0.2500], dtype=torch.float64)
    """
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest integer not above x; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.floor(torch.tensor([1.7, -1.2, 2.0]))
    tensor([ 1., -2.,  2.])
    """
def floor_(input: Tensor) -> Tensor:
    """In place: the largest integer not above x; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.tensor([1.7, -1.2, 2.0]).floor_()
    tensor([ 1., -2.,  2.])
    """
def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = floor(input / other)`, rounded towards minus infinity, as Python's `//`.

    input, other: tensors whose shapes broadcast, or one of them a number. Integers stay integers;
    RuntimeError ("ZeroDivisionError") for integers divided by 0. The gradient is 0.

    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
    >>> torch.tensor([7.5, -7.5]) // 2
    tensor([ 3., -4.])
    """
def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two elements; NaN only if both are NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, input gets the gradient.

    >>> torch.fmax(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([3., 5., 1.])
    """
def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two elements; NaN only if both are NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, input gets the gradient.

    >>> torch.fmin(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([1., 2., 1.])
    """
def fmod(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input - other * trunc(input / other)`: it has the sign of input, as fmod of C.

    other: a tensor whose shape broadcasts, or a number. RuntimeError ("ZeroDivisionError") for
    integers divided by 0; floats give NaN.

    >>> torch.fmod(torch.tensor([7, -7]), 3)
    tensor([ 1, -1])
    """
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The fraction of each element, with its sign: `y = x - trunc(x)`.

    For floats alone. The derivative is 1.

    >>> torch.frac(torch.tensor([1.5, -1.5, 2.0]))
    tensor([ 0.5000, -0.5000,  0.0000])
    """
def frac_(input: Tensor) -> Tensor:
    """In place: the fraction of each element, with its sign: `y = x - trunc(x)`.

    For floats alone. The derivative is 1.

    >>> torch.tensor([1.5, -1.5, 2.0]).frac_()
    tensor([ 0.5000, -0.5000,  0.0000])
    """
def frexp(input: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.frexp:
    """Split floats into mantissa and exponent: `x = mantissa * 2 ** exponent`, with the magnitude
    of the mantissa in [0.5, 1).

    A pair (mantissa, exponent), the exponent of int32. RuntimeError for tensors that are not
    floats. `torch.ldexp` puts them together again.

    >>> mantissa, exponent = torch.frexp(torch.tensor([8.0, 0.75, -3.0]))
    >>> mantissa, exponent
    (tensor([ 0.5000,  0.7500, -0.7500]), tensor([4, 0, 2], dtype=torch.int32))
    """
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
def fused_moving_avg_obs_fake_quant(input: Tensor, observer_on: Any, fake_quant_on: Any, running_min: Any, running_max: Any, scale: Any, zero_point: Any, averaging_const: _float, quant_min: _int, quant_max: _int, ch_axis: _int, per_row_fake_quant: _bool = False, symmetric_quant: _bool = False) -> Tensor:
    """Observe the range of `input`, choose a scale and zero point by it, and fake-quantize.

    Args:
        input: float32, of any shape.
        observer_on, fake_quant_on: tensors of one number: whether either is done.
        running_min, running_max: the range so far, inf and -inf before the first call; changed in
            place, old + averaging_const * (new - old).
        scale, zero_point: changed in place when faking.
        quant_min, quant_max: the range of the quantized numbers.
        ch_axis, per_row_fake_quant: one range for each row of dimension 0, which `ch_axis` must be.
        symmetric_quant: the zero point is the middle of the range.

    >>> low, high = torch.tensor(torch.inf), torch.tensor(-torch.inf)
    >>> scale, zero, on = torch.ones(1), torch.zeros(1, dtype=torch.int32), torch.tensor([1])
    >>> x = torch.tensor([-1.0, 0.3, 2.0])
    >>> torch.fused_moving_avg_obs_fake_quant(x, on, on, low, high, scale, zero, 0.01, 0, 15, -1)
    tensor([-1.0000,  0.4000,  2.0000])
    >>> low, high, scale, zero
    (tensor(-1.), tensor(2.), tensor([0.2000]), tensor([5], dtype=torch.int32))
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
    """The greatest common divisor of two integers; not negative, and 0 for two zeros.

    input, other: tensors of integers whose shapes broadcast.

    >>> torch.gcd(torch.tensor([12, 7, 0]), torch.tensor([18, 3, 5]))
    tensor([6, 1, 5])
    """
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """In place: the greatest common divisor of two integers; not negative, and 0 for two zeros.

    input, other: tensors of integers whose shapes broadcast.

    >>> torch.tensor([12, 7, 0]).gcd_(torch.tensor([18, 3, 5]))
    tensor([6, 1, 5])
    """
def ge(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is at least other: `y = input >= other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """
def geqrf(input: Tensor, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.geqrf:
    """(a, tau): a QR decomposition in LAPACK's packed form.

    R is on and above the diagonal of `a` (*, m, n); below it are the vectors v of the reflections
    1 - tau v v^H whose product is Q: see `linalg.householder_product` and `ormqr`. No derivative.

    >>> x = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> torch.geqrf(x)
    torch.return_types.geqrf(
    a=tensor([[-5.0000, -2.2000],
            [ 0.5000,  0.4000]]),
    tau=tensor([1.6000, 0.0000]))
    """
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of an element of one vector with one of another: y[i, j] = input[i] * vec2[j].

    >>> x = torch.tensor([1, 2])
    >>> torch.outer(x, torch.tensor([3, 4, 5]))
    tensor([[ 3,  4,  5],
            [ 6,  8, 10]])
    """
def get_device(input: Tensor) -> _int:
    """The number of the device: -1, which is what a CPU has.

    >>> torch.get_device(torch.ones(2))
    -1
    """
def gradient(input: Tensor, *, spacing: Any = None, dim: Dims | None = None, edge_order: _int = 1) -> builtins.tuple[Tensor, ...]:
    """Derivatives estimated from samples, one tensor a dimension: central differences inside,
    one-sided ones at the edges.

    spacing: the distance of neighbours, one number for all (1 by default) or one a dimension, or a
    list of tensors of coordinates. dim: the dimensions, all by default. edge_order: 1 or 2, the
    order of the estimate at the edges. RuntimeError where a dimension has fewer than edge_order + 1
    samples.

    >>> x = torch.tensor([1.0, 4.0, 9.0, 16.0])
    >>> torch.gradient(x)
    (tensor([3., 4., 6., 7.]),)
    >>> torch.gradient(x, spacing=0.5, edge_order=2)
    (tensor([ 4.,  8., 12., 16.]),)
    """
def greater(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is greater than other: `y = input > other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """
def greater_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is at least other: `y = input >= other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True])
    """
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """`nn.functional.grid_sample` with its modes as numbers, in the order of its documentation.

    `interpolation_mode` 0 bilinear, 1 nearest, 2 bicubic; `padding_mode` 0 zeros, 1 border, 2
    reflection.

    >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> torch.grid_sampler(image, torch.tensor([[[[1.0, 1.0]]]]), 0, 0, True)
    tensor([[[[4.]]]])
    """
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """`grid_sampler` of images alone.

    `interpolation_mode` 0 bilinear, 1 nearest, 2 bicubic; `padding_mode` 0 zeros, 1 border, 2
    reflection.

    >>> x, grid = torch.ones(1, 2, 4, 4), torch.zeros(1, 3, 3, 2)
    >>> torch.grid_sampler_2d(x, grid, 0, 0, False).max()
    tensor(1.)
    """
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: _int, padding_mode: _int, align_corners: _bool) -> Tensor:
    """`grid_sampler` of volumes alone.

    `interpolation_mode` 0 bilinear, 1 nearest, 2 bicubic; `padding_mode` 0 zeros, 1 border, 2
    reflection.

    >>> x, grid = torch.ones(1, 2, 3, 3, 3), torch.zeros(1, 2, 2, 2, 3)
    >>> torch.grid_sampler_3d(x, grid, 0, 0, False).max()
    tensor(1.)
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05, cudnn_enabled: _bool = True) -> Tensor:
    """`nn.functional.group_norm`, with PyTorch's `cudnn_enabled`, which changes nothing.

    >>> x = torch.tensor([[[1.0], [3.0], [0.0], [10.0]]])
    >>> torch.group_norm(x, 2).flatten()
    tensor([-1.0000,  1.0000, -1.0000,  1.0000])
    """
def gru(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Gated recurrent unit: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.

    `input` (T, B, X), or (B, T, X) with `batch_first`; the states (T, B, H), twice H in both
    directions. `hx` holds a state (layers * directions, B, H);
    `params` are w_ih, w_hh, b_ih, b_hh of each layer and direction.

    >>> m = nn.GRU(2, 3)
    >>> x, h = torch.ones(5, 1, 2), torch.zeros(1, 1, 3)
    >>> y, *last = torch.gru(x, h, list(m.parameters()), True, 1, 0.0, False, False, False)
    >>> y.shape, [s.shape for s in last]
    (torch.Size([5, 1, 3]), [torch.Size([1, 1, 3])])
    """
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """h' of a gated recurrent unit after one input.

    r = sigmoid(w_r x + u_r h), z = sigmoid(w_z x + u_z h), n = tanh(w_n x + r * (u_n h)),
    h' = (1 - z) * n + z * h

    `input` (B, X), `hx` (B, H); `w_ih` (3 H, X) holds w_r, w_z and w_n, `w_hh` (3 H, H) the u, and
    both have biases (3 H,) or none. Cho et al., 2014.

    >>> torch.gru_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(3, 2), torch.ones(3, 1))
    tensor([[0.1149]])
    """
def gt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is greater than other: `y = input > other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True])
    """
def hamming_window(window_length: _int, periodic: _bool = True, alpha: _float = 0.54, beta: _float = 0.46, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Hamming window: `w[k] = alpha - beta * cos(2 * pi * k / n)`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. alpha: 0.54 by default; beta: 0.46. dtype:
    a float type.

    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
def hann_window(window_length: _int, periodic: _bool = True, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Hann window: `w[k] = (1 - cos(2 * pi * k / n)) / 2`.

    window_length: how many values; periodic: True, the default, takes n = window_length, so that
    copies go together, as `stft` wants; False takes window_length - 1, and the window is symmetric.
    dtype: a float type.

    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    >>> torch.hann_window(5, periodic=False)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
def hardshrink(input: Tensor, lambd: _float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """`y = x` where |x| > lambd, else 0.

    lambd: 0.5 by default; of narrow types it is rounded as the elements are.

    >>> F.hardshrink(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.,  0.,  2.])
    """
def hash_tensor(input: Tensor, dim: Dims = ..., *, keepdim: _bool = False, mode: _int = 0, out: Tensor | None = None) -> Tensor:
    """A number that tells tensors apart: the exclusive or of the bits of all elements, or over
    `dim`, after each was made a 64-bit number.

    dim: an int or a tuple; (), the default, takes all. keepdim: these dimensions stay, with size 1.
    mode: 0 alone. Not for complex numbers. The order of the elements makes no difference.

    >>> torch.hash_tensor(torch.tensor([1, 2, 4]))
    tensor(7, dtype=torch.uint64)
    """
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The step function: 0 where input is negative, 1 where it is positive, `values` where it
    is 0.

    values: a tensor of the type of input that broadcasts with it; nothing is promoted.

    >>> torch.heaviside(torch.tensor([-1.5, 0.0, 2.0]), torch.tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
def histc(input: Tensor, bins: _int = 100, min: _float = 0, max: _float = 0, *, out: Tensor | None = None) -> Tensor:
    """How many elements fall into each of `bins` equal bins between min and max, in the type of
    input.

    bins: 100 by default; min, max: 0 and 0, the default, take the range of the data; what lies
    outside is not counted. For floats.

    >>> torch.histc(torch.tensor([1.0, 2.0, 1.0, 4.0]), bins=4, min=0, max=4)
    tensor([0., 2., 1., 1.])
    """
def histogram(input: Tensor, bins: _int = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.histogram:
    """The pair (hist, bin_edges): how many elements fall into each bin.

    bins: their number (100 by default), or a tensor of ascending edges. range: the pair (lowest,
    highest) for a number of bins; by default that of the data. weight: a tensor of the shape of
    input that is summed in place of counting. density: True divides so that the integral is 1.

    >>> hist, edges = torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0))
    >>> hist, edges
    (tensor([0., 2., 1., 0.]), tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000]))
    """
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> return_types.histogramdd:
    """The pair (hist, bin_edges) of points with several coordinates.

    input (*, d); hist has d dimensions, and bin_edges is a list of d tensors. bins: one number, a
    number for each coordinate, or a list of tensors of edges. range: 2 * d numbers, the lowest and
    the highest of each coordinate. weight (*); density: True divides so that the integral is 1.

    >>> points = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]])
    >>> torch.histogramdd(points, bins=[3, 3]).hist
    tensor([[0., 1., 0.],
            [1., 0., 0.],
            [1., 0., 1.]])
    """
def hsmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a sparse matrix and a dense one, as a tensor with sparse rows and dense
    columns.

    mat1 (n, m), sparse; mat2 (m, p). NotImplementedError where both are dense: `torch.mm`.

    >>> torch.hspmm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]])).to_dense()
    tensor([[1.],
            [2.]])
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
    """The product of a sparse matrix and a dense one, as a tensor with sparse rows and dense
    columns.

    mat1 (n, m), sparse; mat2 (m, p). NotImplementedError where both are dense: `torch.mm`.

    >>> torch.hspmm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]])).to_dense()
    tensor([[1.],
            [2.]])
    """
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along the second dimension, vectors along the first.

    >>> torch.hstack((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
    >>> torch.hstack((torch.tensor([[1], [2]]), torch.tensor([[3], [4]])))
    tensor([[1, 3],
            [2, 4]])
    """
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hypotenuse: `y = sqrt(input * input + other * other)`, without overflow.

    input, other: tensors of floats whose shapes broadcast.

    >>> torch.hypot(torch.tensor([3.0, 5e30]), torch.tensor([4.0, 12e30]))
    tensor([5.0000e+00, 1.3000e+31])
    """
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, order 0:
    `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

    `i0e` does not overflow for large x.

    >>> torch.i0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  1.2661, 27.2399])
    """
def i0_(input: Tensor) -> Tensor:
    """In place: the modified Bessel function of the first kind, order 0:
    `y = sum over k of (x * x / 4) ** k / (k!) ** 2`.

    `i0e` does not overflow for large x.

    >>> torch.tensor([0.0, 1.0, 5.0]).i0_()
    tensor([ 1.0000,  1.2661, 27.2399])
    """
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised lower incomplete gamma function:
    `P(a, x) = integral of t ** (a - 1) * exp(-t) from 0 to x, divided by gamma(a)`, with a = input
    and x = other.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone; backward with a gradient for input raises.

    >>> torch.igamma(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 3.0]))
    tensor([0.6321, 0.5940, 0.5768])
    """
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularised upper incomplete gamma function: `Q(a, x) = 1 - P(a, x)`, with a = input
    and x = other, exact for large x too.

    Both are tensors of floats, not negative, whose shapes broadcast. There is a derivative by other
    alone.

    >>> torch.igammac(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 30.0]))
    tensor([3.6788e-01, 2.9009e-12])
    """
def imag(input: Tensor) -> Tensor:
    """The imaginary part, a view. RuntimeError for real tensors.

    >>> torch.imag(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([ 2., -4.])
    """
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
    """Sums of products over the last dimension of both, without conjugation.

    (*a, n) and (*b, n) give (*a, *b); vectors a number. If one has no dimensions, the plain
    product.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.inner(x, torch.tensor([1, 10]))
    tensor([21, 43])
    """
def instance_norm(input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, use_input_stats: _bool, momentum: _float, eps: _float, cudnn_enabled: _bool) -> Tensor:
    """`nn.functional.instance_norm` in the order of `torch.instance_norm`; `cudnn_enabled` changes
    nothing.

    >>> x = torch.tensor([[[1.0, 3.0]]])
    >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False)
    tensor([[[-1.0000,  1.0000]]])
    """
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices (*, n, n): another name of `linalg.inv`.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> torch.inverse(A)
    tensor([[ 0.5000,  0.0000],
            [-0.5000,  1.0000]])
    """
def is_complex(input: Tensor) -> _bool:
    """Whether the dtype is a complex type.

    >>> torch.is_complex(torch.tensor([1j])), torch.is_complex(torch.tensor([1.0]))
    (True, False)
    """
def is_conj(input: Tensor) -> _bool:
    """Whether the tensor is a view of its memory's conjugates, as `conj` makes it.

    >>> x = torch.tensor([1 + 2j])
    >>> torch.is_conj(x), torch.is_conj(x.conj())
    (False, True)
    """
def is_distributed(input: Tensor) -> _bool:
    """False: there are no such tensors any more, in PyTorch either.

    >>> torch.is_distributed(torch.ones(2))
    False
    """
def is_floating_point(input: Tensor) -> _bool:
    """Whether the dtype is a floating type: float64, float32, float16, bfloat16 or
    one of 8 bits.

    >>> torch.is_floating_point(torch.tensor([1.0])), torch.is_floating_point(torch.tensor([1]))
    (True, False)
    """
def is_inference(input: Tensor) -> _bool:
    """Whether the tensor was made inside `inference_mode`, so that no graph may hold it.

    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> torch.is_inference(x), torch.is_inference(torch.ones(2))
    (True, False)
    """
def is_neg(input: Tensor) -> _bool:
    """Whether the tensor is a view of its memory's negatives, as the imaginary part of a conjugate
    is.

    >>> x = torch.tensor([1 + 2j])
    >>> torch.is_neg(x.imag), torch.is_neg(x.conj().imag)
    (False, True)
    """
def is_nonzero(input: Tensor) -> _bool:
    """Whether the only element is not zero, as `bool(x)`.

    RuntimeError for a tensor with no or with several elements.

    >>> torch.is_nonzero(torch.tensor([0.0])), torch.is_nonzero(torch.tensor([3.0]))
    (False, True)
    """
def is_same_size(input: Tensor, other: Tensor | Number) -> _bool:
    """Whether both tensors have the same shape.

    >>> torch.is_same_size(torch.ones(2, 3), torch.zeros(2, 3))
    True
    """
def is_signed(input: Tensor) -> _bool:
    """Whether the dtype has negative values.

    >>> torch.is_signed(torch.tensor([1.0])), torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    (True, False)
    """
def is_storage(obj: Any) -> _bool:
    """Whether `obj` is the storage of a tensor.

    >>> torch.is_storage(torch.ones(2).untyped_storage()), torch.is_storage(torch.ones(2))
    (True, False)
    """
def isclose(input: Tensor, other: Tensor | Number, rtol: _float = 1e-05, atol: _float = 1e-08, equal_nan: _bool = False) -> Tensor:
    """True where two elements are nearly equal: `|input - other| <= atol + rtol * |other|`.

    rtol: 1e-5 by default; atol: 1e-8; equal_nan: True lets two NaN be equal. Infinities are near
    themselves only. RuntimeError for tensors of two types.

    >>> torch.isclose(torch.tensor([1.0, 1.0]), torch.tensor([1.000001, 1.1]))
    tensor([ True, False])
    """
def isfinite(input: Tensor) -> Tensor:
    """True where an element is neither infinite nor NaN; True for every integer.

    >>> torch.isfinite(torch.tensor([1.0, float("nan"), float("inf")]))
    tensor([ True, False, False])
    >>> torch.isfinite(torch.tensor([1.0, 2.0])).all()
    tensor(True)
    """
def isin(elements: Tensor | Number, test_elements: Tensor | Number, *, assume_unique: _bool = False, invert: _bool = False, out: Tensor | None = None) -> Tensor:
    """True where an element is among the test elements.

    elements, test_elements: tensors of any shapes, or one of them a number; the result has the
    shape of elements. Not for bools and complex numbers.

    invert: True asks the opposite. assume_unique: accepted, and changes nothing here.

    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 4]))
    tensor([[False,  True],
            [False,  True]])
    """
def isinf(input: Tensor) -> Tensor:
    """True where an element is plus or minus infinity. Of a complex number: where either part
    is.

    >>> torch.isinf(torch.tensor([1.0, float("nan"), -float("inf")]))
    tensor([False, False,  True])
    """
def isnan(input: Tensor) -> Tensor:
    """True where an element is NaN. Of a complex number: where either part is.

    >>> torch.isnan(torch.tensor([1.0, float("nan"), float("inf")]))
    tensor([False,  True, False])
    """
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where an element is -inf. Not for complex numbers.

    >>> torch.isneginf(torch.tensor([1.0, float("inf"), -float("inf")]))
    tensor([False, False,  True])
    """
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where an element is +inf. Not for complex numbers.

    >>> torch.isposinf(torch.tensor([1.0, float("inf"), -float("inf")]))
    tensor([False,  True, False])
    """
def isreal(input: Tensor) -> Tensor:
    """True where the imaginary part is 0, so everywhere in a real tensor.

    >>> torch.isreal(torch.tensor([1 + 0j, 1 + 2j]))
    tensor([ True, False])
    """
def istft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
    """The inverse of `stft` in the sense of least squares: pieces are transformed back, windowed
    and added where they overlap, and divided by the overlapped squares of the window.

    input (frequencies, frames) or (batch, frequencies, frames), complex; the result (*, length).

    n_fft, hop_length, win_length, window, center, normalized and onesided as they were for stft.
    length: the length of the signal, where it is not to be what the frames give. return_complex:
    for a signal that was complex. RuntimeError where the window leaves a place that no piece
    covers.

    >>> x, w = torch.sin(torch.arange(100.0)), torch.hann_window(16)
    >>> y = torch.stft(x, 16, window=w, return_complex=True)
    >>> torch.allclose(torch.istft(y, 16, window=w, length=100), x, atol=1e-5)
    True
    """
def kaiser_window(window_length: _int, periodic: _bool = True, beta: _float = 12.0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The Kaiser window: `w[k] = i0(beta * sqrt(1 - (2 * k / n - 1) ** 2)) / i0(beta)`.

    window_length: how many values; periodic: True, the default, takes n = window_length; False
    takes window_length - 1, and the window is symmetric. beta: how narrow it is, 12 by default.
    dtype: a float type.

    >>> torch.kaiser_window(4, True, 5.0)
    tensor([0.0367, 0.5529, 1.0000, 0.5529])
    """
def kron(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: every element of `input` times the whole of `other`, as blocks.

    (n, m) and (p, q) give (n * p, m * q); leading dimensions of 1 are added where one has fewer.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.kron(x, torch.tensor([[1, 1], [0, 1]]))
    tensor([[1, 1, 2, 2],
            [0, 1, 0, 2]])
    """
def kthvalue(input: Tensor, k: _int, dim: _int = -1, keepdim: _bool = False, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.kthvalue:
    """The pair (values, indices) of the k-th smallest element along `dim`.

    k: from 1 to the size of the dimension, else RuntimeError. dim: -1 by default; keepdim: the
    dimension stays, with size 1. NaN counts as the greatest.

    >>> value, index = torch.kthvalue(torch.tensor([30.0, 10.0, 20.0]), 2)
    >>> value, index
    (tensor(20.), tensor(2))
    """
def layer_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _float = 1e-05, cudnn_enable: _bool = True) -> Tensor:
    """`nn.functional.layer_norm`, with PyTorch's `cudnn_enable`, which changes nothing.

    >>> x = torch.tensor([[1.0, 3.0], [0.0, 10.0]])
    >>> torch.layer_norm(x, (2,))
    tensor([[-1.0000,  1.0000],
            [-1.0000,  1.0000]])
    """
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple of two integers; 0 where one of them is 0.

    input, other: tensors of integers whose shapes broadcast.

    >>> torch.lcm(torch.tensor([4, 7, 0]), torch.tensor([6, 3, 5]))
    tensor([12, 21,  0])
    """
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """In place: the least common multiple of two integers; 0 where one of them is 0.

    input, other: tensors of integers whose shapes broadcast.

    >>> torch.tensor([4, 7, 0]).lcm_(torch.tensor([6, 3, 5]))
    tensor([12, 21,  0])
    """
def ldexp(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input * 2 ** other`: a number from its mantissa and its exponent, the inverse of frexp.

    other: a tensor of exponents that broadcasts with input. Integers give the default float type.

    >>> torch.ldexp(torch.tensor([1.0, 0.75]), torch.tensor([3, -2]))
    tensor([8.0000, 0.1875])
    """
def ldexp_(input: Tensor, other: Tensor | Number) -> Tensor:
    """In place: `y = input * 2 ** other`: a number from its mantissa and its exponent, the inverse of frexp.

    other: a tensor of exponents that broadcasts with input. Integers give the default float type.

    >>> torch.tensor([1.0, 0.75]).ldexp_(torch.tensor([3, -2]))
    tensor([8.0000, 0.1875])
    """
def le(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is at most other: `y = input <= other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """
def lerp(input: Tensor, end: Tensor, weight: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """A point on the line between two tensors: `y = input + weight * (end - input)`.

    weight: a number, or a tensor that broadcasts with both; 0 gives input, 1 gives end. All of one
    float or complex type; nothing is promoted.

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.25)
    tensor([ 0.2500, 12.5000])
    """
def less(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is less than other: `y = input < other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """
def less_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is at most other: `y = input <= other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False])
    """
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function: `y = log(|gamma(x)|)`; gamma(n) is `(n - 1)!`.

    Infinite at 0, -1, -2 and so on.

    >>> torch.lgamma(torch.tensor([1.0, 4.0, 0.5, -1.0]))
    tensor([0.0000, 1.7918, 0.5724,    inf])
    >>> torch.lgamma(torch.tensor(4.0)).exp()
    tensor(6.)
    """
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
    """The natural logarithm of each element: `y = log(x)`.

    -inf for 0, NaN below. Integers and bools give the default float type; of complex numbers it is
    the principal value.

    >>> torch.log(torch.tensor([1.0, 10.0, 0.0, -1.0]))
    tensor([0.0000, 2.3026,   -inf,    nan])
    """
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10: `y = log(x) / log(10)`.

    -inf for 0, NaN below. Integers and bools give the default float type.

    >>> torch.log10(torch.tensor([1.0, 1000.0, 0.5]))
    tensor([ 0.0000,  3.0000, -0.3010])
    """
def log10_(input: Tensor) -> Tensor:
    """In place: the logarithm to base 10: `y = log(x) / log(10)`.

    -inf for 0, NaN below. Integers and bools give the default float type.

    >>> torch.tensor([1.0, 1000.0, 0.5]).log10_()
    tensor([ 0.0000,  3.0000, -0.3010])
    """
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = log(1 + x)`, exact for small x too, where 1 + x would lose the digits of x.

    -inf for -1, NaN below.

    >>> x = torch.tensor([1e-8, 1.0, -1.0])
    >>> torch.log1p(x)
    tensor([1.0000e-08, 6.9315e-01,       -inf])
    >>> torch.log(1 + x)
    tensor([0.0000, 0.6931,   -inf])
    """
def log1p_(input: Tensor) -> Tensor:
    """In place: `y = log(1 + x)`, exact for small x too, where 1 + x would lose the digits of x.

    -inf for -1, NaN below.

    >>> x = torch.tensor([1e-8, 1.0, -1.0])
    >>> x.log1p_()
    tensor([1.0000e-08, 6.9315e-01,       -inf])
    """
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2: `y = log(x) / log(2)`, exact for powers of two.

    -inf for 0, NaN below. Integers and bools give the default float type.

    >>> torch.log2(torch.tensor([1.0, 8.0, 1024.0]))
    tensor([ 0.,  3., 10.])
    """
def log2_(input: Tensor) -> Tensor:
    """In place: the logarithm to base 2: `y = log(x) / log(2)`, exact for powers of two.

    -inf for 0, NaN below. Integers and bools give the default float type.

    >>> torch.tensor([1.0, 8.0, 1024.0]).log2_()
    tensor([ 0.,  3., 10.])
    """
def log_(input: Tensor) -> Tensor:
    """In place: the natural logarithm of each element: `y = log(x)`.

    -inf for 0, NaN below. Integers and bools give the default float type; of complex numbers it is
    the principal value.

    >>> torch.tensor([1.0, 10.0, 0.0, -1.0]).log_()
    tensor([0.0000, 2.3026,   -inf,    nan])
    """
def log_softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(softmax(x)) along `dim`, without overflow: x - log(sum(exp(x))).

    `dtype` converts before; integers need one.

    >>> x = torch.tensor([0.0, 1000.0])
    >>> torch.log_softmax(x, 0)
    tensor([-1000.,     0.])
    """
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = log(exp(input) + exp(other))`, without overflow: the sum of two probabilities that
    are given by their logarithms.

    input, other: tensors of floats or complex numbers whose shapes broadcast.

    >>> torch.logaddexp(torch.tensor([0.0, -1000.0]), torch.tensor([0.0, -1000.0]))
    tensor([ 6.9315e-01, -9.9931e+02])
    """
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = log2(2 ** input + 2 ** other)`, without overflow.

    input, other: tensors of floats whose shapes broadcast.

    >>> torch.logaddexp2(torch.tensor([3.0, 1000.0]), torch.tensor([3.0, 1000.0]))
    tensor([   4., 1001.])
    """
def logcumsumexp(input: Tensor, dim: _int, *, out: Tensor | None = None) -> Tensor:
    """Running `log(exp(x[0]) + ... + exp(x[i]))` along `dim`, without overflow.

    For floats and complex numbers.

    >>> torch.logcumsumexp(torch.tensor([0.0, 0.0, 1000.0]), 0)
    tensor([0.0000e+00, 6.9315e-01, 1.0000e+03])
    """
def logdet(input: Tensor) -> Tensor:
    """The log of the determinant of square matrices (*, n, n); NaN where that is negative, -inf for
    0.

    >>> x = torch.eye(2) * 3
    >>> torch.logdet(x)
    tensor(2.1972)
    """
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where both are not zero. Takes all types and gives bools.

    input, other: tensors whose shapes broadcast.

    >>> torch.logical_and(torch.tensor([0, 1, 2]), torch.tensor([1, 0, 5]))
    tensor([False, False,  True])
    """
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where an element is zero. Takes all types and gives bools.

    >>> torch.logical_not(torch.tensor([0.0, 1.5, -2.0]))
    tensor([ True, False, False])
    """
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where one or both are not zero. Takes all types and gives bools.

    input, other: tensors whose shapes broadcast.

    >>> torch.logical_or(torch.tensor([0, 0, 2]), torch.tensor([1, 0, 5]))
    tensor([ True, False,  True])
    """
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where exactly one of the two is not zero. Takes all types and gives bools.

    input, other: tensors whose shapes broadcast.

    >>> torch.logical_xor(torch.tensor([0, 0, 2]), torch.tensor([1, 0, 5]))
    tensor([ True, False, False])
    """
def logit(input: Tensor, eps: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the sigmoid: `y = log(x / (1 - x))`, for x in [0, 1]; NaN outside.

    eps: x is first brought into [eps, 1 - eps], so that the result is finite. The gradient is 0
    where that changes x. None, the default: no bounds.

    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]))
    tensor([0.0000, 2.1972,    inf])
    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]), eps=1e-3)
    tensor([0.0000, 2.1972, 6.9068])
    """
def logit_(input: Tensor, eps: Tensor | Number | None = None) -> Tensor:
    """In place: the inverse of the sigmoid: `y = log(x / (1 - x))`, for x in [0, 1]; NaN outside.

    eps: x is first brought into [eps, 1 - eps], so that the result is finite. The gradient is 0
    where that changes x. None, the default: no bounds.

    >>> torch.tensor([0.5, 0.9, 1.0]).logit_()
    tensor([0.0000, 2.1972,    inf])
    """
def logspace(start: Tensor | Number, end: Tensor | Number, steps: _int, base: _float = 10.0, *, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`steps` numbers from base^start to base^end, whose exponents are at equal distances.

    y[i] = base ^ (start + i * (end - start) / (steps - 1)).

    >>> torch.logspace(0, 3, steps=4)
    tensor([   1.,   10.,  100., 1000.])
    >>> torch.logspace(0, 3, steps=4, base=2)
    tensor([1., 2., 4., 8.])
    """
def logsumexp(input: Tensor, dim: Dims, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """`y = log(sum of exp(x))` over `dim`, without overflow: the sum of probabilities that are
    given by their logarithms.

    dim: an int or a tuple; keepdim: these dimensions stay, with size 1. Integers give the default
    float type. Its gradient is softmax.

    >>> torch.logsumexp(torch.tensor([[0.0, 1.0], [1000.0, 1000.0]]), 1)
    tensor([   1.3133, 1000.6932])
    """
def lstm(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Long short-term memory: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.

    `input` (T, B, X), or (B, T, X) with `batch_first`; the states (T, B, H), twice H in both
    directions. `hx` holds a state (layers * directions, B, H), for h and for c;
    `params` are w_ih, w_hh, b_ih, b_hh of each layer and direction.

    >>> m = nn.LSTM(2, 3)
    >>> x, h = torch.ones(5, 1, 2), torch.zeros(1, 1, 3)
    >>> y, *last = torch.lstm(x, (h, h), list(m.parameters()), True, 1, 0.0, False, False, False)
    >>> y.shape, [s.shape for s in last]
    (torch.Size([5, 1, 3]), [torch.Size([1, 1, 3]), torch.Size([1, 1, 3])])
    """
def lstm_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> builtins.tuple[Tensor, ...]:
    """(h', c') of a long short-term memory after one input.

    i, f, g, o = w_ih @ x + b_ih + w_hh @ h + b_hh, each in a quarter of 4 H numbers
    c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h' = sigmoid(o) * tanh(c')

    `input` (B, X), `hx` = (h, c), each (B, H); `w_ih` (4 H, X), `w_hh` (4 H, H), biases (4 H,) or
    none. Hochreiter and Schmidhuber, 1997.

    >>> h = c = torch.zeros(1, 1)
    >>> torch.lstm_cell(torch.ones(1, 2), (h, c), torch.ones(4, 2), torch.ones(4, 1))
    (tensor([[0.6083]]), tensor([[0.8491]]))
    """
def lstsq(input: Tensor, A: Tensor, *, out: Tensor | None = None) -> Any:
    """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.lstsq, with the arguments the other way round`.

    >>> torch.lstsq(torch.eye(2))
    Traceback (most recent call last):
        ...
    RuntimeError: This function was deprecated since version 1.9 and is now removed...
    """
def lt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input is less than other: `y = input < other`; False where either is NaN.

    other: a tensor whose shape broadcasts, or a number. Not for complex numbers.

    >>> torch.lt(torch.tensor([1, 2, 3]), 2)
    tensor([ True, False, False])
    """
def lu(A: Tensor, pivot: _bool = True, get_infos: _bool = False, out: builtins.tuple[Tensor, ...] | None = None) -> builtins.tuple[Tensor, ...]:
    """(LU, pivots), with `get_infos=True` (LU, pivots, info): the older form of `linalg.lu_factor`.

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> LU, pivots = torch.lu(A)
    >>> LU
    tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]])
    """
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The X with A @ X = input, from the packed LU of A: the older form of `linalg.lu_solve`.

    `input` (*, n, k), `LU_data` (*, n, n) and `LU_pivots` (*, n) as `linalg.lu_factor` returns
    them.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2.0, 0.0], [1.0, 4.0]]))
    >>> b = torch.tensor([[2.0], [9.0]])
    >>> torch.lu_solve(b, LU, pivots)
    tensor([[1.],
            [2.]])
    """
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: _bool = True, unpack_pivots: _bool = True, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.lu_unpack:
    """(P, L, U) of what `linalg.lu_factor` returns: A = P @ L @ U.

    With `unpack_data=False` L and U are empty, with `unpack_pivots=False` P.

    >>> A = torch.tensor([[1.0, 2.0], [4.0, 4.0]])
    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(A))
    >>> P
    tensor([[0., 1.],
            [1., 0.]])
    """
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
    """The matrix product, `input @ other`, of vectors, matrices and stacks of matrices.

    (n, k) @ (k, m) is (n, m); (k,) @ (k,) a number; (n, k) @ (k,) is (n,). Of more dimensions the
    last two are matrices, (*, n, k) @ (*, k, m), and the leading ones broadcast. RuntimeError if
    the inner sizes or the dtypes differ, or for tensors without dimensions.

    >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.matmul(a, torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    >>> torch.matmul(torch.ones(5, 1, 2, 3), torch.ones(4, 3, 6)).shape
    torch.Size([5, 4, 2, 6])
    """
def matrix_exp(A: Tensor) -> Tensor:
    """The matrix exponential of square matrices (*, n, n): the sum of A^k / k! over k.

    >>> A = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    >>> torch.linalg.matrix_exp(A)
    tensor([[1., 1.],
            [0., 1.]])
    """
def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """Square matrices (*, n, n) multiplied with themselves n times.

    n = 0 gives the identity; for negative n it is the inverse's power.

    >>> A = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    >>> torch.linalg.matrix_power(A, 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
def matrix_rank(input: Tensor, tol: Tensor | Number | None = None, symmetric: _bool = False, *, out: Tensor | None = None) -> Any:
    """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.matrix_rank`.

    >>> torch.matrix_rank(torch.eye(2))
    Traceback (most recent call last):
        ...
    RuntimeError: This function was deprecated since version 1.9 and is now removed...
    """
@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.max:
    """The largest element; along `dim`, the pair (values, indices); with another tensor, the
    larger of each two elements, as `maximum`.

    dim: one dimension (`amax` takes several); keepdim: it stays, with size 1. NaN is larger than
    all. Of equal values the index is that of the first, and along a dimension it gets the gradient;
    the largest of all shares it. Not for complex numbers; RuntimeError for no elements.

    >>> x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
    >>> torch.max(x)
    tensor(7.)
    >>> values, indices = torch.max(x, 1)
    >>> values, indices
    (tensor([5., 7.]), tensor([1, 0]))
    >>> torch.max(x, torch.tensor([3.0, 3.0]))
    tensor([[3., 5.],
            [7., 3.]])
    """
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 1 dimension(s).

    Args:
        input: (N, C, L), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(4.0).reshape(1, 1, 4)
    >>> F.max_pool1d(x, 2).flatten()
    tensor([1., 3.])
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = True) -> builtins.tuple[Tensor, ...]:
    """`max_pool1d` with `return_indices=True`: (maxima, where they stood).

    >>> y, indices = F.max_pool1d_with_indices(torch.arange(4.0).reshape(1, 1, 4), 4)
    >>> y.flatten(), indices.flatten()
    (tensor([3.]), tensor([3]))
    """
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor:
    """The maximum of each window over the last 2 dimension(s).

    Args:
        input: (N, C, H, W), or without N.
        kernel_size, stride, padding, dilation: one number, or one a dimension; the stride is the kernel
            size when not given. Padding never wins.
        ceil_mode: also windows that hang over the edge.
        return_indices: also the position of each maximum in the flattened plane (int64).

    Raises RuntimeError when the window does not fit.

    >>> x = torch.arange(8.0).reshape(1, 1, 2, 4)
    >>> F.max_pool2d(x, 2).flatten()
    tensor([5., 7.])
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

    >>> x = torch.arange(16.0).reshape(1, 1, 2, 2, 4)
    >>> F.max_pool3d(x, 2).flatten()
    tensor([13., 15.])
    """
def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two elements; NaN if either is NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, each gets half of the
    gradient. Not for complex numbers.

    >>> torch.maximum(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([3., 5., nan])
    """
def mean(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or over `dim`: their sum by their number.

    dim: an int or a tuple; None, the default, takes all. keepdim: these dimensions stay, with size
    1. dtype: the type to which the elements are brought first. RuntimeError for integers and bools
    without it: `x.float().mean()`. Of no elements it is NaN.

    >>> torch.mean(torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
    tensor(3.)
    >>> torch.mean(torch.tensor([[1.0, 2.0], [3.0, 6.0]]), 1)
    tensor([1.5000, 4.5000])
    """
@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def median(input: Tensor, dim: _int, keepdim: _bool = False, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.median:
    """The median of all elements, or the pair (values, indices) along `dim`.

    Of an even number it is the lower of the two in the middle, not their mean: that is
    `torch.quantile(x, 0.5)`. NaN where there is one. dim: None by default; keepdim: the dimension
    stays, with size 1.

    >>> torch.median(torch.tensor([1.0, 9.0, 3.0, 4.0]))
    tensor(3.)
    >>> values, indices = torch.median(torch.tensor([[1.0, 9.0, 3.0], [5.0, 2.0, 8.0]]), 1)
    >>> values, indices
    (tensor([3., 5.]), tensor([2, 0]))
    """
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
    """The smallest element; along `dim`, the pair (values, indices); with another tensor, the
    smaller of each two elements, as `minimum`.

    dim: one dimension (`amin` takes several); keepdim: it stays, with size 1. NaN is smaller than
    all. Of equal values the index is that of the first, and along a dimension it gets the gradient;
    the smallest of all shares it. Not for complex numbers; RuntimeError for no elements.

    >>> x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
    >>> torch.min(x)
    tensor(1.)
    >>> values, indices = torch.min(x, 1)
    >>> values, indices
    (tensor([1., 2.]), tensor([0, 1]))
    >>> torch.min(x, torch.tensor([3.0, 3.0]))
    tensor([[1., 3.],
            [3., 2.]])
    """
def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two elements; NaN if either is NaN.

    input, other: tensors whose shapes broadcast. Where both are equal, each gets half of the
    gradient. Not for complex numbers.

    >>> torch.minimum(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 2.0, 1.0]))
    tensor([1., 2., nan])
    """
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m), without broadcasting.

    >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.mm(a, torch.eye(2) * 2)
    tensor([[2., 4.],
            [6., 8.]])
    """
def mode(input: Tensor, dim: _int = -1, keepdim: _bool = False, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.mode:
    """The pair (values, indices) of the most frequent element along `dim`; the smallest of several.

    dim: -1 by default; keepdim: the dimension stays, with size 1. The index is that of the last
    place of the value.

    >>> values, indices = torch.mode(torch.tensor([2, 1, 3, 1, 2, 1]))
    >>> values, indices
    (tensor(1), tensor(5))
    """
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
    """The values in order along the first dimension: `torch.sort(input, 0).values`.

    >>> torch.msort(torch.tensor([[3, 1], [2, 5], [1, 4]]))
    tensor([[1, 1],
            [2, 4],
            [3, 5]])
    """
def mul(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number. The result has their
    common type; bools are multiplied as by `&`.

    >>> torch.mul(torch.tensor([1.0, 2.0, 3.0]), 10)
    tensor([10., 20., 30.])
    >>> torch.mul(torch.tensor([[1], [2]]), torch.tensor([1, 2, 3]))
    tensor([[1, 2, 3],
            [2, 4, 6]])
    """
def multinomial(input: Tensor, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Indices drawn with the probabilities in each row of `input` (they need not sum to one).

    input (n,) or (rows, n), floating weights; the result (num_samples,) or (rows, num_samples),
    int64.

    num_samples: how many indices a row gets. replacement: whether an index may come twice; False by
    default. RuntimeError for negative, infinite or only zero weights, and for more samples than
    weights without replacement.

    >>> torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 4, replacement=True)
    tensor([1, 1, 1, 1])
    >>> torch.multinomial(torch.tensor([[1.0, 1.0], [0.0, 3.0]]), 1).shape
    torch.Size([2, 1])
    """
def multiply(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number. The result has their
    common type; bools are multiplied as by `&`.

    >>> torch.mul(torch.tensor([1.0, 2.0, 3.0]), 10)
    tensor([10., 20., 30.])
    >>> torch.mul(torch.tensor([[1], [2]]), torch.tensor([1, 2, 3]))
    tensor([[1, 2, 3],
            [2, 4, 6]])
    """
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix (n, m) and a vector (m,): a vector (n,).

    >>> a = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.mv(a, torch.tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
def mvlgamma(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the p-variate gamma function:
    `y = p * (p - 1) / 4 * log(pi) + sum of lgamma(x - j / 2) for j in 0 ... p - 1`.

    p: the number of dimensions, at least 1. Elements should be above `(p - 1) / 2`. Wishart
    distributions are normalised by it.

    >>> torch.mvlgamma(torch.tensor([2.0, 3.5]), p=2)
    tensor([0.4516, 2.4665])
    """
def nan_to_num(input: Tensor, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None, *, out: Tensor | None = None) -> Tensor:
    """Replace what is not finite: NaN by `nan`, inf by `posinf`, -inf by `neginf`.

    nan: 0 by default; posinf, neginf: by default the largest and the smallest finite number of the
    type. The gradient is 0 where something was replaced.

    >>> x = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.5])
    >>> torch.nan_to_num(x, nan=0.0, posinf=100.0, neginf=-100.0)
    tensor([   0.0000,  100.0000, -100.0000,    1.5000])
    """
def nan_to_num_(input: Tensor, nan: Tensor | Number | None = None, posinf: Tensor | Number | None = None, neginf: Tensor | Number | None = None) -> Tensor:
    """In place: replace what is not finite: NaN by `nan`, inf by `posinf`, -inf by `neginf`.

    nan: 0 by default; posinf, neginf: by default the largest and the smallest finite number of the
    type. The gradient is 0 where something was replaced.

    >>> x = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.5])
    >>> x.nan_to_num_(nan=0.0, posinf=100.0, neginf=-100.0)
    tensor([   0.0000,  100.0000, -100.0000,    1.5000])
    """
def nanmean(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of the elements that are not NaN, of all or over `dim`; NaN where there is none.

    dim: an int or a tuple; None, the default, takes all. keepdim: these dimensions stay, with size
    1. RuntimeError for integers.

    >>> torch.nanmean(torch.tensor([1.0, float("nan"), 3.0]))
    tensor(2.)
    """
@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: _int, keepdim: _bool = False, *, out: builtins.tuple[Tensor, Tensor] | None = None) -> return_types.nanmedian:
    """The median of the elements that are not NaN, or the pair (values, indices) along `dim`; NaN
    where all are.

    dim: None by default; keepdim: the dimension stays, with size 1.

    >>> torch.nanmedian(torch.tensor([1.0, float("nan"), 3.0, 4.0]))
    tensor(3.)
    """
def nanquantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Tensor | None = None) -> Tensor:
    """The q-th quantile of the elements that are not NaN; parameters are those of `quantile`.

    >>> torch.nanquantile(torch.tensor([0.0, float("nan"), 2.0, 4.0]), 0.5)
    tensor(2.)
    """
def nansum(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum with NaN counted as zero, of all elements or over `dim`.

    dim: an int or a tuple; None, the default, sums all. keepdim: these dimensions stay, with size
    1. dtype: the type of the sum. Not for complex numbers.

    >>> torch.nansum(torch.tensor([1.0, float("nan"), 3.0]))
    tensor(4.)
    """
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

    `input` (N, C, *), C a multiple of `groups`. Zhang et al., ShuffleNet, 2018.

    >>> x = torch.arange(6).reshape(1, 6, 1)
    >>> F.channel_shuffle(x, 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """
def native_dropout(input: Tensor, p: _float, train: _bool | None) -> builtins.tuple[Tensor, ...]:
    """(`dropout`, mask): the result, and where elements were kept.

    >>> x = torch.ones(100)
    >>> y, kept = torch.native_dropout(x, 0.5, True)
    >>> torch.equal(y, x * kept * 2)
    True
    """
def ne(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input differs from other: `y = input != other`. NaN differs from everything.

    other: a tensor whose shape broadcasts, or a number.

    >>> torch.ne(torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3]))
    tensor([False,  True, False])
    """
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

    >>> torch.neg(torch.tensor([1.5, -2.0, 0.0]))
    tensor([-1.5000,  2.0000, -0.0000])
    """
def neg_(input: Tensor) -> Tensor:
    """In place: `y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

    >>> torch.tensor([1.5, -2.0, 0.0]).neg_()
    tensor([-1.5000,  2.0000, -0.0000])
    """
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

    >>> torch.neg(torch.tensor([1.5, -2.0, 0.0]))
    tensor([-1.5000,  2.0000, -0.0000])
    """
def negative_(input: Tensor) -> Tensor:
    """In place: `y = -x`. Not for bools: `~x` inverts a mask. Unsigned numbers wrap round.

    >>> torch.tensor([1.5, -2.0, 0.0]).neg_()
    tensor([-1.5000,  2.0000, -0.0000])
    """
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The float that comes next after input in the direction of other.

    input, other: tensors of one float type whose shapes broadcast.

    >>> one = torch.tensor([1.0])
    >>> torch.nextafter(one, torch.tensor([2.0])) - 1 == torch.finfo(torch.float32).eps
    tensor([True])
    """
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
    """The p-norm over `dim`, of all elements by default: (sum |x|^p)^(1/p).

    `p` is a number, inf or -inf, "fro" (the same as 2) or "nuc" (of matrices). Of matrices a number
    is not the operator's norm: `linalg.matrix_norm` is. `dtype` converts first.

    >>> x = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    >>> torch.norm(x)
    tensor(5.)
    >>> torch.norm(x, p=1, dim=1)
    tensor([7., 0.])
    """
@overload
def normal(mean: Tensor, std: Tensor | _float = 1.0, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def normal(mean: _float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def normal(mean: _float, std: _float, size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Normal numbers of given means and standard deviations.

    ``normal(mean, std, *, generator=None, out=None)`` with a tensor for one or both of them, or
    ``normal(mean, std, size, *, generator=None, out=None, dtype=None, ...)`` with numbers.

    mean: 0 by default; std: 1. RuntimeError for a negative standard deviation.

    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.0]))
    tensor([  1.5410, 100.0000])
    >>> torch.normal(5.0, 0.0, (2, 2))
    tensor([[5., 5.],
            [5., 5.]])
    """
def not_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input differs from other: `y = input != other`. NaN differs from everything.

    other: a tensor whose shape broadcasts, or a number.

    >>> torch.ne(torch.tensor([1, 2, 3]), torch.tensor([1, 5, 3]))
    tensor([False,  True, False])
    """
def nuclear_norm(input: Tensor, dim: Dims = ..., keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """The sum of the singular values of matrices; an older name of `linalg.matrix_norm(A, "nuc")`.

    >>> x = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    >>> torch.nuclear_norm(x)
    tensor(7.)
    """
def numel(input: Tensor) -> _int:
    """The number of elements, an int: the product of all sizes.

    >>> torch.numel(torch.ones(2, 3, 4))
    24
    """
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
    """The first columns of a product of reflections: the older name of
    `linalg.householder_product`.

    >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> torch.orgqr(a, tau)
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: _bool = True, transpose: _bool = False, *, out: Tensor | None = None) -> Tensor:
    """Q @ input3, where `input` and `input2` are what `geqrf` says of Q (all of it, square).

    `transpose`: Q^H; `left=False`: input3 @ Q.

    >>> a, tau = torch.geqrf(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> torch.ormqr(a, tau, torch.eye(2))
    tensor([[-0.6000, -0.8000],
            [-0.8000,  0.6000]])
    """
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of an element of one vector with one of another: y[i, j] = input[i] * vec2[j].

    >>> x = torch.tensor([1, 2])
    >>> torch.outer(x, torch.tensor([3, 4, 5]))
    tensor([[ 3,  4,  5],
            [ 6,  8, 10]])
    """
def pairwise_distance(x1: Tensor, x2: Tensor, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> Tensor:
    """|x1 - x2 + eps| in the p-norm of the last dimension: (*, D) gives (*), with `keepdim` (*, 1).

    `eps` keeps the gradient finite where both are equal.

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> torch.pairwise_distance(x, torch.zeros(1, 2))
    tensor([5.0000])
    """
def pca_lowrank(A: Tensor, q: _int | None = None, center: _bool = True, niter: _int = 2) -> builtins.tuple[Tensor, ...]:
    """(U, S, V) of the `q` first principal components of m rows with n numbers each, A (*, m, n).

    The columns of V (*, n, q) are the directions; `A @ V` are the rows in them. The mean row is
    subtracted before unless `center=False`. `q` is min(6, m, n) by default. Exact, as
    `svd_lowrank`.

    >>> A = torch.tensor([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    >>> U, S, V = torch.pca_lowrank(A, q=1)
    >>> S
    tensor([3.1623])
    """
def pdist(input: Tensor, p: _float = 2.0) -> Tensor:
    """The p-norm distances between all pairs of rows of a matrix (n, m): a vector (n * (n - 1) /
    2,).

    In the order (0, 1), (0, 2), ..., (1, 2), ...; `cdist(x, x)` has them all as a matrix.

    >>> x = torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> torch.pdist(x)
    tensor([5.0000, 1.0000, 4.2426])
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
    """The pseudoinverse (*, n, m) of matrices (*, m, n): `linalg.pinv` with a relative tolerance.

    >>> A = torch.tensor([[1.0], [1.0]])
    >>> torch.pinverse(A)
    tensor([[0.5000, 0.5000]])
    """
def pixel_shuffle(input: Tensor, upscale_factor: _int) -> Tensor:
    """Channels to positions: (*, C r ** 2, H, W) to (*, C, H r, W r).

    y[c, h r + i, w r + j] = x[c r ** 2 + i r + j, h, w]. RuntimeError if the channels are no
    multiple of r ** 2. Shi et al., Real-Time Single Image and Video Super-Resolution, 2016.

    >>> x = torch.arange(4.0).reshape(1, 4, 1, 1)
    >>> F.pixel_shuffle(x, 2)
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int) -> Tensor:
    """Positions to channels: (*, C, H r, W r) to (*, C r ** 2, H, W); the opposite of
    `pixel_shuffle`.

    RuntimeError if height or width are no multiple of r.

    >>> x = torch.arange(4.0).reshape(1, 1, 2, 2)
    >>> F.pixel_unshuffle(x, 2).flatten()
    tensor([0., 1., 2., 3.])
    """
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """A Poisson number for each rate in `input`, of the same type.

    input: rates, a float tensor of any shape. RuntimeError for a negative rate.

    >>> torch.poisson(torch.tensor([0.0, 0.0]))
    tensor([0., 0.])
    >>> _ = torch.manual_seed(0)
    >>> torch.poisson(torch.tensor([1.0, 10.0, 1000.0]))
    tensor([   2.,   15., 1029.])
    """
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A complex tensor of magnitudes and angles: `y = abs * (cos(angle) + i * sin(angle))`.

    abs, angle: tensors of one type, float32 or float64, whose shapes broadcast; angles in radians.

    >>> torch.polar(torch.tensor([1.0, 2.0]), torch.tensor([0.0, torch.pi / 3]))
    tensor([1.0000+0.0000j, 1.0000+1.7321j])
    """
def polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma at the elements of input.

    n: an int, 0 or more: 0 is digamma itself, 1 the trigamma function. RuntimeError for a negative
    one.

    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
def positive(input: Tensor) -> Tensor:
    """The tensor itself: `+x`. RuntimeError for bools.

    >>> torch.positive(torch.tensor([-1, 2]))
    tensor([-1,  2])
    """
def pow(input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input ** other`, element by element.

    input, other: tensors whose shapes broadcast, or one of the two a number. Two tensors give their
    common type, so integers stay integers; with a float exponent they give floats.

    RuntimeError for integers to a negative number (`x.float() ** -1` is meant); in a tensor of
    exponents negative ones give 0, but for bases 1 and -1.

    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    >>> torch.pow(2, torch.tensor([1.0, 2.0, 3.0]))
    tensor([2., 4., 8.])
    >>> torch.tensor([2, 3]) ** 0.5
    tensor([1.4142, 1.7321])
    """
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """A leaky rectifier whose slope is learnt: `y = x` where x > 0, else `weight * x`.

    input (N, C, *) and weight (C,), or (1,) for one slope for all; both of one type. RuntimeError
    where their numbers of channels differ. He et al., 2015, arXiv:1502.01852.

    >>> F.prelu(torch.tensor([[-1.0, -1.0, 3.0]]), torch.tensor([0.25, 0.5, 0.5]))
    tensor([[-0.2500, -0.5000,  3.0000]])
    """
def prod(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or over one dimension; 1 of no elements.

    dim: an int; None, the default, takes all. keepdim: the dimension stays, with size 1. dtype: the
    type to which the elements are brought first. Integers and bools are multiplied in int64. The
    derivative is right where factors are 0 too.

    >>> torch.prod(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
    tensor([ 2., 12.])
    """
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
    """A = Q @ R; the older form of `linalg.qr`, of which `some=False` is mode="complete".

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> torch.qr(A).R
    tensor([[-5.0000, -2.2000],
            [ 0.0000,  0.4000]])
    """
def quantile(input: Tensor, q: Tensor | Number, dim: _int | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear', out: Tensor | None = None) -> Tensor:
    """The q-th quantile of all elements, or along `dim`: below it lies the share q of them.

    q: a number in [0, 1], or a one-dimensional tensor of them, which makes a new first dimension.
    dim: None, the default, takes all. keepdim: the dimension stays, with size 1. interpolation,
    between two neighbours: "linear" (the default), "lower", "higher", "midpoint" or "nearest". NaN
    where there is one. For float32 and float64, and q of the type of input.

    >>> torch.quantile(torch.tensor([0.0, 1.0, 2.0, 3.0]), 0.5)
    tensor(1.5000)
    >>> torch.quantile(torch.tensor([0.0, 1.0, 2.0, 3.0]), torch.tensor([0.25, 0.75]))
    tensor([0.7500, 2.2500])
    """
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees: `y = x * 180 / pi`.

    >>> torch.rad2deg(torch.tensor([0.0, torch.pi / 2, torch.pi]))
    tensor([  0.,  90., 180.])
    """
def rad2deg_(input: Tensor) -> Tensor:
    """In place: radians as degrees: `y = x * 180 / pi`.

    >>> torch.tensor([0.0, torch.pi / 2, torch.pi]).rad2deg_()
    tensor([  0.,  90., 180.])
    """
@overload
def rand(size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def rand(*size: _int, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Numbers drawn evenly from [0, 1).

    size: ints, or one tuple of them. generator: the stream to draw from, the default generator
    otherwise. dtype: a floating or complex type, the default type otherwise; both parts of complex
    numbers are drawn. requires_grad: False by default. With one seed the numbers are PyTorch's.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand(3)
    tensor([0.4963, 0.7682, 0.0885])
    >>> torch.rand(2, 3, dtype=torch.float64).shape
    torch.Size([2, 3])
    """
def rand_like(input: Tensor, *, generator: Generator | None = None, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`rand` of the shape, type and memory order of `input`: uniform numbers in [0, 1).

    dtype, device, generator and requires_grad as of `rand`; memory_format: `torch.preserve_format`
    by default.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand_like(torch.zeros(3))
    tensor([0.4963, 0.7682, 0.0885])
    """
@overload
def randint(high: _int, size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def randint(low: _int, high: _int, size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Whole numbers from low up to, but without, high: ``randint(high, size)`` or ``randint(low,
    high, size)``.

    low: 0 if not given. size: a tuple of ints. dtype: int64 by default. RuntimeError where low is
    not below high, or where the type does not hold them.

    >>> _ = torch.manual_seed(0)
    >>> torch.randint(10, (4,))
    tensor([4, 9, 3, 0])
    >>> torch.randint(3, 5, (2, 2)).shape
    torch.Size([2, 2])
    """
def randint_like(input: Tensor, low: _int = 0, high: Tensor | Number | None = None, *, generator: Generator | None = None, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`randint` of the shape, type and memory order of `input`: whole numbers from low up to, but
    without, high.

    low: 0 if not given; `randint_like(input, high)` or `randint_like(input, low, high)`. dtype:
    that of input by default.

    >>> _ = torch.manual_seed(0)
    >>> torch.randint_like(torch.zeros(4), 10)
    tensor([4., 9., 3., 0.])
    """
@overload
def randn(size: Sequence[_int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor: ...
@overload
def randn(*size: _int, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """Normal numbers of mean 0 and variance 1.

    size, generator, dtype and requires_grad are those of `rand`. Complex numbers have half of the
    variance in each part. With one seed the numbers are PyTorch's.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn(2, 2)
    tensor([[ 1.5410, -0.2934],
            [-2.1788,  0.5684]])
    """
def randn_like(input: Tensor, *, generator: Generator | None = None, memory_format: memory_format | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """`randn` of the shape, type and memory order of `input`: normal numbers of mean 0 and variance
    1.

    dtype, device, generator and requires_grad as of `rand`; memory_format: `torch.preserve_format`
    by default.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn_like(torch.zeros(3))
    tensor([ 1.5410, -0.2934, -2.1788])
    """
def randperm(n: _int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The numbers 0 to n - 1 in random order.

    n: how many; dtype: int64 by default. generator: the stream to draw from, the default generator
    otherwise. RuntimeError where the type does not hold n - 1.

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
    """The real part, a view; of a real tensor the tensor itself.

    >>> torch.real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1., 3.])
    """
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One over each element: `y = 1 / x`; infinite at 0.

    Integers and bools give the default float type.

    >>> torch.reciprocal(torch.tensor([2.0, 4.0, -8.0]))
    tensor([ 0.5000,  0.2500, -0.1250])
    """
def reciprocal_(input: Tensor) -> Tensor:
    """In place: one over each element: `y = 1 / x`; infinite at 0.

    Integers and bools give the default float type.

    >>> torch.tensor([2.0, 4.0, -8.0]).reciprocal_()
    tensor([ 0.5000,  0.2500, -0.1250])
    """
def relu(input: Tensor) -> Tensor:
    """The rectifier: `y = max(x, 0)`.

    inplace (of `nn.functional.relu`): write the result into input; False by default. The gradient
    at 0 is 0. Not for bools and complex numbers.

    >>> torch.relu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.])
    """
def relu_(input: Tensor) -> Tensor:
    """In place: the rectifier: `y = max(x, 0)`.

    inplace (of `nn.functional.relu`): write the result into input; False by default. The gradient
    at 0 is 0. Not for bools and complex numbers.

    >>> torch.tensor([-1.0, 0.0, 2.0]).relu_()
    tensor([0., 0., 2.])
    """
def remainder(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input - other * floor(input / other)`: it has the sign of other, as Python's `%`.

    input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError
    ("ZeroDivisionError") for integers divided by 0; floats give NaN.

    >>> torch.remainder(torch.tensor([7, -7]), 3)
    tensor([1, 2])
    >>> torch.tensor([5.5, -5.5]) % 2
    tensor([1.5000, 0.5000])
    """
def renorm(input: Tensor, p: _float, dim: _int, maxnorm: _float, *, out: Tensor | None = None) -> Tensor:
    """Each slice along `dim` scaled down so that its p-norm is at most `maxnorm`.

    Slices below stay as they are.

    >>> x = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    >>> torch.renorm(x, 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
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
    """`resize_` to the shape of another tensor.

    >>> x = torch.arange(6)
    >>> torch.resize_as_(x, torch.empty(2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or the conjugates that its bit stands for, in memory of their own.

    >>> x = torch.tensor([1 + 2j]).conj()
    >>> x.is_conj(), x.resolve_conj().is_conj()
    (True, False)
    """
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or the negatives that its bit stands for, in memory of their own.

    >>> x = torch.tensor([1 + 2j]).conj().imag
    >>> x.is_neg(), x.resolve_neg().is_neg()
    (True, False)
    """
def result_type(tensor: Tensor, other: Tensor | Number) -> _dtype:
    """The dtype that arithmetic of these two gives; numbers widen a tensor only to another kind.

    tensor, other: tensors or numbers.

    >>> torch.result_type(torch.tensor([1, 2], dtype=torch.int8), 1.5)
    torch.float32
    >>> torch.result_type(torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.float32))
    torch.float32
    """
def rms_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: _float | None = None) -> Tensor:
    """x / sqrt(mean(x ** 2) + eps) * weight over the last dimensions, those of `normalized_shape`.

    `eps` is the machine epsilon of the type when None. Zhang and Sennrich, 2019.

    >>> x = torch.tensor([[3.0, 4.0]])
    >>> torch.rms_norm(x, (2,))
    tensor([[0.8485, 1.1314]])
    """
def rnn_relu(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Elman network with relu: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.

    `input` (T, B, X), or (B, T, X) with `batch_first`; the states (T, B, H), twice H in both
    directions. `hx` holds a state (layers * directions, B, H);
    `params` are w_ih, w_hh, b_ih, b_hh of each layer and direction.

    >>> m = nn.RNN(2, 3, nonlinearity="relu")
    >>> x, h = torch.ones(5, 1, 2), torch.zeros(1, 1, 3)
    >>> y, *last = torch.rnn_relu(x, h, list(m.parameters()), True, 1, 0.0, False, False, False)
    >>> y.shape, [s.shape for s in last]
    (torch.Size([5, 1, 3]), [torch.Size([1, 1, 3])])
    """
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """h' = relu(w_ih x + b_ih + w_hh h + b_hh): one step of an Elman network.

    `input` (B, X), `hx` (B, H), `w_ih` (H, X), `w_hh` (H, H), biases (H,) or none.

    >>> torch.rnn_relu_cell(torch.ones(1, 2), torch.ones(1, 1), torch.ones(1, 2), torch.ones(1, 1))
    tensor([[3.]])
    """
def rnn_tanh(input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, dropout: Number, train: _bool, bidirectional: _bool, batch_first: _bool) -> builtins.tuple[Tensor, ...]:
    """Elman network with tanh: the function behind `nn`'s module.

    Two forms: (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first), and for packed sequences (data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional). Returns the states and the last states.

    `input` (T, B, X), or (B, T, X) with `batch_first`; the states (T, B, H), twice H in both
    directions. `hx` holds a state (layers * directions, B, H);
    `params` are w_ih, w_hh, b_ih, b_hh of each layer and direction.

    >>> m = nn.RNN(2, 3)
    >>> x, h = torch.ones(5, 1, 2), torch.zeros(1, 1, 3)
    >>> y, *last = torch.rnn_tanh(x, h, list(m.parameters()), True, 1, 0.0, False, False, False)
    >>> y.shape, [s.shape for s in last]
    (torch.Size([5, 1, 3]), [torch.Size([1, 1, 3])])
    """
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """h' = tanh(w_ih x + b_ih + w_hh h + b_hh): one step of an Elman network.

    `input` (B, X), `hx` (B, H), `w_ih` (H, X), `w_hh` (H, H), biases (H,) or none.

    >>> torch.rnn_tanh_cell(torch.ones(1, 2), torch.zeros(1, 1), torch.ones(1, 2), torch.ones(1, 1))
    tensor([[0.9640]])
    """
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
    """The nearest integer, or the nearest multiple of `10 ** -decimals`; halves go to the even
    neighbour.

    decimals: digits kept after the point; negative ones round to tens, hundreds and so on. Integers
    take no decimals (NotImplementedError). The gradient is 0 everywhere.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.5, -0.7]))
    tensor([ 0.,  2.,  2., -1.])
    >>> torch.round(torch.tensor([3.14159, 271.828]), decimals=2)
    tensor([  3.1400, 271.8300])
    >>> torch.round(torch.tensor([1234.0]), decimals=-2)
    tensor([1200.])
    """
def round_(input: Tensor, *, decimals: _int = 0) -> Tensor:
    """In place: the nearest integer, or the nearest multiple of `10 ** -decimals`; halves go to the even
    neighbour.

    decimals: digits kept after the point; negative ones round to tens, hundreds and so on. Integers
    take no decimals (NotImplementedError). The gradient is 0 everywhere.

    >>> torch.tensor([0.5, 1.5, 2.5, -0.7]).round_()
    tensor([ 0.,  2.,  2., -1.])
    """
def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Tensors one below the other, along the first dimension; vectors are rows.

    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([[3, 4], [5, 6]])))
    tensor([[1, 2],
            [3, 4],
            [5, 6]])
    """
def rrelu(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, generator: Generator | None = None) -> Tensor:
    """`nn.functional.rrelu`, without `inplace`: `y = x` where x > 0, else `a * x`.

    training: True draws a from [lower, upper] for each element; False, the default, takes their
    mean.

    >>> torch.rrelu(torch.tensor([-1.0, 2.0]), lower=0.1, upper=0.3)
    tensor([-0.2000,  2.0000])
    """
def rrelu_(input: Tensor, lower: _float = 0.125, upper: _float = 0.3333333333333333, training: _bool = False, generator: Generator | None = None) -> Tensor:
    """`rrelu` in place: negative elements times a random slope, or the mean slope outside training.

    >>> x = torch.tensor([-1.0, 2.0])
    >>> F.rrelu_(x, lower=0.1, upper=0.3)
    tensor([-0.2000,  2.0000])
    """
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One over the square root: `y = 1 / sqrt(x)`.

    Infinite at 0, NaN below. Integers and bools give the default float type.

    >>> torch.rsqrt(torch.tensor([4.0, 0.25, 0.0]))
    tensor([0.5000, 2.0000,    inf])
    """
def rsqrt_(input: Tensor) -> Tensor:
    """In place: one over the square root: `y = 1 / sqrt(x)`.

    Infinite at 0, NaN below. Integers and bools give the default float type.

    >>> torch.tensor([4.0, 0.25, 0.0]).rsqrt_()
    tensor([0.5000, 2.0000,    inf])
    """
def rsub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """`y = other - alpha * input`: `sub` with its operands exchanged.

    other: a tensor whose shape broadcasts, or a number; alpha: a number, 1 by default.

    >>> torch.rsub(torch.tensor([1.0, 2.0]), 10)
    tensor([9., 8.])
    """
def saddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """`torch.sspaddmm` under an older name: `y = beta * input + alpha * (mat1 @ mat2)`.

    input (n, p) and mat1 (n, m), sparse; mat2 (m, p), dense; beta and alpha: 1 by default.

    >>> sparse = torch.eye(2).to_sparse()
    >>> torch.saddmm(sparse, sparse, torch.ones(2, 2)).to_dense()
    tensor([[2., 1.],
            [1., 2.]])
    """
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
    """Where values would be inserted into sorted sequences so that these stay sorted.

    sorted_sequence (n,) or (*, n), ascending; input: values of any shape, or (*, m), or a number;
    the result has the shape of input.

    right: False, the default, gives the first place that fits, `s[i - 1] < v <= s[i]`; True the
    last. side: "left" or "right", another way to say it. out_int32: int32 in place of int64.
    sorter: indices that sort a sequence which is not in order.

    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 9]))
    tensor([0, 1, 3])
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([0, 3, 9]), right=True)
    tensor([0, 2, 3])
    """
def segment_reduce(data: Any, reduce: _str, *, lengths: Tensor | None = None, indices: Any = None, offsets: Tensor | None = None, axis: _int = 0, unsafe: _bool = False, initial: Tensor | None = None) -> Tensor:
    """sum, mean, prod, max or min of consecutive pieces along a dimension.

    The pieces are given by their `lengths`, or by `offsets`, one more than there are pieces, in the
    last dimension of either. An empty piece has `initial`, or what the reduction starts from.

    axis: the dimension that is cut, which is the last one of lengths; 0 by default. unsafe: True
    does not look whether lengths are right. For floats; RuntimeError where lengths do not add up.

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
    """The self-normalising elu: `y = scale * x` where x > 0, else `scale * alpha * (exp(x) - 1)`,
    with scale = 1.0507 and alpha = 1.6733.

    With weights as of `nn.init.kaiming_normal_(w, nonlinearity="linear")` activations keep mean 0
    and variance 1. Klambauer et al., 2017, arXiv:1706.02515.

    >>> F.selu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """
def selu_(input: Tensor) -> Tensor:
    """In place: the self-normalising elu: `y = scale * x` where x > 0, else `scale * alpha * (exp(x) - 1)`,
    with scale = 1.0507 and alpha = 1.6733.

    With weights as of `nn.init.kaiming_normal_(w, nonlinearity="linear")` activations keep mean 0
    and variance 1. Klambauer et al., 2017, arXiv:1706.02515.

    >>> F.selu_(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """
def set_default_tensor_type(t: Any) -> None:
    """`set_default_dtype` by a legacy type, or its name.

    >>> torch.set_default_tensor_type("torch.DoubleTensor")
    >>> torch.tensor(1.5).dtype
    torch.float64
    >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sign of real and of complex numbers: `y = x / |x|`, and 0 for 0.

    >>> torch.sgn(torch.tensor([3.0 + 4.0j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    >>> torch.sgn(torch.tensor([-2.0, 0.0, 5.0]))
    tensor([-1.,  0.,  1.])
    """
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logistic function: `y = 1 / (1 + exp(-x))`, between 0 and 1.

    Integers and bools give the default float type. For a loss use
    `nn.functional.binary_cross_entropy_with_logits`, which does not lose the digits near 0 and 1.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0, -2.0]))
    tensor([0.5000, 0.8808, 0.1192])
    """
def sigmoid_(input: Tensor) -> Tensor:
    """In place: the logistic function: `y = 1 / (1 + exp(-x))`, between 0 and 1.

    Integers and bools give the default float type. For a loss use
    `nn.functional.binary_cross_entropy_with_logits`, which does not lose the digits near 0 and 1.

    >>> torch.tensor([0.0, 2.0, -2.0]).sigmoid_()
    tensor([0.5000, 0.8808, 0.1192])
    """
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sign of each element: -1, 0 or 1, of the type of x; 0 for NaN.

    Not for complex numbers: that is `sgn`. The gradient is 0 everywhere.

    >>> torch.sign(torch.tensor([-2.5, 0.0, 7.0]))
    tensor([-1.,  0.,  1.])
    """
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where the sign bit is set: for negative numbers and for -0.0.

    Not for complex numbers.

    >>> torch.signbit(torch.tensor([-1.0, -0.0, 0.0, 2.0]))
    tensor([ True,  True, False, False])
    """
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of each element, an angle in radians: `y = sin(x)`.

    >>> torch.sin(torch.tensor([0.0, torch.pi / 6, torch.pi / 2]))
    tensor([0.0000, 0.5000, 1.0000])
    """
def sin_(input: Tensor) -> Tensor:
    """In place: the sine of each element, an angle in radians: `y = sin(x)`.

    >>> torch.tensor([0.0, torch.pi / 6, torch.pi / 2]).sin_()
    tensor([0.0000, 0.5000, 1.0000])
    """
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The normalised sine cardinal: `y = sin(pi * x) / (pi * x)`, and 1 at 0.

    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
    """
def sinc_(input: Tensor) -> Tensor:
    """In place: the normalised sine cardinal: `y = sin(pi * x) / (pi * x)`, and 1 at 0.

    >>> torch.tensor([0.0, 0.5, 1.5]).sinc_()
    tensor([ 1.0000,  0.6366, -0.2122])
    """
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`.

    >>> torch.sinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  1.1752, -1.1752])
    """
def sinh_(input: Tensor) -> Tensor:
    """In place: the hyperbolic sine: `y = (exp(x) - exp(-x)) / 2`.

    >>> torch.tensor([0.0, 1.0, -1.0]).sinh_()
    tensor([ 0.0000,  1.1752, -1.1752])
    """
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
    """(sign, logabsdet) of square matrices: the determinant is sign * exp(logabsdet).

    >>> x = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> torch.slogdet(x)
    torch.return_types.slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(0.))
    """
def smm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one, as a sparse matrix.

    input (n, m), sparse; mat2 (m, p). NotImplementedError where both are dense: `torch.mm`.

    >>> torch.smm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]])).to_dense()
    tensor([[1.],
            [2.]])
    """
def softmax(input: Tensor, dim: _int, dtype: _dtype | None = None, *, out: Tensor | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`: numbers in [0, 1] that add up to 1.

    >>> torch.softmax(torch.tensor([0., 0.]), 0)
    tensor([0.5000, 0.5000])
    """
def solve(input: Tensor, A: Tensor, *, out: Tensor | None = None) -> Any:
    """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.solve, with the arguments the other way round`.

    >>> torch.solve(torch.eye(2))
    Traceback (most recent call last):
        ...
    RuntimeError: This function was deprecated since version 1.9 and is now removed...
    """
def sort(input: Tensor, dim: _int = -1, descending: _bool = False, *, stable: _bool | None = False, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.sort:
    """The pair (values, indices) in order along `dim`: `values = input.gather(dim, indices)`.

    dim: -1 by default; descending: False by default, the smallest first. NaN counts as the
    greatest. stable: equal values keep their order here in any case. Not for complex numbers.

    >>> values, indices = torch.tensor([3.0, 1.0, 2.0]).sort()
    >>> values
    tensor([1., 2., 3.])
    >>> indices
    tensor([1, 2, 0])
    """
def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse matrix of dense blocks, stored column of blocks by column.

    ccol_indices (*, columns of blocks + 1), row_indices (*, n) and values (*, n, block rows, block
    columns); size: the shape, by default as small as the indices allow.

    >>> torch.sparse_bsc_tensor([0, 1, 2], [1, 0], [[[1.0, 2.0]], [[3.0, 4.0]]], (2, 4)).to_dense()
    tensor([[0., 0., 3., 4.],
            [1., 2., 0., 0.]])
    """
def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse matrix of dense blocks, stored row of blocks by row.

    crow_indices (*, rows of blocks + 1), col_indices (*, n) and values (*, n, block rows, block
    columns); size: the shape, by default as small as the indices allow.

    >>> torch.sparse_bsr_tensor([0, 1, 2], [1, 0], [[[1.0, 2.0]], [[3.0, 4.0]]], (2, 4)).to_dense()
    tensor([[0., 0., 1., 2.],
            [3., 4., 0., 0.]])
    """
def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse matrix in the layout that `layout` says: sparse_csr, sparse_csc, sparse_bsr or
    sparse_bsc.

    compressed_indices: where each row or column begins; plain_indices: the other index of each
    value; values and size as of `sparse_csr_tensor`. RuntimeError without a layout.

    >>> parts = [0, 1, 2], [2, 0], [3.0, 4.0]
    >>> torch.sparse_compressed_tensor(*parts, (2, 3), layout=torch.sparse_csr).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
def sparse_coo_tensor(indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None, is_coalesced: _bool | None = None) -> Tensor:
    """A sparse tensor of places and values, in the layout sparse_coo.

    indices (sparse dimensions, n), integers; values (n, *), of which the last dimensions stay
    dense; size: the shape, by default as small as the indices allow. Values at one place are added
    by `coalesce`. dtype, device, requires_grad and is_coalesced; check_invariants: look whether all
    fits. RuntimeError for indices outside the size.

    >>> torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse matrix stored column by column: the values of column j, and their rows, stand at
    `ccol_indices[j]` to `ccol_indices[j + 1]`.

    ccol_indices (*, columns + 1), row_indices (*, n) and values (*, n); size: the shape, by default
    as small as the indices allow. dtype, device, requires_grad, check_invariants.

    >>> torch.sparse_csc_tensor([0, 1, 1, 2], [1, 0], [4.0, 3.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Tensor | Number, size: _int | Sequence[_int] | None = None, *, dtype: _dtype | None = None, device: Device = None, requires_grad: _bool = False, check_invariants: _bool | None = None) -> Tensor:
    """A sparse matrix stored row by row: the values of row i, and their columns, stand at
    `crow_indices[i]` to `crow_indices[i + 1]`.

    crow_indices (*, rows + 1), col_indices (*, n) and values (*, n); size: the shape, by default as
    small as the indices allow. dtype, device, requires_grad, check_invariants.

    >>> torch.sparse_csr_tensor([0, 1, 2], [2, 0], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
def split(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) -> builtins.tuple[Tensor, ...]:
    """Views along `dim` of so many positions each (the last may be smaller), as a tuple.

    A list as `split_size_or_sections` gives the size of each part; the sizes must add up to the
    dimension's.

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
    """The matrix product, of which an operand may be sparse.

    input (n, m), mat2 (m, p); the result (n, p) is dense where one of them is. RuntimeError for
    tensors that are no matrices.

    >>> torch.spmm(torch.eye(2).to_sparse(), torch.tensor([[1.0], [2.0]]))
    tensor([[1.],
            [2.]])
    """
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root of each element: `y = sqrt(x)`.

    NaN for negative numbers, unless they are complex. Its derivative, `1 / (2 * y)`, is infinite at
    0.

    >>> torch.sqrt(torch.tensor([4.0, 2.0, -1.0]))
    tensor([2.0000, 1.4142,    nan])
    >>> torch.sqrt(torch.tensor([-4.0 + 0j]))
    tensor([0.+2.j])
    """
def sqrt_(input: Tensor) -> Tensor:
    """In place: the square root of each element: `y = sqrt(x)`.

    NaN for negative numbers, unless they are complex. Its derivative, `1 / (2 * y)`, is infinite at
    0.

    >>> torch.tensor([4.0, 2.0, -1.0]).sqrt_()
    tensor([2.0000, 1.4142,    nan])
    """
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`y = x * x`. Bools give int64.

    >>> torch.square(torch.tensor([-3, 1, 2]))
    tensor([9, 1, 4])
    """
def square_(input: Tensor) -> Tensor:
    """In place: `y = x * x`. Bools give int64.

    >>> torch.tensor([-3, 1, 2]).square_()
    tensor([9, 1, 4])
    """
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
    """`y = beta * input + alpha * (mat1 @ mat2)`, a sparse matrix.

    input (n, p) and mat1 (n, m), sparse; mat2 (m, p), dense; beta and alpha: 1 by default.
    NotImplementedError where all are dense: `torch.addmm`.

    >>> sparse = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(sparse, sparse, torch.ones(2, 2), alpha=2).to_dense()
    tensor([[3., 2.],
            [2., 3.]])
    """
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
    """The standard deviation, the root of the variance:
    `y = sqrt(sum of |x - mean| ** 2 / (n - correction))`.

    dim: an int or a tuple; None, the default, takes all. correction: 1 by default; 0 divides by n.
    unbiased: the older way to say it, True for 1 and False for 0. keepdim: these dimensions stay,
    with size 1.

    >>> torch.std(torch.tensor([1.0, 2.0, 3.0, 6.0]))
    tensor(2.1602)
    >>> torch.std(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1, correction=0)
    tensor([1., 3.])
    """
@overload
def std_mean(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def std_mean(input: Tensor, dim: Dims | None, unbiased: _bool, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def std_mean(input: Tensor, unbiased: _bool) -> builtins.tuple[Tensor, Tensor]:
    """The pair (standard deviation, mean), of all elements or over `dim`; the parameters are those
    of `std`.

    >>> torch.std_mean(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1)
    (tensor([1.4142, 4.2426]), tensor([2., 5.]))
    """
def stft(input: Tensor, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Tensor | None = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: _bool | None = None, align_to_window: _bool | None = None) -> Tensor:
    """The short-time Fourier transform: `rfft` of windowed pieces of a signal.

    input (length,) or (batch, length); the result (*, n_fft // 2 + 1, frames), complex.

    n_fft: the size of a piece; hop_length: the distance of pieces, n_fft // 4 by default;
    win_length: the size of the window, n_fft by default, which stands in the middle of the piece;
    window: a tensor (win_length,), ones by default. center: True, the default, continues the signal
    on both sides by n_fft // 2, as pad_mode says ("reflect", "constant", "replicate", "circular").
    normalized: divide by sqrt(n_fft). onesided: half of the terms, the default for real input.
    return_complex: must be given for real input; False gives pairs of reals.

    >>> x = torch.sin(torch.arange(100.0))
    >>> torch.stft(x, 16, window=torch.hann_window(16), return_complex=True).shape
    torch.Size([9, 26])
    """
def sub(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """`y = input - alpha * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError for bools:
    masks are combined by `^` and `~`.

    alpha: a number by which other is multiplied first; 1 by default.

    >>> torch.sub(torch.tensor([5.0, 7.0]), torch.tensor([1.0, 2.0]), alpha=2)
    tensor([3., 3.])
    """
def subtract(input: Tensor, other: Tensor | Number, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """`y = input - alpha * other`, element by element.

    input, other: tensors whose shapes broadcast, or one of them a number. RuntimeError for bools:
    masks are combined by `^` and `~`.

    alpha: a number by which other is multiplied first; 1 by default.

    >>> torch.sub(torch.tensor([5.0, 7.0]), torch.tensor([1.0, 2.0]), alpha=2)
    tensor([3., 3.])
    """
def sum(input: Tensor, dim: Dims | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or over `dim`.

    dim: an int or a tuple; None, the default, sums all. keepdim: these dimensions stay, with size
    1. dtype: the type to which the elements are brought first. Integers and bools are summed in
    int64.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.sum(x), torch.sum(x, 0)
    (tensor(10), tensor([4, 6]))
    >>> torch.sum(x, 1, keepdim=True)
    tensor([[3],
            [7]])
    """
def svd(input: Tensor, some: _bool = True, compute_uv: _bool = True, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.svd:
    """(U, S, V) with input = U @ diag(S) @ V^H: the older form of `linalg.svd`.

    `some=True` is full_matrices=False; V, not its conjugate transpose, is returned. With
    `compute_uv=False` U and V are zeros.

    >>> A = torch.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> torch.svd(A).S
    tensor([4., 3.])
    """
def svd_lowrank(A: Tensor, q: _int | None = 6, niter: _int | None = 2, M: Tensor | None = None) -> builtins.tuple[Tensor, ...]:
    """(U, S, V) of the `q` largest singular values of A (*, m, n), or of A - M.

    A is about U @ diag(S) @ V^H. PyTorch finds them by random projections in `niter` steps; here
    the whole SVD is computed, so they are exact and `niter` changes nothing.

    >>> A = torch.diag(torch.tensor([3.0, 2.0, 1.0]))
    >>> U, S, V = torch.svd_lowrank(A, q=2)
    >>> S
    tensor([3., 2.])
    """
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
    """Removed from PyTorch, and raises RuntimeError: call `torch.linalg.eigh`.

    >>> torch.symeig(torch.eye(2))
    Traceback (most recent call last):
        ...
    RuntimeError: This function was deprecated since version 1.9 and is now removed...
    """
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
    """The tangent of each element, an angle in radians: `y = sin(x) / cos(x)`.

    >>> torch.tan(torch.tensor([0.0, torch.pi / 4, 1.0]))
    tensor([0.0000, 1.0000, 1.5574])
    """
def tan_(input: Tensor) -> Tensor:
    """In place: the tangent of each element, an angle in radians: `y = sin(x) / cos(x)`.

    >>> torch.tensor([0.0, torch.pi / 4, 1.0]).tan_()
    tensor([0.0000, 1.0000, 1.5574])
    """
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent: `y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))`, between -1 and 1.

    Its derivative, `1 - y * y`, vanishes for large |x|.

    >>> torch.tanh(torch.tensor([0.0, 0.5, -20.0]))
    tensor([ 0.0000,  0.4621, -1.0000])
    """
def tanh_(input: Tensor) -> Tensor:
    """In place: the hyperbolic tangent: `y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))`, between -1 and 1.

    Its derivative, `1 - y * y`, vanishes for large |x|.

    >>> torch.tensor([0.0, 0.5, -20.0]).tanh_()
    tensor([ 0.0000,  0.4621, -1.0000])
    """
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

    >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(4, 3, 5), ([1, 2], [1, 0])).shape
    torch.Size([2, 5])
    """
def threshold(input: Tensor, threshold: Tensor | Number, value: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = x` where x > threshold, else `value`. Both are numbers of the type of x: -1 is 255 in
    uint8.

    >>> F.threshold(torch.tensor([-1.0, 0.5, 2.0]), threshold=1.0, value=-5.0)
    tensor([-5., -5.,  2.])
    """
def threshold_(input: Tensor, threshold: Tensor | Number, value: Tensor | Number) -> Tensor:
    """In place: `y = x` where x > threshold, else `value`. Both are numbers of the type of x: -1 is 255 in
    uint8.

    >>> F.threshold_(torch.tensor([-1.0, 0.5, 2.0]), threshold=1.0, value=-5.0)
    tensor([-5., -5.,  2.])
    """
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
    """The pair (values, indices) of the k largest, or smallest, elements along `dim`.

    k: how many, at most the size of the dimension, else RuntimeError. dim: -1 by default; largest:
    False takes the smallest; sorted: True, the default, gives them in order. NaN counts as the
    greatest.

    >>> values, indices = torch.topk(torch.tensor([3, 1, 2, 5]), 2)
    >>> values, indices
    (tensor([5, 3]), tensor([3, 0]))
    """
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix (n, m); of integers in int64.

    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.trace(x)
    tensor(5.)
    """
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
    """The integral of samples by the trapezoidal rule:
    `sum of (y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i])`.

    y: the samples; x: where they were taken, of the shape of y or one-dimensional; dx: their
    distance where it is the same for all, 1 by default, not together with x. dim: -1 by default.

    >>> torch.trapezoid(torch.tensor([0.0, 1.0, 4.0]))
    tensor(3.)
    >>> torch.trapezoid(torch.tensor([0.0, 1.0, 4.0]), torch.tensor([0.0, 1.0, 3.0]))
    tensor(5.5000)
    """
def trapz(y: Tensor, x: Tensor | None = None, *, dx: Number = 1, dim: _int = -1) -> Tensor:
    """The integral of samples by the trapezoidal rule:
    `sum of (y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i])`.

    y: the samples; x: where they were taken, of the shape of y or one-dimensional; dx: their
    distance where it is the same for all, 1 by default, not together with x. dim: -1 by default.

    >>> torch.trapezoid(torch.tensor([0.0, 1.0, 4.0]))
    tensor(3.)
    >>> torch.trapezoid(torch.tensor([0.0, 1.0, 4.0]), torch.tensor([0.0, 1.0, 3.0]))
    tensor(5.5000)
    """
def triangular_solve(input: Tensor, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False, *, out: builtins.tuple[Tensor, ...] | None = None) -> return_types.triangular_solve:
    """(X, A) with A @ X = input for triangular A: the older form of `linalg.solve_triangular`.

    `upper` says which triangle is read, `transpose` solves A^T @ X = input, `unitriangular` takes
    the diagonal for ones.

    >>> b, A = torch.tensor([[2.0], [9.0]]), torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.triangular_solve(b, A, upper=False).solution
    tensor([[1.],
            [2.]])
    """
def tril(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of each matrix (*, n, m): elements above the diagonal are 0.

    `diagonal`: up to which diagonal elements stay; positive ones are above the main one.

    >>> x = torch.ones(2, 3)
    >>> torch.tril(x)
    tensor([[1., 0., 0.],
            [1., 1., 0.]])
    >>> torch.tril(x, 1)
    tensor([[1., 1., 0.],
            [1., 1., 1.]])
    """
def tril_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The places on and below a diagonal of a matrix: (2, n), rows and columns.

    Of a `row` x `col` matrix, row by row; a positive `offset` is a diagonal above the main one.
    int64 unless `dtype` is int32.

    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
def triu(input: Tensor, diagonal: _int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of each matrix (*, n, m): elements below the diagonal are 0.

    `diagonal`: from which diagonal on elements stay; positive ones are above the main one.

    >>> x = torch.ones(2, 3)
    >>> torch.triu(x)
    tensor([[1., 1., 1.],
            [0., 1., 1.]])
    >>> torch.triu(x, 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.]])
    """
def triu_indices(row: _int, col: _int, offset: _int = 0, *, dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
    """The places on and above a diagonal of a matrix: (2, n), rows and columns.

    Of a `row` x `col` matrix, row by row; a positive `offset` is a diagonal above the main one.
    int64 unless `dtype` is int32.

    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
def true_divide(input: Tensor, other: Tensor | Number, *, rounding_mode: _str | None = None, out: Tensor | None = None) -> Tensor:
    """`y = input / other`, element by element; integers give the default float type.

    input, other: tensors whose shapes broadcast, or one of them a number.

    rounding_mode: None (the default), "floor", which rounds down, or "trunc", which rounds towards
    zero; with these two integers stay integers, and 0 is no divisor of theirs (RuntimeError).

    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    """
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x without its fraction, rounded towards zero; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.trunc(torch.tensor([1.7, -1.7, 2.0]))
    tensor([ 1., -1.,  2.])
    """
def trunc_(input: Tensor) -> Tensor:
    """In place: x without its fraction, rounded towards zero; the type stays that of x.

    The gradient is 0 everywhere. Not for bools and complex numbers.

    >>> torch.tensor([1.7, -1.7, 2.0]).trunc_()
    tensor([ 1., -1.,  2.])
    """
def typename(obj: Any) -> _str:
    """The name of a tensor's legacy type, or of an object's class with its module.

    >>> torch.typename(torch.ones(2)), torch.typename("text")
    ('torch.FloatTensor', 'str')
    """
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
    """The distinct elements in ascending order, or the distinct slices along `dim`.

    return_inverse: also where each element of input stands among them; return_counts: also how
    often each occurs; both False by default. dim: None, the default, takes the flattened tensor.
    sorted: they are in order in any case.

    >>> x = torch.tensor([3, 1, 3, 2])
    >>> torch.unique(x)
    tensor([1, 2, 3])
    >>> torch.unique(x, return_inverse=True, return_counts=True)
    (tensor([1, 2, 3]), tensor([2, 0, 2, 1]), tensor([1, 1, 2]))
    """
@overload
def unique_consecutive(input: Tensor, return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: _int | None = None) -> Tensor: ...
@overload
def unique_consecutive(input: Tensor, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None) -> builtins.tuple[Tensor, ...]:
    """The elements, or slices along `dim`, without those that equal the one before.

    return_inverse: also where each element of input went; return_counts: also how long each run is;
    both False by default. dim: None, the default, takes the flattened tensor.

    >>> x = torch.tensor([1, 1, 2, 2, 3, 1])
    >>> torch.unique_consecutive(x)
    tensor([1, 2, 3, 1])
    >>> torch.unique_consecutive(x, return_counts=True)
    (tensor([1, 2, 3, 1]), tensor([2, 2, 1, 1]))
    """
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
    """The Vandermonde matrix (n, N) of a vector (n,): powers, the highest first unless
    `increasing`.

    >>> x = torch.tensor([2, 3])
    >>> torch.vander(x, 4)
    tensor([[ 8,  4,  2,  1],
            [27,  9,  3,  1]])
    >>> torch.vander(x, 4, increasing=True)
    tensor([[ 1,  2,  4,  8],
            [ 1,  3,  9, 27]])
    """
@overload
def var(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, keepdim: _bool = False, out: Tensor | None = None) -> Tensor: ...
@overload
def var(input: Tensor, dim: Dims | None, unbiased: _bool, keepdim: _bool = False, *, out: Tensor | None = None) -> Tensor: ...
@overload
def var(input: Tensor, unbiased: _bool) -> Tensor:
    """The variance of all elements, or over `dim`: `y = sum of |x - mean| ** 2 / (n - correction)`.

    dim: an int or a tuple; None, the default, takes all. correction: 1 by default, for samples of
    something larger; 0 for the variance of these numbers themselves. unbiased: the older way to say
    it, True for 1 and False for 0. keepdim: these dimensions stay, with size 1. A warning, and NaN,
    where n is not above correction. For floats and complex numbers.

    >>> torch.var(torch.tensor([1.0, 2.0, 3.0, 6.0]))
    tensor(4.6667)
    >>> torch.var(torch.tensor([1.0, 2.0, 3.0, 6.0]), correction=0)
    tensor(3.5000)
    """
@overload
def var_mean(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def var_mean(input: Tensor, dim: Dims | None, unbiased: _bool, keepdim: _bool = False) -> builtins.tuple[Tensor, Tensor]: ...
@overload
def var_mean(input: Tensor, unbiased: _bool) -> builtins.tuple[Tensor, Tensor]:
    """The pair (variance, mean), of all elements or over `dim`; the parameters are those of `var`.

    >>> torch.var_mean(torch.tensor([[1.0, 3.0], [2.0, 8.0]]), 1)
    (tensor([ 2., 18.]), tensor([2., 5.]))
    """
def vdot(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The sum of the products of two vectors of one length, the first one conjugated: sum(conj(x) *
    y).

    >>> x = torch.tensor([1 + 2j])
    >>> torch.vdot(x, x)
    tensor(5.+0.j)
    """
def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor whose last dimension is (real, imag) as a complex one, sharing memory.

    input (*, 2), of float16, float32 or float64, the last dimension with stride 1; the result (*).
    RuntimeError otherwise.

    >>> torch.view_as_complex(torch.tensor([[1.0, 2.0], [3.0, -4.0]]))
    tensor([1.+2.j, 3.-4.j])
    """
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`view_as_complex` as a copy: the result has memory of its own.

    Parameters are those of `view_as_complex`.

    >>> torch.view_as_complex_copy(torch.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a real one with one more dimension of size 2, (real, imag), sharing
    memory.

    input (*), complex; the result (*, 2). RuntimeError for real tensors, and for conjugate views.

    >>> torch.view_as_real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([[ 1.,  2.],
            [ 3., -4.]])
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
    """Choose from two tensors: `y = input` where the condition holds, else `other`.

    condition: a tensor of bools; input, other: tensors or numbers. All three broadcast, and the
    result has the common type of the two. With the condition alone: a tuple of indices, one tensor
    a dimension, of the places where it holds.

    The gradient goes to the chosen one. What is not chosen is computed all the same: a NaN in its
    own derivative comes through, so guard the argument rather than the result.

    >>> x = torch.tensor([-1.0, 2.0, -3.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2., 0.])
    >>> torch.where(x > 0)
    (tensor([1]),)
    """
def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`y = input * log(other)`, and 0 where input is 0, whatever other is (but NaN where other
    is NaN).

    input, other: tensors whose shapes broadcast, or one of them a number. Cross entropies with
    probabilities of 0 want this.

    >>> torch.xlogy(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 2.0, 3.0]))
    tensor([0.0000, 0.6931, 2.1972])
    """
def xlogy_(input: Tensor | Number, other: Tensor | Number) -> Tensor:
    """In place: `y = input * log(other)`, and 0 where input is 0, whatever other is (but NaN where other
    is NaN).

    input, other: tensors whose shapes broadcast, or one of them a number. Cross entropies with
    probabilities of 0 want this.

    >>> torch.tensor([0.0, 1.0, 2.0]).xlogy_(torch.tensor([0.0, 2.0, 3.0]))
    tensor([0.0000, 0.6931, 2.1972])
    """
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
