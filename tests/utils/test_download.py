"""Downloads, against a server on this machine that breaks off, lies, and forgets."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rushlight.utils import download as _download
from rushlight.vision.datasets import utils

CONTENT = bytes(range(256)) * 1200  # 307,200 bytes: several chunks
MD5 = hashlib.md5(CONTENT).hexdigest()


class Server:
    """What the next requests meet. Every request is noted in `log`, with the range it asked for."""

    def __init__(self) -> None:
        self.files = {"/data.bin": CONTENT}
        self.ranges = True
        self.cuts: list[int | None] = []  # the next answers end after so many bytes
        self.codes: list[int] = []  # the next answers are these errors
        self.length = True  # Content-Length is told
        self.etag: str | None = '"1"'
        self.redirects: dict[str, str] = {}
        self.half_sent: threading.Event | None = None  # wait for it in the middle
        self.log: list[tuple[str, str | None]] = []
        self.address = ""

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("Range")
        self.log.append((request.path, asked))
        if self.codes:
            request.send_error(self.codes.pop(0))
            return
        if request.path in self.redirects:
            request.send_response(302)
            request.send_header("Location", self.redirects[request.path])
            request.end_headers()
            return
        if request.path not in self.files:
            request.send_error(404)
            return
        content = self.files[request.path]
        begin = 0
        fresh = request.headers.get("If-Range") in (None, self.etag)
        if asked is not None and self.ranges and fresh:
            begin = int(asked.removeprefix("bytes=").rstrip("-"))
            if begin >= len(content):
                request.send_response(416)
                request.send_header("Content-Range", f"bytes */{len(content)}")
                request.end_headers()
                return
            request.send_response(206)
            span = f"bytes {begin}-{len(content) - 1}/{len(content)}"
            request.send_header("Content-Range", span)
        else:
            request.send_response(200)
        if self.length:
            request.send_header("Content-Length", str(len(content) - begin))
        if self.etag is not None:
            request.send_header("ETag", self.etag)
        request.end_headers()
        cut = self.cuts.pop(0) if self.cuts else None
        body = content[begin:] if cut is None else content[begin : begin + cut]
        if self.half_sent is not None:
            request.wfile.write(body[: len(body) // 2])
            request.wfile.flush()
            assert self.half_sent.wait(20)
            body = body[len(body) // 2 :]
        request.wfile.write(body)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    state = Server()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                state.answer(self)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    monkeypatch.setattr(_download, "PAUSE", 0.0)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http_server:
        thread = threading.Thread(target=http_server.serve_forever, args=(0.01,))
        thread.start()
        state.address = f"http://127.0.0.1:{http_server.server_address[1]}"
        yield state
        http_server.shutdown()
        thread.join()


def fetch(server: Server, folder: Path, md5: str | None = MD5) -> str:
    return _download.fetch([server.address + "/data.bin"], str(folder), "data.bin", md5)


def test_a_whole_file(server: Server, tmp_path: Path) -> None:
    path = fetch(server, tmp_path / "new" / "folder")
    assert Path(path).read_bytes() == CONTENT
    assert os.listdir(tmp_path / "new" / "folder") == ["data.bin"]
    assert os.stat(path).st_mode & 0o111 == 0
    fetch(server, tmp_path / "new" / "folder")  # there already
    assert server.log == [("/data.bin", None)]


@pytest.mark.parametrize("md5", [MD5, None])
@pytest.mark.parametrize("length", [True, False])
def test_it_continues_where_the_server_broke_off(
    server: Server, tmp_path: Path, md5: str | None, length: bool
) -> None:
    server.cuts = [100_000, 50_000, 1]
    if not length:  # then only the checksum can tell; the whole file comes again
        server.length, server.cuts = False, []
    assert Path(fetch(server, tmp_path, md5)).read_bytes() == CONTENT
    if length:
        ranges = [asked for _, asked in server.log]
        assert ranges == [None, "bytes=100000-", "bytes=150000-", "bytes=150001-"]
    assert os.listdir(tmp_path) == ["data.bin"]


def test_a_later_call_continues(server: Server, tmp_path: Path) -> None:
    server.cuts = [70_000] + [0] * 10
    with pytest.raises(RuntimeError, match=r"broke off after 70000 of 307200 bytes"):
        fetch(server, tmp_path)
    assert (tmp_path / "data.bin.part").read_bytes() == CONTENT[:70_000]
    assert len(server.log) == 1 + _download.ATTEMPTS
    server.log.clear()
    server.cuts.clear()
    assert Path(fetch(server, tmp_path)).read_bytes() == CONTENT
    assert server.log == [("/data.bin", "bytes=70000-")]


def test_a_part_of_another_file(server: Server, tmp_path: Path) -> None:
    """A beginning from long ago does not fit: found by the checksum, begun again."""
    (tmp_path / "data.bin.part").write_bytes(b"x" * 1000)
    assert Path(fetch(server, tmp_path)).read_bytes() == CONTENT
    assert [asked for _, asked in server.log] == ["bytes=1000-", None]


def test_a_part_without_a_checksum_is_not_trusted(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data.bin.part").write_bytes(b"x" * 1000)
    assert Path(fetch(server, tmp_path, None)).read_bytes() == CONTENT
    assert [asked for _, asked in server.log] == [None]


@pytest.mark.parametrize("extra", [b"", b"too much"])
def test_a_part_that_is_whole_or_longer(server: Server, tmp_path: Path, extra: bytes) -> None:
    (tmp_path / "data.bin.part").write_bytes(CONTENT + extra)
    assert Path(fetch(server, tmp_path)).read_bytes() == CONTENT
    assert len(server.log) == (2 if extra else 0)  # a whole one needs no server


def test_a_server_without_ranges_begins_again(server: Server, tmp_path: Path) -> None:
    server.ranges = False
    server.cuts = [100_000]
    assert Path(fetch(server, tmp_path)).read_bytes() == CONTENT
    assert [asked for _, asked in server.log] == [None, "bytes=100000-"]


def test_the_file_changes_under_way(server: Server, tmp_path: Path) -> None:
    """If-Range: the server sends the new file whole instead of the rest of it."""
    server.cuts = [100_000]
    first = server.answer

    def change(request: Any) -> None:
        first(request)
        server.files["/data.bin"] = CONTENT[::-1]
        server.etag = '"2"'

    server.answer = change  # type: ignore[method-assign]
    assert Path(fetch(server, tmp_path, None)).read_bytes() == CONTENT[::-1]


def test_wrong_bytes(server: Server, tmp_path: Path) -> None:
    server.files["/data.bin"] = b"<html>Sign in to the network</html>"
    found = hashlib.md5(server.files["/data.bin"]).hexdigest()
    with pytest.raises(RuntimeError) as caught:
        fetch(server, tmp_path)
    text = str(caught.value)
    assert text.startswith("Error downloading data.bin\n  got ")
    assert f"{server.address}/data.bin is corrupted: md5 {found}, wanted {MD5}" in text
    assert "  wanted  the file with md5" in text
    assert "  try  " in text
    assert os.listdir(tmp_path) == []


def test_a_corrupted_file_stays_until_the_new_one_is_whole(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(b"damaged")
    found = hashlib.md5(b"damaged").hexdigest()
    server.codes = [404]
    words = re.escape(f"{path} is corrupted: md5 {found}, wanted {MD5}")
    with pytest.warns(UserWarning, match=words), pytest.raises(RuntimeError, match="HTTP 404"):
        fetch(server, tmp_path)
    assert path.read_bytes() == b"damaged"
    with pytest.warns(UserWarning, match=words):
        fetch(server, tmp_path)
    assert path.read_bytes() == CONTENT


def test_mirrors(server: Server, tmp_path: Path) -> None:
    server.files["/bad"] = b"bad"
    urls = [server.address + path for path in ("/missing", "/bad", "/data.bin")]
    path = _download.fetch(urls, str(tmp_path), "data.bin", MD5)
    assert Path(path).read_bytes() == CONTENT
    assert [asked for asked, _ in server.log] == ["/missing", "/bad", "/data.bin"]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_server_is_asked_again(server: Server, tmp_path: Path, code: int) -> None:
    server.codes = [code, code]
    assert Path(fetch(server, tmp_path)).read_bytes() == CONTENT
    assert len(server.log) == 3


def test_one_that_refuses_is_not(server: Server, tmp_path: Path) -> None:
    server.codes = [403, 200]
    with pytest.raises(RuntimeError, match=r"data\.bin: HTTP 403 Forbidden"):
        fetch(server, tmp_path)
    assert len(server.log) == 1


def test_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_download, "time", None)  # no waiting: that would not help
    with contextlib.closing(__import__("socket").socket()) as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/x"
        with pytest.raises(RuntimeError, match=re.escape(url)) as caught:
            _download.fetch([url], str(tmp_path), "x", None)
    assert "refused" in str(caught.value).lower()
    with pytest.raises(RuntimeError, match=r"nowhere\.invalid"):
        _download.fetch(["http://nowhere.invalid/x"], str(tmp_path), "x", None)
    with pytest.raises(RuntimeError, match="unknown url type"):
        _download.fetch(["nonsense"], str(tmp_path), "x", None)


def test_a_server_that_goes_away_is_tried_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same error in the middle of a file may pass."""
    import urllib.error
    import urllib.request

    server.cuts = [100_000]
    first = urllib.request.urlopen
    refusals = [None, ConnectionRefusedError("refused"), None]

    def flaky(*args: Any, **kwargs: Any) -> Any:
        refusal = refusals.pop(0)
        if refusal is not None:
            raise urllib.error.URLError(refusal)
        return first(*args, **kwargs)

    monkeypatch.setattr(urllib.request, "urlopen", flaky)
    assert Path(fetch(server, tmp_path)).read_bytes() == CONTENT
    assert refusals == []


@pytest.mark.slow
def test_a_server_that_falls_silent(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_download, "TIMEOUT", 0.05)
    monkeypatch.setattr(_download, "ATTEMPTS", 1)
    server.half_sent = threading.Event()
    try:
        with pytest.raises(RuntimeError, match="broke off: TimeoutError"):
            fetch(server, tmp_path)
    finally:
        server.half_sent.set()
    assert 0 < os.path.getsize(tmp_path / "data.bin.part") < len(CONTENT)


def test_a_slow_server(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has come is shown before the rest comes."""
    server.half_sent = threading.Event()
    shown: list[tuple[int, int | None]] = []

    @contextlib.contextmanager
    def progress(name: str, done: int, total: int | None) -> Iterator[Any]:
        def advance(count: int) -> None:
            shown.append((count, total))
            if sum(n for n, _ in shown) >= len(CONTENT) // 2:
                assert server.half_sent is not None
                server.half_sent.set()

        yield advance

    monkeypatch.setattr(_download, "_progress", progress)
    assert Path(fetch(server, tmp_path)).read_bytes() == CONTENT
    assert sum(n for n, _ in shown) == len(CONTENT)
    assert {total for _, total in shown} == {len(CONTENT)}


def test_two_at_once_take_turns(server: Server, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    threads = [threading.Thread(target=fetch, args=(server, tmp_path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert os.listdir(tmp_path) == ["data.bin"]
    assert len(server.log) == 1


def test_an_interruption_keeps_what_came(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def progress(name: str, done: int, total: int | None) -> Iterator[Any]:
        def advance(count: int) -> None:
            raise KeyboardInterrupt

        yield advance

    with monkeypatch.context() as patch:
        patch.setattr(_download, "_progress", progress)
        with pytest.raises(KeyboardInterrupt):
            fetch(server, tmp_path)
    assert os.path.getsize(tmp_path / "data.bin.part") > 0
    fetch(server, tmp_path)
    assert server.log[-1][1] is not None


def test_a_full_disk(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __init__(self, file: Any) -> None:
            self._file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self._file, name)

        def write(self, _data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    first = _download._transfer
    monkeypatch.setattr(
        _download, "_transfer", lambda url, file, *rest: first(url, Full(file), *rest)
    )
    with pytest.raises(OSError, match=r"data\.bin\.part: .*No space left") as caught:
        fetch(server, tmp_path)
    assert caught.value.errno == errno.ENOSPC
    assert len(server.log) == 1


class Terminal:
    """stderr of a person."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.parametrize("tqdm", [True, False])
def test_progress_on_a_terminal(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tqdm: bool
) -> None:
    if tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm", None)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    fetch(server, tmp_path)
    assert "data.bin" in terminal.text
    assert "100" in terminal.text
    if not tqdm:
        assert terminal.text.endswith("0.3 MB of 0.3 (100 %)\n")


def test_no_progress_elsewhere(
    server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fetch(server, tmp_path)
    assert capfd.readouterr() == ("", "")


# torchvision's names


def test_download_url(server: Server, tmp_path: Path) -> None:
    server.redirects["/moved"] = "/data.bin"
    utils.download_url(server.address + "/moved", tmp_path, "a/name.bin", MD5)
    assert (tmp_path / "a" / "name.bin").read_bytes() == CONTENT
    utils.download_url(server.address + "/data.bin", str(tmp_path))
    assert utils.check_integrity(tmp_path / "data.bin", MD5)
    assert not utils.check_integrity(tmp_path / "data.bin", "0" * 32)
    assert utils.calculate_md5(tmp_path / "data.bin", chunk_size=1000) == MD5
    assert utils.check_md5(tmp_path / "data.bin", MD5)
    with pytest.raises(RuntimeError, match="HTTP 404"):
        utils.download_url(server.address + "/none", tmp_path)


def test_google_drive(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="Google Drive"):
        utils.download_url("https://drive.google.com/file/d/abc/view", tmp_path)
    with pytest.raises(RuntimeError, match=r"Google Drive[^$]*try "):
        utils.download_file_from_google_drive("abc", tmp_path)
    (tmp_path / "abc").write_bytes(CONTENT)
    utils.download_file_from_google_drive("abc", tmp_path, md5=MD5)


@pytest.mark.slow
def test_nothing_of_the_network_is_imported_before_a_download() -> None:
    code = (
        "import sys, rushlight.vision, rushlight.vision.datasets as d\n"
        "d.MNIST, d.CIFAR10, d.ImageFolder\n"
        "late = {'ssl', 'http.client', 'urllib.request', 'PIL', 'tqdm'}\n"
        "bad = late & {*sys.modules}\n"
        "assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
