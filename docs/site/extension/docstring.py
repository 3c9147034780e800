"""A docstring as nodes. Ours are plain text: paragraphs, lists, `Args:`, examples, code.

Nothing but backticks is markup, so that `(*, in_features)` and `a * b` stay what they are.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes

CODE = re.compile(r"``([^`]+)``|`([^`\n]+)`")
HEADING = re.compile(r"^(Args|Arguments|Attributes|Raises|Returns|Yields|Note|Example|Examples):$")
ITEM = re.compile(r"^([*\w][\w.*]*(?:, [*\w][\w.*]*)*): (.*)$")
BULLET = re.compile(r"^[-*] +(.*)$")


def inline(text: str) -> list[nodes.Node]:
    """Text with its code."""
    found: list[nodes.Node] = []
    at = 0
    for match in CODE.finditer(text):
        if match.start() > at:
            found.append(nodes.Text(text[at : match.start()]))
        code = match[1] or match[2]
        found.append(nodes.literal(code, code))
        at = match.end()
    if at < len(text):
        found.append(nodes.Text(text[at:]))
    return found


def paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", *inline(" ".join(text.split())))


def code(text: str, language: str = "text") -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def blocks(lines: list[str]) -> list[list[str]]:
    """Lines divided by empty ones; a heading such as `Args:` begins a block of its own."""
    found: list[list[str]] = [[]]
    for line in lines:
        if not line.strip():
            if found[-1]:
                found.append([])
            continue
        begins = HEADING.match(line) or (line.startswith(">>>") and found[-1] and not (
            found[-1][0].startswith(">>>")
        ))
        if begins and found[-1]:
            found.append([])
        found[-1].append(line.rstrip())
    return [block for block in found if block]


def converted(doc: str | None) -> list[nodes.Node]:
    """A docstring as nodes."""
    found: list[nodes.Node] = []
    for block in blocks(inspect.cleandoc(doc or "").splitlines()):
        if block[0].lstrip().startswith(">>>"):
            add_example(found, block)
        elif HEADING.match(block[0]):
            found += section(block)
        elif all(indent(line) >= 2 for line in block):
            least = min(map(indent, block))
            found.append(code("\n".join(line[least:] for line in block)))
        elif BULLET.match(block[0]):
            found.append(bullets(block))
        else:
            found += mixed(block)
    return found


def add_example(found: list[nodes.Node], block: list[str]) -> None:
    """An example; one that follows another directly is joined to it."""
    least = min(map(indent, block))
    text = "\n".join(line[least:] for line in block)
    text = re.sub(r" +# doctest: \+\w+", "", text)
    before = found[-1] if found else None
    if isinstance(before, nodes.literal_block) and before.get("language") == "pycon":
        text = before.rawsource + "\n" + text
        found.pop()
    found.append(code(text, "pycon"))


def mixed(block: list[str]) -> list[nodes.Node]:
    """A paragraph; indented lines below a line that ends in a colon are code."""
    for k, line in enumerate(block[1:], 1):
        if indent(line) >= 4 and all(indent(other) >= 4 for other in block[k:]):
            least = min(map(indent, block[k:]))
            inner = "\n".join(other[least:] for other in block[k:])
            return [paragraph("\n".join(block[:k])), code(inner)]
        if BULLET.match(line):
            return [paragraph("\n".join(block[:k])), bullets(block[k:])]
    return [paragraph("\n".join(block))]


def bullets(block: list[str]) -> nodes.bullet_list:
    items: list[str] = []
    for line in block:
        match = BULLET.match(line)
        if match:
            items.append(match[1])
        elif items:
            items[-1] += " " + line.strip()
    return nodes.bullet_list("", *[nodes.list_item("", paragraph(item)) for item in items])


def section(block: list[str]) -> list[nodes.Node]:
    """`Args:` and the like: a title, and a definition for each name."""
    title, rest = block[0].rstrip(":"), block[1:]
    made: Any = nodes.paragraph("", "", nodes.strong(title, title), classes=["part"])
    if not rest:
        return [made]
    least = min(map(indent, rest))
    items: list[list[str]] = []
    for line in rest:
        inner = line[least:]
        match = ITEM.match(inner) if indent(inner) == 0 else None
        if match:
            items.append([match[1], match[2]])
        elif items:
            items[-1][1] += " " + inner.strip()
        else:
            items.append(["", inner.strip()])
    found: list[nodes.Node] = []
    fields = nodes.field_list(classes=["arguments"])
    for name, text in items:
        if not name:
            found.append(paragraph(text))
            continue
        head = nodes.field_name("", "", nodes.literal(name, name))
        fields.append(nodes.field("", head, nodes.field_body("", paragraph(text))))
    return [made, *found, *([fields] if fields.children else [])]
