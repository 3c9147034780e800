"""What CI tells uv is what pip has been told."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / ".ci" / "uv_settings.py"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("uv_settings", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_settings_are_pips(program: ModuleType) -> None:
    config = [
        ":env:.find-links='/wheels'", ":env:.timeout='60'",
        "global.extra-index-url='file:///a\\nhttps://b.example/simple'",
        "global.find-links='/others /more'", "global.index-url='https://c.example/simple'",
        "global.constraint='/etc/newest.txt'", "install.index-url='https://d.example/simple'",
        "wheel.index-url='https://e.example/simple'", "",
    ]  # fmt: skip
    assert program.settings(config) == {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_INDEX": "file:///a https://b.example/simple",
        "UV_DEFAULT_INDEX": "https://d.example/simple",
        "UV_FIND_LINKS": "/wheels",
        "UV_CONSTRAINT": "/etc/newest.txt",
    }


def test_several_folders_of_files(program: ModuleType) -> None:
    found = program.settings(["global.find-links='/wheels /more'"])
    assert found["UV_FIND_LINKS"] == "/wheels,/more"


def test_without_settings_only_the_search_is_pips(program: ModuleType) -> None:
    assert program.settings([]) == {"UV_INDEX_STRATEGY": "unsafe-best-match"}
