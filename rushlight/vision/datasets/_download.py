"""Fetching a file: with progress, a checksum, and no half of one left behind."""

from __future__ import annotations

import hashlib
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence

from ...errors import message
from ...serialization.atomic import replacing

_CHUNK = 1 << 16


def fetch(urls: Sequence[str], folder: str, name: str, md5: str) -> str:
    """Fetch `name` from the first of `urls` that has it into `folder`, and return its path.

    Raises:
        RuntimeError: no address gave the file with the right checksum. `folder` is as it was.
    """
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    failures = []
    for url in urls:
        try:
            with replacing(path) as file:
                _copy(url, file, name, md5)
        except (OSError, urllib.error.URLError, ValueError) as error:
            failures.append(f"{url}: {error}")
        else:
            return path
    raise RuntimeError(
        message(
            f"Error downloading {name}",
            got="\n".join(failures),
            hint=f"putting the file into {folder} by hand",
        )
    )


def _copy(url: str, file: object, name: str, md5: str) -> None:
    digest = hashlib.md5(usedforsecurity=False)
    done = 0
    request = urllib.request.Request(url, headers={"User-Agent": "rushlight"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        total = int(answer.headers.get("Content-Length") or 0)
        while chunk := answer.read(_CHUNK):
            file.write(chunk)  # type: ignore[attr-defined]
            digest.update(chunk)
            done += len(chunk)
            _show(name, done, total)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if digest.hexdigest() != md5:
        raise ValueError(f"File not found or corrupted: MD5 is {digest.hexdigest()}, not {md5}")


def _show(name: str, done: int, total: int) -> None:
    """One line that overwrites itself, on a terminal only."""
    if sys.stderr.isatty():
        share = f" {100 * done / total:3.0f} %" if total else ""
        print(f"\r{name}  {done / 1e6:.1f} MB{share}", end="", file=sys.stderr, flush=True)
