"""README, CHANGELOG, `docs/` and the walks as Sphinx reads them: copies with links that fit.

The README is the first page. A link to a file that is no page of the site becomes the file's path.
Each walk of docs/architecture.md gets a page of its own, to which that page leads.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from . import names
from .facts import ROOT

LINK = re.compile(
    r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)|`[^`\n]+`|\b([Dd]ecision )(\d{4})\b"
)
WALK = re.compile(r"^## A walk: (.*?)\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
QUESTION = re.compile(r"^\*([^*]+\?)\*(.*?)(?=^\*[^*]+\?\*|^## |\Z)", re.MULTILINE | re.DOTALL)
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md"]


def write(folder: Path) -> None:
    """Write all that Sphinx reads; a file that would be the same is left as it is."""
    made = texts()
    for path in folder.rglob("*.md"):
        if path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "docs/images", folder / "docs/images", dirs_exist_ok=True)


def texts() -> dict[str, str]:
    """The Markdown of each page."""
    sources = [ROOT / p for p in PAGES]
    sources += sorted(ROOT.glob("docs/*.md")) + sorted(ROOT.glob("docs/decisions/*.md"))
    sources += sorted(ROOT.glob("benchmarks/*.md"))
    known = {p.relative_to(ROOT).as_posix() for p in sources}
    found = {}
    for name in sorted(known):
        text = (ROOT / name).read_text(encoding="utf-8")
        if name.startswith("docs/decisions/0"):
            text = decision(text)
        found["index.md" if name == "README.md" else name] = fitted(text, name, known)
    architecture, walks = walked(found["docs/architecture.md"])
    found["docs/architecture.md"] = architecture
    for name, text in walks.items():
        found[f"walks/{name}.md"] = text.replace("](", "](../docs/") if "](" in text else text
    found |= tables(found)
    for page in names.pages():
        found[f"{page.document}.md"] = (
            f"# {page.title}\n\n{intro(page)}\n\n```{{names-of}} {page.document}\n```\n"
        )
    return found


def fitted(text: str, name: str, known: set[str]) -> str:
    """A page with links to pages of the site."""
    folder = PurePosixPath(name).parent

    decisions = {n.split("/")[-1][:4]: n for n in known if n.startswith("docs/decisions/0")}

    def link(match: re.Match[str]) -> str:
        image, words, target, told, number = match.groups()
        if told and number in decisions:
            to = os.path.relpath(decisions[number], folder).replace(os.sep, "/")
            return f"[{told}{number}]({to})"
        if target is None:  # code, or a decision that is not there
            return match[0]
        if re.match(r"\w+:|#", target) or image:
            return match[0]
        file, _, anchor = target.partition("#")
        whole = os.path.normpath(folder / file).replace(os.sep, "/")
        if whole not in known:
            return f"{words} (`{whole}`)"
        if whole == "README.md":
            file = os.path.relpath("index.md", folder).replace(os.sep, "/")
        return f"[{words}]({file}{'#' + anchor if anchor else ''})"

    return outside(text, link)


def outside(text: str, link: Callable[[re.Match[str]], str]) -> str:
    """Links are replaced outside of blocks of code; link texts may have code in them."""
    block = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
    parts = block.split(text)
    return "".join(p if k % 2 else LINK.sub(link, p) for k, p in enumerate(parts))


def decision(text: str) -> str:
    """A decision's four parts begin with their names; what is indented below them is text."""
    made = []
    for line in text.splitlines():
        match = re.match(r"^(Question|Choice|Alternatives|Would change) {2,}(.*)$", line)
        if match:
            made += ["", f"**{match[1]}.** {match[2]}"]
        else:
            made.append(line.removeprefix(" " * 16) if line.startswith(" " * 16) else line)
    return "\n".join(made) + "\n"


def walked(text: str) -> tuple[str, dict[str, str]]:
    """(the page on the architecture with links to its walks, the walks)."""
    pages: dict[str, str] = {}

    def long(match: re.Match[str]) -> str:
        title = match[1].strip()
        name = slug(title)
        pages[name] = f"# {title}\n\n{match[2].strip()}\n"
        return f"## A walk: {title}\n\n[This walk](../walks/{name}.md) has a page of its own.\n\n"

    def short(match: re.Match[str]) -> str:
        name = slug(match[1])
        pages[name] = f"# {match[1]}\n\n{match[2].strip()}\n"
        return f"* [{match[1]}](../walks/{name}.md)\n"

    text = WALK.sub(long, text)
    text = QUESTION.sub(short, text)
    return text.replace("\n## Where things are", "\n\n## Where things are"), pages


def slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def intro(page: names.Page) -> str:
    """The line below the title of a page of names."""
    count = len(page.names)
    return (
        f"{count} name{'' if count == 1 else 's'}. `import rushlight as torch`, or, under the "
        "drop-in, `import torch`."
    )


def tables(found: dict[str, str]) -> dict[str, str]:
    """The tables of contents: at the end of the first page, and the pages that list others."""
    decisions = [n for n in found if n.startswith("docs/decisions/0")]
    walks = [n for n in found if n.startswith("walks/")]
    guides = [n for n in found if re.fullmatch(r"docs/\w+\.md", n)]
    guides.sort(key=lambda n: (n != "docs/architecture.md", n != "docs/kernels.md", n))
    api = [p.document for p in names.pages()]
    made = {
        "index.md": found["index.md"]
        + table("The machine", ["walks/index", *guides, "docs/decisions/README"])
        + table("Every name", ["api/index"])
        + table("The project", ["CHANGELOG", "CONTRIBUTING", "examples/README",
                                *(n for n in found if n.startswith("benchmarks/"))]),
        "docs/decisions/README.md": found["docs/decisions/README.md"]
        + "\n## All of them\n"
        + table("", [n.removeprefix("docs/decisions/") for n in decisions], hidden=False),
        "walks/index.md": "# Walks\n\nEach follows one call, or one question, through the files.\n"
        + table("", [n.removeprefix("walks/") for n in walks], hidden=False),
        "api/index.md": "# Every public name\n\nBy theme. The search box finds parts of names.\n"
        + table("", [n.removeprefix("api/") for n in api], hidden=False),
    }  # fmt: skip
    return made


def table(caption: str, entries: list[str], hidden: bool = True) -> str:
    """A table of contents."""
    lines = ["", "```{toctree}"]
    lines += [":hidden:"] if hidden else []
    lines += [f":caption: {caption}"] if caption else []
    lines += [":maxdepth: 1", "", *(e.removesuffix(".md") for e in entries), "```", ""]
    return "\n".join(lines)
