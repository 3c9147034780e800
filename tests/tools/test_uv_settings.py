"""What CI tells uv is what pip has been told."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

settings = runpy.run_path(str(Path(__file__).parents[2] / ".ci" / "uv_settings.py"))["settings"]


def test_settings_are_pips() -> None:
    config = [
        ":env:.find-links='/wheels'", ":env:.timeout='60'",
        "global.extra-index-url='file:///a\\nhttps://b.example/simple'",
        "global.find-links='/others /more'", "global.index-url='https://c.example/simple'",
        "global.constraint='/etc/newest.txt'", "install.index-url='https://d.example/simple'",
        "wheel.index-url='https://e.example/simple'", "",
    ]  # fmt: skip
    assert settings(config) == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_INDEX": "file:///a https://b.example/simple",
        "UV_DEFAULT_INDEX": "https://d.example/simple",
        "UV_FIND_LINKS": "/wheels",
        "UV_CONSTRAINT": "/etc/newest.txt",
    }


def test_several_folders_of_files() -> None:
    found = settings(["global.find-links='/wheels /more'"])
    assert found["UV_FIND_LINKS"] == "/wheels,/more"


def test_without_settings_only_the_search_is_pips() -> None:
    assert settings([]) == {"UV_INDEX_STRATEGY": "unsafe-best-match"}


def test_without_an_index_pip_stays() -> None:
    with pytest.raises(SystemExit, match="no index"):
        settings(["global.find-links='/wheels'", ":env:.no-index='1'"])
