"""SummaryWriter: PyTorch's methods and arguments around the one of tensorboardX.

Tensors are converted here, events are made by tensorboardX (imported with the first writer), and
files are written by `files.py`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from ...errors import message
from ...tensor import Tensor
from .files import writer_class


def check_installed() -> None:
    """ImportError naming the extra when tensorboardX is missing."""
    if "tensorboardX" in sys.modules or importlib.util.find_spec("tensorboardX") is not None:
        return
    raise ImportError(
        message(
            "utils.tensorboard: this needs tensorboardX, which is not installed",
            hint="pip install 'rushlight[tensorboard]'",
        ),
        name="tensorboardX",
    )


def _tensorboardx() -> Any:
    check_installed()
    if "tensorboardX" in sys.modules or "torch" in sys.modules:
        return importlib.import_module("tensorboardX")
    # It imports PyTorch where that is installed, for the sake of an annotation: a second's wait.
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        return importlib.import_module("tensorboardX")
    finally:
        del sys.modules["torch"]


def _plain(value: Any) -> Any:
    """Tensors, also inside lists and dicts, as arrays of a type that every library knows."""
    if isinstance(value, Tensor):
        value = value.detach().cpu()
        if value.dtype.is_floating_point and value.dtype.itemsize < 4:
            value = value.float()
        return np.array(value.numpy())
    if isinstance(value, Mapping):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(v) for v in value) if type(value) in (list, tuple) else value
    return value


def _number(value: Any) -> Any:
    """A number out of a number, or a tensor or array of one element."""
    array = np.asarray(_plain(value))
    if array.size != 1:
        raise ValueError(
            message(
                "add_scalar: scalar should be 0D",
                got=f"shape {array.shape}",
                wanted="a number, or a tensor of one element",
                hint="loss.mean(), or add_histogram for many numbers",
            )
        )
    return array.reshape(()).item()


class SummaryWriter:
    """Write numbers, pictures and texts to an event file, for TensorBoard to show.

    Args:
        log_dir: the folder of the file; None makes `runs/DATE_HOST` + `comment`.
        comment: the end of that name.
        purge_step: hide what an earlier run wrote for this step and later ones.
        max_queue: how many events wait at most before they are written.
        flush_secs: how long they wait at most.
        filename_suffix: the end of the file's name.

    Raises:
        ImportError: tensorboardX is not installed.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        tensorboardx = _tensorboardx()
        self._writer = writer_class(tensorboardx)(
            None if log_dir is None else os.fspath(log_dir),
            comment=comment,
            purge_step=purge_step,
            max_queue=max_queue,
            flush_secs=flush_secs,
            filename_suffix=filename_suffix,
        )
        self.log_dir: str = self._writer.logdir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix

    def __getattr__(self, name: str) -> Any:
        """Whatever else tensorboardX has, with tensors converted."""
        if name.startswith("_"):
            raise AttributeError(f"'SummaryWriter' object has no attribute '{name}'")
        found = getattr(self._writer, name)
        return _converting(found) if name.startswith("add_") else found

    def get_logdir(self) -> str:
        """The folder of the event file."""
        return self.log_dir

    # Numbers

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """One point of a curve.

        Args:
            tag: the curve.
            scalar_value: a number, or a tensor of one element.
            global_step: where on the curve.
            walltime: seconds since 1970; None is now.
            new_style, double_precision: accepted; the file holds float32, in the classic form.
        """
        self._writer.add_scalar(tag, _number(scalar_value), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """One point of each of several curves that are shown in one picture.

        Each curve gets a folder of its own, `log_dir/main_tag_tag`.
        """
        from tensorboardX.summary import scalar

        self._writer._get_file_writer()
        for tag, value in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in self._writer.all_writers:
                self._writer.all_writers[folder] = self._writer.open(folder)
            summary = scalar(main_tag, _number(value))
            self._writer.all_writers[folder].add_summary(summary, global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """The distribution of many numbers: weights, gradients."""
        self._writer.add_histogram(
            tag, _plain(values), global_step, bins, walltime, max_bins=max_bins
        )

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall at all thresholds, from truths (0 or 1) and probabilities."""
        self._writer.add_pr_curve(
            tag,
            _plain(labels),
            _plain(predictions),
            global_step,
            num_thresholds,
            _plain(weights),
            walltime,
        )

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """The settings of a run and what came of them, in a folder of their own below `log_dir`.

        Args:
            hparam_dict: settings: numbers, texts, booleans.
            metric_dict: results: numbers.
            hparam_domain_discrete: accepted, and not written.
            run_name: the folder; None is the time.
            global_step: of the results.
        """
        from tensorboardX.summary import hparams, scalar

        settings = {k: _number(v) if isinstance(v, Tensor) else v for k, v in hparam_dict.items()}
        results = {k: _number(v) for k, v in metric_dict.items()}
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        file = self._writer.open(folder)
        try:
            for summary in hparams(settings, results):
                file.add_summary(summary)
            for tag, value in results.items():
                file.add_summary(scalar(tag, value), global_step)
        finally:
            file.close()

    # Pictures and texts

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """A picture: uint8, or floats in 0..1, its dimensions in the order `dataformats`."""
        self._writer.add_image(tag, _plain(img_tensor), global_step, walltime, dataformats)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several pictures in one, side by side."""
        images = _plain(img_tensor)
        images = np.stack(images) if isinstance(images, (list, tuple)) else images
        self._writer.add_images(tag, images, global_step, walltime, dataformats)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """A figure of matplotlib's, or a list of them; `close` closes it afterwards."""
        self._writer.add_figure(tag, figure, global_step, close, walltime)

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """A text; Markdown is shown as such."""
        self._writer.add_text(tag, text_string, global_step, walltime)

    # Models

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: list[str] | None = None,
    ) -> None:
        """Points in many dimensions, for the projector.

        Args:
            mat: (N, D).
            metadata: a label for each point, or several with `metadata_header`.
            label_img: a square picture for each, (N, C, H, W).
            global_step, tag: together the name of the point set.
            metadata_header: the names of several labels.
        """
        if isinstance(metadata, Tensor):
            metadata = metadata.tolist()
        self._writer.add_embedding(
            _plain(mat), metadata, _plain(label_img), global_step, tag, metadata_header
        )

    def add_graph(
        self,
        model: Any,
        input_to_model: Any = None,
        verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:
        """The graph of a model: its operations in boxes of its modules, as one run shows them.

        Args:
            model: the module; it runs once, in evaluation mode.
            input_to_model: a tensor, or a tuple of what its forward takes.
            verbose: whether to print the graph too.
            use_strict_trace: accepted; nothing is traced.

        Raises:
            ValueError: no input.

        >>> writer = torch.utils.tensorboard.SummaryWriter(folder)  # doctest: +SKIP
        >>> writer.add_graph(model, images)  # doctest: +SKIP
        """
        from . import graph

        nodes = graph.draw(model, input_to_model)
        if verbose:
            for node in nodes:
                print(f"{node.name}: {node.op}({', '.join(node.inputs)}) {node.shape or ''}")
        self._writer._get_file_writer().add_event(graph.event(nodes))

    # The file

    def flush(self) -> None:
        """Bring everything to the disk."""
        self._writer.flush()

    def close(self) -> None:
        """Write everything and close the file; a later call to add something opens another."""
        self._writer.close()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _converting(function: Callable[..., Any]) -> Callable[..., Any]:
    def convert(*args: Any, **kwargs: Any) -> Any:
        return function(*_plain(args), **_plain(kwargs))

    return convert
