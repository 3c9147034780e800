"""Downloads, checksums and archives under torchvision's names.

The work is done in `rushlight/utils/download.py` and in `_archives.py`.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable
from typing import Any, TypeVar

from ...errors import message
from ...utils import download as _download
from . import _archives

Path = str | os.PathLike[str]
T = TypeVar("T", str, bytes)


def calculate_md5(fpath: Path, chunk_size: int = 1024 * 1024) -> str:
    """The MD5 checksum of a file, as hexadecimal digits."""
    return _download.md5_of(fpath, chunk_size)


def check_md5(fpath: Path, md5: str, **kwargs: Any) -> bool:
    """Whether a file has this checksum."""
    return md5 == calculate_md5(fpath, **kwargs)


def check_integrity(fpath: Path, md5: str | None = None) -> bool:
    """Whether a file is there and, where a checksum is given, has it.

    >>> check_integrity("no such file")
    False
    """
    return os.path.isfile(fpath) and (md5 is None or check_md5(fpath, md5))


def download_url(
    url: str,
    root: Path,
    filename: Path | None = None,
    md5: str | None = None,
    max_redirect_hops: int = 3,
) -> None:
    """Fetch a file into the folder `root`, unless it is there already.

    A transfer that breaks off is continued, now or by a later call; the file gets its name only
    when it is whole and has the right checksum.

    Args:
        url: the address.
        root: the folder; made if need be.
        filename: the name in it; None takes the last part of the address.
        md5: the checksum; None takes whatever comes.
        max_redirect_hops: accepted; redirections are followed ten deep.

    Raises:
        RuntimeError: the address does not give the file, or a file with another checksum.
    """
    _refuse_google_drive(url)
    name = os.fspath(filename) if filename else os.path.basename(url)
    folder, name = os.path.split(os.path.join(os.path.expanduser(root), name))
    _download.fetch([url], folder, name, md5)


def _refuse_google_drive(url: str) -> None:
    import urllib.parse

    if urllib.parse.urlparse(url).netloc in ("drive.google.com", "docs.google.com"):
        download_file_from_google_drive(url, "")


def download_file_from_google_drive(
    file_id: str, root: Path, filename: Path | None = None, md5: str | None = None
) -> None:
    """Raise: Google Drive gives files to browsers only. A file that is there is accepted."""
    if check_integrity(os.path.join(os.path.expanduser(root), filename or file_id), md5):
        return
    raise RuntimeError(
        message(
            "download: a file on Google Drive cannot be fetched by a program without an account",
            got=file_id,
            hint="fetching it with a browser, and putting it into the data set's folder",
        )
    )


def extract_archive(
    from_path: Path, to_path: Path | None = None, remove_finished: bool = False
) -> Path:
    """Extract a `.tar`, `.tar.gz`, `.zip` ... or unpack a `.gz`, `.bz2` or `.xz` file.

    Nothing is ever written outside `to_path`.

    Args:
        from_path: the archive; its name tells its kind.
        to_path: the folder; None is the archive's own.
        remove_finished: delete the archive afterwards.

    Returns:
        The folder, or the unpacked file.
    """
    source = os.fspath(from_path)
    folder = os.path.dirname(source) if to_path is None else os.fspath(to_path)
    suffix, archive, packing = _archives.kind_of(source)
    if archive is None:
        made = os.path.join(folder, os.path.basename(source).removesuffix(suffix))
        _archives.unpack(source, made, packing or "")
    else:
        made = folder
        _archives.extract(source, folder or ".", archive, packing)
    if remove_finished:
        os.remove(source)
    return made if isinstance(from_path, str) else pathlib.Path(made)


def download_and_extract_archive(
    url: str,
    download_root: Path,
    extract_root: Path | None = None,
    filename: Path | None = None,
    md5: str | None = None,
    remove_finished: bool = False,
) -> None:
    """`download_url`, then `extract_archive`."""
    root = os.path.expanduser(download_root)
    name = filename or os.path.basename(url)
    download_url(url, root, name, md5)
    extract_archive(os.path.join(root, name), extract_root or root, remove_finished)


def list_dir(root: Path, prefix: bool = False) -> list[str]:
    """The names (with `prefix` the paths) of the folders in `root`."""
    root = os.path.expanduser(root)
    names = [n for n in os.listdir(root) if os.path.isdir(os.path.join(root, n))]
    return [os.path.join(root, n) for n in names] if prefix else names


def list_files(root: Path, suffix: str | tuple[str, ...], prefix: bool = False) -> list[str]:
    """The names (with `prefix` the paths) of the files in `root` that end in `suffix`."""
    root = os.path.expanduser(root)
    names = [n for n in os.listdir(root) if n.endswith(suffix)]
    names = [n for n in names if os.path.isfile(os.path.join(root, n))]
    return [os.path.join(root, n) for n in names] if prefix else names


def iterable_to_str(iterable: Iterable[Any]) -> str:
    """Items in quotes.

    >>> iterable_to_str(["train", "test"])
    "'train', 'test'"
    """
    return "'" + "', '".join(str(item) for item in iterable) + "'"


def verify_str_arg(
    value: T,
    arg: str | None = None,
    valid_values: Iterable[T] | None = None,
    custom_msg: str | None = None,
) -> T:
    """`value` if it is one of `valid_values`; ValueError otherwise.

    >>> verify_str_arg("train", "split", ("train", "test"))
    'train'
    """
    if not isinstance(value, str):
        place = "" if arg is None else f" for argument {arg}"
        raise ValueError(f"Expected type str{place}, but got type {type(value)}.")
    if valid_values is None or value in valid_values:
        return value
    if custom_msg is not None:
        raise ValueError(custom_msg)
    raise ValueError(
        f"Unknown value '{value}' for argument {arg}. "
        f"Valid values are {{{iterable_to_str(valid_values)}}}."
    )
