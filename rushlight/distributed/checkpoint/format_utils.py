"""From checkpoints in folders to files of `torch.save`, and back."""

from __future__ import annotations

import os
from typing import Any

from ... import serialization
from .default_planner import _EmptyStateDictLoadPlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .state_dict_loader import _load_state_dict
from .state_dict_saver import _save_state_dict


def dcp_to_torch_save(
    dcp_checkpoint_dir: str | os.PathLike[str], torch_save_path: str | os.PathLike[str]
) -> None:
    """Make one file of a folder; in one process, which holds all of it in memory.

    >>> import os, tempfile
    >>> import rushlight.distributed.checkpoint as dcp
    >>> from rushlight.distributed.checkpoint import format_utils
    >>> where = tempfile.mkdtemp()
    >>> _ = dcp.save({"net": {"w": torch.ones(2)}}, checkpoint_id=where + "/a", no_dist=True)
    >>> format_utils.dcp_to_torch_save(where + "/a", where + "/a.pt")
    >>> torch.load(where + "/a.pt")
    {'net': {'w': tensor([1., 1.])}}
    """
    found: dict[str, Any] = {}
    _load_state_dict(
        found,
        FileSystemReader(dcp_checkpoint_dir),
        no_dist=True,
        planner=_EmptyStateDictLoadPlanner(),
    )
    serialization.save(found, torch_save_path)


def torch_save_to_dcp(
    torch_save_path: str | os.PathLike[str], dcp_checkpoint_dir: str | os.PathLike[str]
) -> None:
    """Make a folder of one file; in one process, which holds all of it in memory."""
    found = serialization.load(torch_save_path, weights_only=False)
    _save_state_dict(found, FileSystemWriter(dcp_checkpoint_dir), no_dist=True)


if __name__ == "__main__":
    import argparse

    parser = argparse.ArgumentParser(description="Convert a checkpoint.")
    parser.add_argument("mode", choices=["torch_to_dcp", "dcp_to_torch"])
    parser.add_argument("src", help="the checkpoint")
    parser.add_argument("dst", help="where the other goes")
    given = parser.parse_args()
    if not os.path.exists(given.src):
        parser.error(f"no checkpoint found at {given.src}")
    convert = torch_save_to_dcp if given.mode == "torch_to_dcp" else dcp_to_torch_save
    convert(given.src, given.dst)
