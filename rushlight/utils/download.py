"""Fetching a file over the network: whole and right at its place, or not there at all.

The bytes gather in `name.part`, which survives a break and is continued by the next attempt, of
this process or of a later one. Only a file with the right checksum takes the name itself. Processes
that want the same file take turns.

Used by `vision/datasets/` (which unpacks archives and has torchvision's names for all this) and by
`hub.py` (trained weights).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from ..errors import message

CHUNK = 1 << 16
ATTEMPTS = 4  # in a row that bring nothing new, at one address
PAUSE = 0.5  # seconds before the second attempt; doubled before each further one
TIMEOUT = 60.0  # seconds without a byte
_AGENT = "rushlight"


class _Refused(Exception):
    """This address will not give the file, however often it is asked."""


class _Broken(Exception):
    """The transfer broke off; what came so far is kept."""


class _Local(Exception):
    """Our own disk failed: no other address would help."""


def md5_of(path: str | os.PathLike[str], chunk_size: int = 1 << 20) -> str:
    """The MD5 checksum of a file, as hexadecimal digits."""
    return Checksum("md5", "").of(path, chunk_size)


def corrupted(path: str | os.PathLike[str], found: str, wanted: str) -> str:
    """The words for a file with the wrong checksum."""
    return f"{os.fspath(path)} is corrupted: md5 {found}, wanted {wanted}"


class Checksum(NamedTuple):
    """What a file must give: all digits of a hash, or (as in the names of weights) the first."""

    kind: str
    digits: str

    def of(self, path: str | os.PathLike[str], chunk_size: int = 1 << 20) -> str:
        """The hash of a file."""
        digest = hashlib.new(self.kind, usedforsecurity=False)
        with open(path, "rb") as file:
            while chunk := file.read(chunk_size):
                digest.update(chunk)
        return digest.hexdigest()

    def refuses(self, path: str | os.PathLike[str], name: object) -> str | None:
        """The complaint about a file with another hash; None for the right one."""
        found = self.of(path)
        if found.startswith(self.digits):
            return None
        if self.kind == "md5":
            return corrupted(str(name), found, self.digits)
        return f'{name}: invalid hash value (expected "{self.digits}", got "{found}")'


def fetch(
    urls: Sequence[str],
    folder: str,
    name: str,
    md5: str | None = None,
    *,
    sha256: str | None = None,
    again: bool = False,
    progress: bool = True,
) -> str:
    """Fetch `name` from the first of `urls` that has it into `folder`, and return its path.

    A file that is there with the right checksum is used as it is; one with a wrong checksum is
    fetched again, and stays until the new one is whole.

    Args:
        urls: addresses, tried in order.
        folder, name: where the file goes; the folder is made.
        md5: the checksum. Without any, whatever comes is taken, and nothing is continued.
        sha256: the first digits of another checksum, instead.
        again: fetch even if the file is there (and, as far as can be told, whole).
        progress: show a bar, on a terminal.

    Raises:
        RuntimeError: no address gave the file with the right checksum.
        OSError: the folder cannot be written to.
    """
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    check = Checksum("md5", md5) if md5 else Checksum("sha256", sha256) if sha256 else None
    if os.path.isfile(path) and not again:
        complaint = check.refuses(path, path) if check else None
        if complaint is None:
            return path
        warnings.warn(complaint + "; it is fetched again", stacklevel=2)
    part = path + ".part"
    failures: list[str] = []
    with _alone(part) as file:
        if _is_whole(path, check) and not again:  # finished while we waited for our turn
            _remove(part, file)
            return path
        if check is None:  # nothing would tell whether an old beginning belongs to this file
            file.truncate(0)
        for url in urls:
            try:
                failure = _fetch_from(url, file, name if progress else None, part, check)
            except _Local as error:
                cause = error.__cause__
                raise OSError(getattr(cause, "errno", None), f"{part}: {cause}") from cause
            if failure is None:
                _finish(part, path, file)
                return path
            failures.append(f"{url}: {failure}")
            if check is None:  # another address may have another file
                file.truncate(0)
        if not os.path.getsize(part):
            _remove(part, file)
    raise RuntimeError(
        message(
            f"Error downloading {name}",
            got="\n".join(failures),
            wanted="the file" + (f" with {check.kind} {check.digits}" if check else ""),
            hint=f"again later (what came is kept and continued), or putting it into {folder} "
            "by hand",
        )
    )


def _is_whole(path: str, check: Checksum | None) -> bool:
    return os.path.isfile(path) and (check is None or check.refuses(path, path) is None)


def _finish(part: str, path: str, file: IO[bytes]) -> None:
    """Give the part its name, still locked where the system can rename an open file."""
    file.flush()
    os.fsync(file.fileno())
    if os.name == "nt":
        file.close()
    os.replace(part, path)


def _remove(part: str, file: IO[bytes]) -> None:
    if os.name == "nt":
        file.close()
    os.unlink(part)


@contextlib.contextmanager
def _alone(part: str) -> Iterator[IO[bytes]]:
    """The part file, opened and locked; waits for a process that is at work on it."""
    while True:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(part, flags, 0o666), "r+b")
        _lock(file, part)
        # Whoever had it before us may have finished and renamed it.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(part)):
                break
        file.close()
    with file:
        yield file


def _lock(file: IO[bytes], part: str) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: processes that collide there find a wrong checksum
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if sys.stderr.isatty():
            print(f"Waiting for another process that fetches {part}", file=sys.stderr)
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError:  # some network disks have no locks
        return


def _fetch_from(
    url: str, file: IO[bytes], name: str | None, part: str, check: Checksum | None
) -> str | None:
    """Fill `file` from one address; None when it is whole, else what went wrong."""
    old = _size(file) > 0  # an old beginning may be of another file: then once more from zero
    if old and check and check.refuses(part, part) is None:
        return None
    idle = 0
    state = _State()
    while True:
        before = _size(file)
        try:
            _transfer(url, file, name, state)
        except _Refused as error:
            return str(error)
        except _Broken as error:
            idle = 0 if _size(file) > before else idle + 1
            if idle >= ATTEMPTS:
                return f"{error} ({_size(file)} bytes are kept)"
            time.sleep(PAUSE * 2 ** (idle - 1) if idle else 0)
            continue
        if check is None:
            return None
        file.flush()
        complaint = check.refuses(part, url)
        if complaint is None:
            return None
        file.truncate(0)
        if not old:
            return complaint
        old = False


class _State:
    """What is known of one address: whether it answered, and what must not change under way."""

    reached = False
    validator: str | None = None


def _size(file: IO[bytes]) -> int:
    return file.seek(0, os.SEEK_END)


def _transfer(url: str, file: IO[bytes], name: str | None, state: _State) -> None:
    """One request: continue where `file` ends, or begin again where the server cannot."""
    import http.client
    import urllib.error
    import urllib.request

    done = _size(file)
    headers = {"User-Agent": _AGENT, "Accept-Encoding": "identity"}
    if done:
        headers["Range"] = f"bytes={done}-"
        if state.validator is not None:
            headers["If-Range"] = state.validator
    try:
        answer = urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=TIMEOUT
        )
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416 and done:  # we have all of it, or more than there is
                if error.headers.get("Content-Range", "").strip() != f"bytes */{done}":
                    file.truncate(0)
                    raise _Broken("the file has another length than before") from error
                return
            if error.code in (408, 425, 429) or error.code >= 500:
                raise _Broken(f"HTTP {error.code} {error.reason}") from error
            raise _Refused(f"HTTP {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        # On the first contact these do not pass by waiting: no network, no such place, a wrong
        # certificate. In the middle of a file they may.
        kinds = ("FileNotFoundError", "gaierror", "ConnectionRefusedError")
        final = type(error.reason).__name__ in (*kinds, "SSLCertVerificationError")
        raise (_Refused if final and not state.reached else _Broken)(str(error.reason)) from error
    except (OSError, http.client.HTTPException) as error:
        raise _Broken(f"{type(error).__name__}: {error}") from error
    except ValueError as error:
        raise _Refused(str(error)) from error
    state.reached = True
    with answer:
        validator = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
        if validator is not None and not validator.startswith("W/"):
            state.validator = validator
        begin, total = _extent(answer, done)
        if begin != done:
            file.truncate(begin)
            file.seek(begin)
        try:
            got = _copy(answer, file, name, begin, total)
        except (OSError, http.client.HTTPException) as error:
            raise _Broken(f"it broke off: {type(error).__name__}: {error}") from error
        if total is not None and got != total:
            if got > total:
                file.truncate(0)
            raise _Broken(f"it broke off after {got} of {total} bytes")


def _extent(answer: Any, done: int) -> tuple[int, int | None]:
    """Where the bytes of an answer begin in the file, and the length of the whole file."""
    length = answer.headers.get("Content-Length")
    length = int(length) if length and length.isdigit() else None
    if getattr(answer, "status", None) != 206:  # the whole file, whatever was asked for
        return 0, length
    unit, _, rest = answer.headers.get("Content-Range", "").partition(" ")
    span, _, whole = rest.partition("/")
    first = span.partition("-")[0]
    if unit != "bytes" or not first.isdigit() or int(first) > done:
        raise _Refused(f"its Content-Range is {answer.headers.get('Content-Range')!r}")
    total = int(whole) if whole.isdigit() else None if length is None else int(first) + length
    return int(first), total


def _copy(answer: Any, file: IO[bytes], name: str | None, done: int, total: int | None) -> int:
    read = getattr(answer, "read1", answer.read)  # what is there, without waiting for a full chunk
    with _progress(name, done, total) as advance:
        while chunk := read(CHUNK):
            try:
                file.write(chunk)
            except OSError as error:
                raise _Local from error
            done += len(chunk)
            advance(len(chunk))
    try:
        file.flush()
    except OSError as error:
        raise _Local from error
    return done


# The progress bar: tqdm's where it is installed, else one line; on a terminal only.


@contextlib.contextmanager
def _progress(name: str | None, done: int, total: int | None) -> Iterator[Any]:
    if name is None or not sys.stderr.isatty():
        yield lambda count: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        line = _Line(name, done, total)
        try:
            yield line.advance
        finally:
            line.close()
        return
    with tqdm(
        desc=name, initial=done, total=total, unit="B", unit_scale=True, unit_divisor=1000
    ) as bar:
        yield bar.update


class _Line:
    """One line that overwrites itself."""

    def __init__(self, name: str, done: int, total: int | None) -> None:
        self._name, self._done, self._total = name, done, total
        self._shown = ""

    def advance(self, count: int) -> None:
        self._done += count
        text = f"{self._name}  {self._done / 1e6:.1f} MB"
        if self._total:
            text += f" of {self._total / 1e6:.1f} ({100 * self._done / self._total:.0f} %)"
        if text != self._shown:
            print("\r" + text, end="", file=sys.stderr, flush=True)
            self._shown = text

    def close(self) -> None:
        if self._shown:
            print(file=sys.stderr)
