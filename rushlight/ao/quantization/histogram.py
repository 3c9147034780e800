"""The observer that keeps a histogram, and leaves out the ends of a range to lessen the error.

The range is narrowed bin by bin, from the end at which fewer values lie, as long as the expected
square of the error of quantization falls; values within a bin count as spread evenly.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import rushlight as rl

from ...ops.create.from_data import tensor
from .observer_base import EPS, UniformQuantizationObserverBase, factory
from .utils import is_per_tensor

INF = float("inf")
F = np.float32


class HistogramObserver(UniformQuantizationObserverBase):
    """Keeps a histogram of all inputs and chooses the range with the least squared error.

    Args:
        bins: how many bins the histogram has. Where an input is beyond its ends, it is spread over
            the wider range anew.

    >>> observer = torch.ao.quantization.HistogramObserver(bins=8)
    >>> _ = observer(torch.tensor([0.0, 0.1, 0.2, 0.9, 1.0]))
    >>> observer.histogram
    tensor([2., 1., 0., 0., 0., 0., 0., 2.])
    """

    histogram: Any
    min_val: Any
    max_val: Any

    def __init__(
        self,
        bins: int = 2048,
        dtype: Any = None,
        qscheme: Any = None,
        reduce_range: bool = False,
        quant_min: Any = None,
        quant_max: Any = None,
        factory_kwargs: Any = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        per_tensor = "torch.per_tensor_symmetric and torch.per_tensor_affine"
        self._only(qscheme is None or is_per_tensor(qscheme), per_tensor)
        if is_dynamic:
            raise NotImplementedError("HistogramObserver doesn't support dynamic quantization")
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic,
            **kwargs,
        )  # fmt: skip
        self.bins = bins
        made = factory(factory_kwargs)
        self.register_buffer("histogram", rl.zeros(bins, **made))
        self.register_buffer("min_val", tensor(INF, **made))
        self.register_buffer("max_val", tensor(-INF, **made))
        self.dst_nbins = 2 ** rl.iinfo(self.dtype).bits
        self.upsample_rate = 16  # how much finer a histogram is made before it is spread anew

    def forward(self, x_orig: Any) -> Any:
        """Count the values of `x_orig`, and return it."""
        x = x_orig.detach()
        if x.numel() and x.isinf().any():
            warnings.warn("torch.inf detected in input tensor, ignoring input", stacklevel=2)
            x = x[~x.isinf()]
        if not x.numel():
            return x_orig
        low, high = x.aminmax()
        unseen = self.min_val == INF or self.max_val == -INF
        if not unseen:
            low, high = low.minimum(self.min_val), high.maximum(self.max_val)
        counted = x.histc(self.bins, low.item(), high.item())
        if not unseen:
            counted = counted + self._spread(low, high)
        self.histogram.resize_(counted.shape).copy_(counted)
        self.min_val.resize_(low.shape).copy_(low)
        self.max_val.resize_(high.shape).copy_(high)
        return x_orig

    def _spread(self, low: Any, high: Any) -> Any:
        """The histogram so far over a range that may be wider."""
        first, last = self.min_val, self.max_val
        if low == first and high == last:
            return self.histogram
        if first == last:  # one value
            return first.histc(self.bins, low.item(), high.item()) * self.histogram.sum()
        fine = self.histogram.repeat_interleave(self.upsample_rate) / self.upsample_rate
        n = self.bins * self.upsample_rate
        middles = rl.linspace(first.item(), last.item(), n + 1)[:-1] + 0.5 * ((last - first) / n)
        edges = rl.linspace(low.item(), high.item(), self.bins + 1)
        places = (rl.bucketize(middles, edges, right=True) - 1).clamp(0, self.bins - 1)
        return rl.bincount(places, weights=fine, minlength=self.bins)

    def _compute_quantization_error(self, next_start_bin: int, next_end_bin: int) -> float:
        """The expected square of the error where these bins become the quantized range.

        A quantized number stands for the middle of its interval, so a value at distance d from it
        has the error d, and a bin of density p from a to b the error p * (b ** 3 - a ** 3) / 3. A
        bin may begin in one interval and end in another, with whole ones between.
        """
        width = (self.max_val.item() - self.min_val.item()) / self.bins
        step = width * (next_end_bin - next_start_bin + 1) / self.dst_nbins
        if step == 0.0:
            return 0.0
        begin = np.arange(-next_start_bin, self.bins - next_start_bin).astype(F) * F(width)
        end = begin + F(width)
        last = F(self.dst_nbins - 1)
        of_begin = np.clip(np.floor(begin / F(step)), F(0), last)
        of_end = np.clip(np.floor(end / F(step)), F(0), last)
        density = self.histogram.numpy() / F(width)
        half = F(step / 2)

        def cube(a: Any, b: Any) -> Any:
            return density * ((b * b * b - a * a * a) / F(3))

        error = cube(begin - (of_begin + F(0.5)) * F(step), half)
        error += (of_end - of_begin - F(1)) * cube(-half, half)
        error += cube(-half, end - (of_end * F(step) + half))
        return float(error.sum())

    def _non_linear_param_search(self) -> tuple[Any, Any]:
        """The range with the least error that the search finds."""
        width = (self.max_val - self.min_val) / self.bins
        sums = self.histogram.cumsum(0).numpy()
        total = float(self.histogram.sum())
        step = 1e-5
        alpha, beta = 0.0, 1.0
        start, stop = 0, self.bins - 1
        least = INF
        while alpha < beta:
            # the bins that the next quantile on either side leaves
            left = start + int(np.searchsorted(sums[start:stop], F((alpha + step) * total)))
            above = np.searchsorted(sums[start + 1 : stop + 1], F((beta - step) * total), "right")
            right = start + int(above)
            if left - start > stop - right:
                following, alpha = (left, stop), alpha + step
            else:
                following, beta = (start, right), beta - step
            if following == (start, stop):
                continue
            error = self._compute_quantization_error(*following)
            if error > least:
                break
            least, (start, stop) = error, following
        return self.min_val + width * start, self.min_val + width * (stop + 1)

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """(scale, zero point) of the range with the least error."""
        if self.min_val == INF and self.max_val == -INF:
            return self._calculate_qparams(self.min_val, self.max_val)  # which warns
        if self.bins != len(self.histogram):
            raise AssertionError(
                "The number of bins in histogram should be equal to the number of bins supplied "
                "while making this observer"
            )
        return self._calculate_qparams(*self._non_linear_param_search())

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        version = metadata.get("version")
        for name, unseen in (("min_val", INF), ("max_val", -INF)):
            key = prefix + name
            found = state_dict.get(key)
            if found is None:
                if strict:
                    missing.append(key)
                continue
            if (version is None or version < 3) and not found.numel():
                found = state_dict[key] = tensor(unseen)
            setattr(self, name, found)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, *rest)
