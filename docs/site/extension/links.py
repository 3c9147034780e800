"""What is wrong with the finished pages: links that lead nowhere, requests to other machines."""

from __future__ import annotations

import functools
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

TAG = re.compile(r"<(a|img|script|link|iframe|source)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")
ANCHOR = re.compile(r"<[^>]*?\bid=\"([^\"]*)\"")


class Page:
    """The anchors of a page, where it leads to, and what a browser loads with it."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self.anchors = set(ANCHOR.findall(text))
        self.links: list[str] = []
        self.loads: list[str] = []
        for tag, url in TAG.findall(text):
            (self.links if tag == "a" else self.loads).append(unescape(url))


def pages(folder: Path) -> dict[Path, Page]:
    """The pages below a folder."""
    return {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}


def faults(folder: Path) -> list[str]:
    """What is wrong, a line each."""
    found = []
    known = pages(folder)
    for path, page in known.items():
        name = path.relative_to(folder.resolve())
        for url in page.loads:
            if re.match(r"(?:\w+:)?//", url):
                found.append(f"{name} loads {url}")
            elif not url.startswith("data:") and not file_at(path, url).exists():
                found.append(f"{name} loads {url}, which is not there")
        for url in dict.fromkeys(page.links):
            if re.match(r"\w+:", url):
                continue
            file, _, anchor = url.partition("#")
            target = file_at(path, file) if file else path
            if target not in known and not target.exists():
                found.append(f"{name} leads to {url}, which is not there")
            elif anchor and target in known and unquote(anchor) not in known[target].anchors:
                found.append(f"{name} leads to {url}, which has no such anchor")
    for path in folder.rglob("*.css"):
        for url in re.findall(r"(?:url\(|@import)\s*[\"']?(\w+:)?//", path.read_text("utf-8")):
            found.append(f"{path.relative_to(folder)} loads from {url or 'elsewhere'}")
    return found


@functools.cache
def file_at(path: Path, url: str) -> Path:
    """The file that a relative address names."""
    return (path.parent / unquote(re.sub(r"[?#].*", "", url))).resolve()
