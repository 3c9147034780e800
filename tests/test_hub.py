"""hub: weights by their address, and models of repositories, from a server on this machine."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight import hub


class Handler(http.server.SimpleHTTPRequestHandler):
    """Files of a folder; requests are noted on the server."""

    def do_GET(self) -> None:
        self.server.log.append(self.path)  # type: ignore[attr-defined]
        super().do_GET()

    def log_message(self, *_args: Any) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Any]:
    """A server of the folder `site.root`, at `site.address`."""
    root = tmp_path / "site"
    root.mkdir()
    handler = functools.partial(Handler, directory=str(root))
    server: Any = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.log = []
    server.root = root
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(hub, "_hub_dir", None)
    return tmp_path / "home" / "hub"


def saved(value: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    rushlight.save(value, file, **options)
    return file.getvalue()


def offer(site: Any, name: str, content: bytes) -> str:
    path = site.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return f"{site.address}/{name}"


def test_get_dir(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert hub.get_dir() == str(home)
    monkeypatch.delenv("TORCH_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert hub.get_dir() == str(tmp_path / "xdg" / "torch" / "hub")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert hub.get_dir() == str(tmp_path / ".cache" / "torch" / "hub")
    hub.set_dir(tmp_path / "own")
    assert hub.get_dir() == str(tmp_path / "own")


@pytest.mark.parametrize("zipped", [True, False])
def test_weights_are_downloaded_once(
    site: Any, home: Path, capsys: pytest.CaptureFixture[str], zipped: bool
) -> None:
    content = saved({"w": rushlight.arange(3.0)}, _use_new_zipfile_serialization=zipped)
    digits = hashlib.sha256(content).hexdigest()[:8]
    url = offer(site, f"net-{digits}.pth", content)
    state = hub.load_state_dict_from_url(url, check_hash=True, progress=False)
    assert state["w"].tolist() == [0, 1, 2]
    path = home / "checkpoints" / f"net-{digits}.pth"
    assert path.read_bytes() == content
    assert f'Downloading: "{url}" to {path}' in capsys.readouterr().err
    again = hub.load_state_dict_from_url(url, map_location="meta", weights_only=True)
    assert again["w"].is_meta
    assert len(site.log) == 1


def test_the_name_and_the_folder_can_be_chosen(site: Any, tmp_path: Path) -> None:
    url = offer(site, "a.pth", saved([1, 2])) + "?version=2"
    assert hub.load_state_dict_from_url(url, str(tmp_path / "m"), file_name="b.pth") == [1, 2]
    assert [p.name for p in (tmp_path / "m").iterdir()] == ["b.pth"]
    assert hub.load_state_dict_from_url(url, str(tmp_path / "m")) == [1, 2]
    assert (tmp_path / "m" / "a.pth").exists()


def test_the_older_name(site: Any) -> None:
    from rushlight.utils import model_zoo

    assert model_zoo.load_url(offer(site, "c.pth", saved(3))) == 3


def test_a_wrong_hash_leaves_nothing(site: Any, home: Path) -> None:
    url = offer(site, "net-0badc0de.pth", saved({}))
    with pytest.raises(RuntimeError, match=r'invalid hash value \(expected "0badc0de", got "'):
        hub.load_state_dict_from_url(url, check_hash=True)
    assert list((home / "checkpoints").iterdir()) == []
    assert hub.load_state_dict_from_url(url) == {}  # nobody asked for a check


def test_what_is_not_there(site: Any, home: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)Error downloading no\.pth.*HTTP 404"):
        hub.load_state_dict_from_url(site.address + "/no.pth")
    assert list((home / "checkpoints").iterdir()) == []


def test_a_file_packed_once_more(site: Any) -> None:
    """Weights were once put into zip files of their own."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        content = saved({"w": rushlight.ones(2)}, _use_new_zipfile_serialization=False)
        archive.writestr("net.pth", content)
    state = hub.load_state_dict_from_url(offer(site, "net.zip", file.getvalue()))
    assert state["w"].tolist() == [1, 1]


def test_download_url_to_file_replaces(site: Any, tmp_path: Path) -> None:
    url = offer(site, "x", b"new")
    path = tmp_path / "deep" / "x"
    path.parent.mkdir()
    path.write_bytes(b"old")
    hub.download_url_to_file(url, str(path), progress=False)
    assert path.read_bytes() == b"new"
    prefix = hashlib.sha256(b"new").hexdigest()[:6]
    hub.download_url_to_file(url, str(path), prefix)
    with pytest.raises(RuntimeError, match="invalid hash value"):
        hub.download_url_to_file(url, str(path), "abcdef")
    assert path.read_bytes() == b"new"


# -- repositories ------------------------------------------------------------------------------

HUBCONF = '''
dependencies = ["json"]

from parts import double


def net(width, scale=1):
    """A net."""
    return width * scale * double


def _hidden():
    pass
'''


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "hubconf.py").write_text(HUBCONF)
    (folder / "parts.py").write_text("double = 2")
    return folder


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """`parts` is of one test only."""
    import sys

    monkeypatch.delitem(sys.modules, "parts", raising=False)


def test_a_local_repository(repository: Path) -> None:
    folder = str(repository)
    assert hub.load(folder, "net", 3, source="local", scale=5) == 30
    assert hub.list(folder, source="local") == ["net"]
    assert hub.help(folder, "net", source="local") == "A net."
    with pytest.raises(RuntimeError, match=r"(?s)Cannot find callable mesh in hubconf.*net"):
        hub.load(folder, "mesh", source="local")
    with pytest.raises(ValueError, match="should be a string"):
        hub.load(folder, net, source="local")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='Unknown source: "disk"'):
        hub.load(folder, "net", source="disk")
    with pytest.raises(FileNotFoundError, match=r"hubconf\.py"):
        hub.load(str(repository.parent), "net", source="local")


def net() -> None:
    """A function where its name is wanted."""


def test_missing_dependencies(repository: Path) -> None:
    text = HUBCONF.replace('["json"]', '["json", "no_such_package_1"]')
    (repository / "hubconf.py").write_text(text)
    with pytest.raises(RuntimeError, match="Missing dependencies: no_such_package_1"):
        hub.load(str(repository), "net", 1, source="local")


@pytest.fixture
def github(site: Any, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server in the place of GitHub, with one repository."""
    monkeypatch.setattr(hub, "GITHUB", site.address)
    monkeypatch.setattr(hub, "GITHUB_API", site.address + "/api")
    pack(site, "main", repository)
    offer(site, "me/nets/tree/main/index.html", b"")
    branches = json.dumps([{"name": "main", "commit": {"sha": "abc"}}])
    api = site.root / "api" / "repos" / "me" / "nets"
    api.mkdir(parents=True)
    (api / "branches").write_text(branches)
    (api / "tags").write_text("[]")
    return site


def pack(site: Any, ref: str, folder: Path, prefix: str = "me-nets-abc/") -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path in folder.iterdir():
            if path.is_file():
                archive.write(path, prefix + path.name)
    offer(site, f"me/nets/zipball/{ref}", file.getvalue())


def answers(monkeypatch: pytest.MonkeyPatch, *texts: str) -> list[str]:
    """What the user types; the questions gather in the list."""
    asked: list[str] = []
    left = list(texts)

    def reply(question: str) -> str:
        asked.append(question)
        return left.pop(0)

    monkeypatch.setattr("builtins.input", reply)
    return asked


def test_a_repository_of_github(
    github: Any, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = answers(monkeypatch, "n", "maybe", "y")
    with pytest.raises(Exception, match=r"Untrusted repository\."):
        hub.load("me/nets", "net", 1)
    with pytest.raises(ValueError, match="Unrecognized response maybe"):
        hub.load("me/nets", "net", 1)
    assert hub.load("me/nets", "net", 1) == 2
    assert len(asked) == 3
    assert all("Do you trust this repository" in question for question in asked)
    assert (home / "trusted_list").read_text() == "me_nets\n"
    assert sorted(p.name for p in home.iterdir()) == ["me_nets_main", "trusted_list"]
    capsys.readouterr()

    before = len(github.log)
    assert hub.list("me/nets:main") == ["net"]
    assert "Using cache found in" in capsys.readouterr().err
    assert hub.help("me/nets:main", "net") == "A net."
    assert len(github.log) == before
    assert len(asked) == 3


def test_reload_and_trust(github: Any, repository: Path, home: Path) -> None:
    assert hub.load("me/nets:main", "net", 1, trust_repo=True, verbose=False) == 2
    (repository / "hubconf.py").write_text("def net():\n    return 'new'")
    pack(github, "main", repository)
    assert hub.load("me/nets:main", "net", 1, verbose=False) == 2
    assert hub.load("me/nets:main", "net", force_reload=True) == "new"
    assert (home / "trusted_list").read_text() == "me_nets\n"
    with pytest.raises(ValueError, match="trust_repo"):
        hub.load("me/nets", "net", trust_repo="sure")


def test_branches_are_checked(github: Any, repository: Path) -> None:
    pack(github, "fork", repository)
    # The folder server knows no pages: the first one says that there are no more.
    (github.root / "api" / "repos" / "me" / "nets" / "branches").write_text("[]")
    with pytest.raises(ValueError, match="Cannot find fork in"):
        hub.load("me/nets:fork", "net", 1, trust_repo=True)
    assert hub.load("me/nets:fork", "net", 1, trust_repo=True, skip_validation=True) == 2


def test_names_of_repositories(github: Any) -> None:
    assert hub._parse_repo_info("me/nets") == ("me", "nets", "main")
    assert hub._parse_repo_info("me/old") == ("me", "old", "master")
    assert hub._parse_repo_info("me/nets:a/b") == ("me", "nets", "a/b")
    for wrong in ("nets", "/nets", "me/", "a/b/c"):
        with pytest.raises(ValueError, match="not a repository"):
            hub._parse_repo_info(wrong)


@pytest.mark.parametrize("name", ["../evil.py", "/evil.py", "a/../../evil.py", "C:\\evil.py"])
def test_nothing_is_unpacked_outside(github: Any, repository: Path, home: Path, name: str) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, "")
    offer(github, "me/nets/zipball/main", file.getvalue())
    with pytest.raises(ValueError, match="escapes target directory"):
        hub.load("me/nets:main", "net", trust_repo=True)
    assert sorted(p.name for p in home.iterdir()) == ["trusted_list"]
