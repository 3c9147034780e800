"""Trained weights by their address, and models from other people's repositories.

    state = rushlight.hub.load_state_dict_from_url(url)            # downloaded once, then cached
    net = rushlight.hub.load("path/to/repo", "net", source="local")  # runs its hubconf.py

Files are cached where PyTorch has them (`get_dir`), so what one of the two downloaded serves both.
Loading weights never executes anything from a file; loading a model runs the repository's program.

Read next: `utils/download.py`, which does the fetching.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from urllib.parse import urlparse as urlparse  # programs take it from here

from .errors import message
from .utils.download import fetch

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

# resnet18-bfd8deac.pth: the first digits of the file's SHA-256.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
ENV_GITHUB_TOKEN = "GITHUB_TOKEN"
ENV_TORCH_HOME = "TORCH_HOME"
ENV_XDG_CACHE_HOME = "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
VAR_DEPENDENCY = "dependencies"
MODULE_HUBCONF = "hubconf.py"
READ_DATA_CHUNK = 128 * 1024
GITHUB = "https://github.com"
GITHUB_API = "https://api.github.com"
_TRUSTED_OWNERS = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")

_hub_dir: str | None = None


# -- where files are kept ----------------------------------------------------------------------


def _get_torch_home() -> str:
    cache = os.path.join(os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR), "torch")
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, cache))


def get_dir() -> str:
    """The folder of downloads: `set_dir`'s, else $TORCH_HOME/hub, else ~/.cache/torch/hub.

    >>> import os
    >>> before = torch.hub.get_dir()
    >>> torch.hub.set_dir("downloads")
    >>> os.path.basename(torch.hub.get_dir())
    'downloads'
    >>> torch.hub.set_dir(before)
    """
    return os.path.join(_get_torch_home(), "hub") if _hub_dir is None else _hub_dir


def set_dir(d: str | os.PathLike[str]) -> None:
    """Keep downloads in another folder from now on.

    >>> before = torch.hub.get_dir()
    >>> torch.hub.set_dir("downloads")
    >>> torch.hub.set_dir(before)
    """
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


# -- weights -----------------------------------------------------------------------------------


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> None:
    """Fetch a file to the path `dst`, replacing what is there.

    `dst` is whole or untouched. With `hash_prefix` a transfer that breaks off is continued, now or
    by a later call.

    Args:
        url: the address.
        dst: the path; its folder is made.
        hash_prefix: the first digits of the file's SHA-256.
        progress: show a bar, on a terminal.

    Raises:
        RuntimeError: the address does not give the file, or one with another hash.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("weights")
    >>> address = (folder / "a.txt").as_uri()
    >>> torch.hub.download_url_to_file(address, str(folder / "b.txt"), progress=False)
    >>> (folder / "b.txt").read_text()
    'weights'
    """
    folder, name = os.path.split(os.path.abspath(os.path.expanduser(dst)))
    fetch([url], folder, name, sha256=hash_prefix, again=True, progress=progress)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """Load a saved object by its address; the file is downloaded if it is not there yet.

    Args:
        url: the address.
        model_dir: where the file is kept; `get_dir()`/checkpoints by default.
        map_location: as for `rushlight.load`.
        progress: show a bar, on a terminal.
        check_hash: the name tells the first digits of the file's SHA-256, as in
            "resnet18-f37072fd.pth"; refuse a download with others.
        file_name: the name in `model_dir`; the address's last part by default.
        weights_only: as for `rushlight.load`.

    Raises:
        RuntimeError: the address does not give the file, or one with another hash.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> torch.save({"weight": torch.ones(2)}, folder / "net.pth")
    >>> torch.hub.load_state_dict_from_url(
    ...     (folder / "net.pth").as_uri(), str(folder / "kept"), progress=False
    ... )
    {'weight': tensor([1., 1.])}
    """
    from urllib.parse import urlparse

    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        sys.stderr.write(f'Downloading: "{url}" to {path}\n')
        match = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, match[1] if match else None, progress)
    return _load(path, map_location, weights_only)


def _load(path: str, map_location: Any, weights_only: bool) -> Any:
    """`rushlight.load`; a zip file around one saved file, as they were once packed, is opened."""
    from .serialization import load as load_file

    with contextlib.ExitStack() as stack:
        file: Any = path
        if zipfile.is_zipfile(path):
            archive = stack.enter_context(zipfile.ZipFile(path))
            members = archive.infolist()
            if len(members) == 1 and not members[0].is_dir():
                file = stack.enter_context(tempfile.TemporaryFile())
                with archive.open(members[0]) as packed:
                    shutil.copyfileobj(packed, file)
                file.seek(0)
        return load_file(file, map_location=map_location, weights_only=weights_only)


# -- models of repositories --------------------------------------------------------------------


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: bool | str | None = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    r"""Call the function `model` of a repository's hubconf.py: **this runs its program**.

    Args:
        repo_or_dir: "owner/name" or "owner/name:branch" on GitHub; with source="local" a folder.
        model: the name of a function in hubconf.py; called with `args` and `kwargs`.
        source: "github" or "local".
        trust_repo: whether to run what comes from GitHub: True, "check" (ask about owners and
            repositories not trusted before), False (always ask).
        force_reload: download again.
        verbose: say on stderr that a cached repository is used.
        skip_validation: do not ask GitHub whether the branch is the repository's own.

    Raises:
        ValueError: unknown source, or a branch that is not there.
        RuntimeError: no such function, a missing dependency, or no network.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "hubconf.py").write_text("def double(x):\n    'Twice x.'\n    return 2 * x\n")
    >>> torch.hub.load(str(folder), "double", 21, source="local")
    42
    """
    folder = _folder(repo_or_dir, source, trust_repo, force_reload, verbose, skip_validation)
    with _importing(folder) as hubconf:
        return _entry(hubconf, model)(*args, **kwargs)


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
    verbose: bool = True,
    *,
    source: str = "github",
) -> builtins.list[str]:
    r"""Names of the functions that `load` can call; for the arguments see there.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "hubconf.py").write_text("def double(x):\n    'Twice x.'\n    return 2 * x\n")
    >>> torch.hub.list(str(folder), source="local")
    ['double']
    """
    folder = _folder(github, source, trust_repo, force_reload, verbose, skip_validation)
    with _importing(folder) as hubconf:
        return [n for n in dir(hubconf) if callable(getattr(hubconf, n)) and n[0] != "_"]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = "check",
    *,
    source: str = "github",
) -> str | None:
    r"""The documentation of one function that `load` can call; for the arguments see there.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "hubconf.py").write_text("def double(x):\n    'Twice x.'\n    return 2 * x\n")
    >>> torch.hub.help(str(folder), "double", source="local")
    'Twice x.'
    """
    folder = _folder(github, source, trust_repo, force_reload, True, skip_validation)
    with _importing(folder) as hubconf:
        return _entry(hubconf, model).__doc__


def _folder(repo: str, source: str, trust: Any, reload: bool, verbose: bool, skip: bool) -> str:
    source = source.lower()
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        return _from_github(repo, trust, reload, verbose, skip)
    return os.fspath(repo)


@contextlib.contextmanager
def _importing(folder: str) -> Iterator[ModuleType]:
    """A repository's hubconf.py as a module; what it imports from its folder is found."""
    path = os.path.join(folder, MODULE_HUBCONF)
    if not os.path.isfile(path):
        raise FileNotFoundError(2, f"a repository for hub has a {MODULE_HUBCONF}", path)
    spec = importlib.util.spec_from_file_location(MODULE_HUBCONF, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(folder)


def _entry(hubconf: ModuleType, model: str) -> Callable[..., Any]:
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    needed = getattr(hubconf, VAR_DEPENDENCY, None) or ()
    missing = [name for name in needed if not _is_installed(name)]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    found = getattr(hubconf, model, None)
    if not callable(found):
        there = [n for n in dir(hubconf) if callable(getattr(hubconf, n)) and n[0] != "_"]
        raise RuntimeError(
            message(f"Cannot find callable {model} in hubconf", wanted=", ".join(there))
        )
    return found


def _is_installed(name: str) -> bool:
    if name in sys.modules:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


# -- GitHub ------------------------------------------------------------------------------------


def _from_github(github: str, trust: Any, reload: bool, verbose: bool, skip: bool) -> str:
    """The folder of a repository, downloaded if need be and allowed."""
    hub = get_dir()
    os.makedirs(hub, exist_ok=True)
    owner, name, ref = _parse_repo_info(github)
    # A branch may have a slash in its name.
    folder = os.path.join(hub, "_".join([owner, name, ref.replace("/", "_")]))
    _check_trust(hub, owner, f"{owner}_{name}", os.path.isdir(folder), trust)
    if os.path.isdir(folder) and not reload:
        if verbose:
            sys.stderr.write(f"Using cache found in {folder}\n")
        return folder
    if not skip:
        _check_ref(owner, name, ref)
    with tempfile.TemporaryDirectory(dir=hub) as work:
        path = os.path.join(work, "repo.zip")
        url = f"{GITHUB}/{owner}/{name}/zipball/{ref}"
        sys.stderr.write(f'Downloading: "{url}" to {folder}\n')
        try:
            download_url_to_file(url, path, progress=False)
        except RuntimeError as error:
            if "HTTP 300" not in str(error):  # the name of a tag and of a branch
                raise
            branch = f"{GITHUB}/{owner}/{name}/zipball/refs/heads/{ref}"
            download_url_to_file(branch, path, progress=False)
        unpacked = os.path.join(work, "repo")
        _extract(path, unpacked)
        tops = os.listdir(unpacked)
        if len(tops) != 1:
            raise RuntimeError(f"{url}: an archive with one folder is wanted, got {tops}")
        if os.path.isdir(folder):
            shutil.rmtree(folder)
        os.replace(os.path.join(unpacked, tops[0]), folder)
    return folder


def _parse_repo_info(github: str) -> tuple[str, str, str]:
    """Owner, name and branch of "owner/name[:branch]"; main or master where none is given."""
    repo, _, ref = github.partition(":")
    owner, slash, name = repo.partition("/")
    if not slash or not owner or not name or "/" in name:
        raise ValueError(
            message(f"hub: not a repository: {github!r}", wanted='"owner/name" or "owner/name:ref"')
        )
    if ref:
        return owner, name, ref
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"{GITHUB}/{owner}/{name}/tree/main/"):
            return owner, name, "main"
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 404:
            return owner, name, "master"
        raise
    except urllib.error.URLError as error:
        for ref in ("main", "master"):
            if os.path.isdir(os.path.join(get_dir(), f"{owner}_{name}_{ref}")):
                return owner, name, ref
        raise RuntimeError(
            "It looks like there is no internet connection and the repo could not be found in the "
            f"cache ({get_dir()})"
        ) from error


def _check_trust(hub: str, owner: str, repo: str, known: bool, trust: Any) -> None:
    """Ask whether a repository's program may run, unless the answer is known."""
    if trust not in (True, False, None, "check"):
        raise ValueError(f'trust_repo is True, False or "check", not {trust!r}')
    path = os.path.join(hub, "trusted_list")
    listed = False
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            listed = repo in (line.strip() for line in file)
    trusted = listed or known or owner in _TRUSTED_OWNERS
    if trust is False or (trust in ("check", None) and not trusted):
        answer = input(
            f"The repository {repo} does not belong to the list of trusted repositories and as "
            "such cannot be downloaded. Do you trust this repository and wish to add it to the "
            "trusted list of repositories (y/N)?"
        ).lower()
        if answer in ("n", "no", ""):
            raise Exception("Untrusted repository.")  # PyTorch's class
        if answer not in ("y", "yes"):
            raise ValueError(f"Unrecognized response {answer}.")
    if not trusted:
        with open(path, "a", encoding="utf-8") as file:
            file.write(repo + "\n")


def _check_ref(owner: str, name: str, ref: str) -> None:
    """Refuse a commit of a fork, which GitHub shows under the address of the original too."""
    import urllib.error
    import urllib.request

    headers = {"Accept": "application/vnd.github.v3+json"}
    if token := os.environ.get(ENV_GITHUB_TOKEN):
        headers["Authorization"] = f"token {token}"

    def ask(url: str) -> Any:
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    for kind in ("branches", "tags"):
        page = 1
        while True:
            url = f"{GITHUB_API}/repos/{owner}/{name}/{kind}?per_page=100&page={page}"
            try:
                found = ask(url)
            except urllib.error.HTTPError as error:
                error.close()
                if headers.pop("Authorization", None) is None:  # the token may not be for this
                    raise
                found = ask(url)
            if not found:
                break
            if any(b["name"] == ref or b["commit"]["sha"].startswith(ref) for b in found):
                return
            page += 1
    raise ValueError(
        f"Cannot find {ref} in {GITHUB}/{owner}/{name}. If it's a commit from a forked repo, "
        "please call hub.load() with forked repo directly."
    )


def _extract(path: str, folder: str) -> None:
    """Unpack a zip file; an entry that would lie outside `folder` is an error."""
    root = os.path.realpath(folder)
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            parts = re.split(r"[/\\]", member.filename)
            if ".." in parts or parts[0] == "" or re.match(r"[A-Za-z]:", member.filename):
                raise ValueError(f"Archive entry escapes target directory: {member.filename}")
        archive.extractall(root)
