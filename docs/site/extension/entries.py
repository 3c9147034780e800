"""The directive `names-of`: everything that the site says of the public names of a page."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes
from sphinx.util import logging

from . import names
from .docstring import code, converted, inline
from .facts import facts

logger = logging.getLogger(__name__)
MOST_VALUE = 80  # characters of a constant
LABELS = {
    "formula": "Formula", "derivative": "Derivative", "keeps": "Kept for backward",
    "types": "Types", "result": "Result", "operations": "Made of", "source": "Source",
    "kernels": "Kernel", "tests": "Tests", "differs": "Differs from PyTorch",
}  # fmt: skip
AS_CODE = {"formula", "source", "operations", "kernels", "tests"}


class Entries(Directive):
    """`names-of:: DOCUMENT`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env = self.state.document.settings.env
        self.domain = self.env.get_domain("py")
        document = self.arguments[0]
        page = next(p for p in names.pages() if p.document == document)
        first: dict[int, str] = {}
        made = []
        for name in page.names:
            made.append(self.entry(name, first.get(id(name.value))))
            if callable(name.value):
                first.setdefault(id(name.value), name.path)
        return made

    def entry(self, name: names.Name, same: str | None) -> nodes.Node:
        """A name; `same`: another name of the same thing on this page, which has the words."""
        kind, value = kind_of(name.value, name.space), name.value
        desc, content = self.described(name.path, kind, value)
        if same:
            content += nodes.paragraph("", "", *inline(f"The same as `{same}`."))
            return desc
        if kind == "data":
            content += constant(value)
        else:
            content += converted(getattr(value, "__doc__", None))
        if kind != "data":
            content += table(facts(name.path, name.space, value))
        if kind == "class":
            content += [self.member(name.path, *one) for one in members(value)]
        return desc

    def member(self, owner: str, name: str, value: Any) -> nodes.Node:
        """A method or property of a class, in short."""
        kind = "property" if isinstance(value, property) else "method"
        function = getattr(value, "__func__", value)
        desc, content = self.described(f"{owner}.{name}", kind, function)
        content += converted(value.__doc__)
        return desc

    def described(self, path: str, kind: str, value: Any) -> tuple[Any, Any]:
        """The line of a name, with its anchor, and the place for what is said of it."""
        before, _, short = path.rpartition(".")
        head = addnodes.desc_signature("", "", ids=[path], classes=["sig-object"])
        head["module"], head["fullname"], head["class"] = "torch", path, ""
        if kind in ("class", "property"):
            head += addnodes.desc_annotation(kind, "", nodes.Text(kind + " "))
        head += addnodes.desc_addname(before, before + ".")
        head += addnodes.desc_name(short, short)
        if kind not in ("data", "property"):
            parameters(head, value)
        content = addnodes.desc_content()
        desc = addnodes.desc("", head, content, classes=["py", kind])
        desc["domain"], desc["objtype"], desc["no-index"] = "py", kind, False
        self.state.document.note_explicit_target(head)
        self.domain.note_object(path, kind, path, location=head)
        return desc, content


def kind_of(value: Any, space: str) -> str:
    if isinstance(value, type):
        return "class"
    if isinstance(value, property) or (space == "Tensor" and not callable(value)):
        return "property"
    return ("method" if space == "Tensor" else "function") if callable(value) else "data"


def constant(value: Any) -> nodes.paragraph:
    """What a name that is no function stands for."""
    text = repr(value)
    if not text or " at 0x" in text or len(text) > MOST_VALUE:
        text = type(value).__name__
    return nodes.paragraph("", "", nodes.Text("The value "), nodes.literal(text, text))


@functools.cache
def described_classes() -> set[type]:
    """The classes that have an entry of their own."""
    return {n.value for n in names.by_path().values() if isinstance(n.value, type)}


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class of ours says something about."""
    if not (cls.__module__ or "").startswith("rushlight") or cls.__name__ == "Tensor":
        return
    own: dict[str, Any] = {}
    for part in cls.__mro__:  # with what its own parts give it, such as those of `Module`
        hidden = part.__module__.startswith("rushlight.") and part not in described_classes()
        if part is cls or hidden:
            own = {**vars(part), **own}
    for name, value in sorted(own.items()):
        function = inspect.isfunction(getattr(value, "__func__", value))
        told = (function or isinstance(value, property)) and value.__doc__
        if not name.startswith("_") and told:
            yield name, value


def parameters(head: nodes.Element, value: Any) -> None:
    """The parameters of a signature."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return
    kinds = inspect.Parameter
    shown = addnodes.desc_parameterlist()
    shown["multi_line_parameter_list"] = False
    star = False
    given = [p for p in signature.parameters.values() if p.name != "self"]
    for k, p in enumerate(given):
        if p.kind is kinds.KEYWORD_ONLY and not star:
            shown += addnodes.desc_parameter("", "", addnodes.desc_sig_operator("", "*"))
            star = True
        star = star or p.kind is kinds.VAR_POSITIONAL
        before = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(p.kind, "")
        node = addnodes.desc_parameter("", "")
        if before:
            node += addnodes.desc_sig_operator("", before)
        node += addnodes.desc_sig_name("", p.name)
        annotation = told_type(p.annotation)
        if annotation:
            node += addnodes.desc_sig_punctuation("", ":")
            node += nodes.Text(" ")
            node += addnodes.desc_sig_name("", annotation)
        if p.default is not p.empty:
            node += addnodes.desc_sig_operator("", " = " if annotation else "=")
            node += nodes.inline("", told_default(p.default), classes=["default_value"])
        shown += node
        after = given[k + 1].kind if k + 1 < len(given) else None
        if p.kind is kinds.POSITIONAL_ONLY and after is not kinds.POSITIONAL_ONLY:
            shown += addnodes.desc_parameter("", "", addnodes.desc_sig_operator("", "/"))
    head += shown
    result = told_type(signature.return_annotation)
    if result and result != "None":
        head += addnodes.desc_returns(result, result)


def told_type(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return "" if text == "Any" else re.sub(r"\brushlight\b", "torch", text)


def told_default(value: Any) -> str:
    text = repr(value)
    if " at 0x" in text:
        text = getattr(value, "__name__", "...")
    return re.sub(r"\brushlight\.", "torch.", text)


def table(found: Any) -> list[nodes.Node]:
    """The facts of a name, as a list of fields."""
    fields = nodes.field_list(classes=["facts"])
    for key, label in LABELS.items():
        value = getattr(found, key)
        if not value:
            continue
        fields.append(
            nodes.field("", nodes.field_name(label, label), nodes.field_body("", *body(key, value)))
        )
    return [fields] if fields.children else []


def body(key: str, value: Any) -> list[nodes.Node]:
    """What stands beside a label."""
    if key == "differs":
        return [nodes.paragraph("", "", *inline(text)) for text in value]
    if key == "derivative" and not value.startswith("none"):
        return [code(value, "python")]
    if key in AS_CODE:
        texts = [value] if isinstance(value, str) else value
        made: list[nodes.Node] = []
        for text in texts:
            made += [nodes.literal(text, text), nodes.Text(", ")]
        return [nodes.paragraph("", "", *made[:-1])]
    return [nodes.paragraph("", "", *inline(value))]


def beside(app: Any, document: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """The list of a page's names that stands beside it."""
    page = next((p for p in names.pages() if p.document == document), None)
    if page is None:
        return
    items = "".join(
        f'<li><a class="reference internal" href="#{escape(n.path)}">'
        f"{escape(n.path.rpartition('.')[2])}</a></li>"
        for n in page.names
    )
    top = f'<a class="reference internal" href="#">{escape(page.title)}</a>'
    context["toc"] = f"<ul><li>{top}<ul>{items}</ul></li></ul>"
    context["furo_hide_toc"] = False


# -- links -----------------------------------------------------------------------------------------


@functools.cache
def ways() -> dict[str, tuple[str, str]]:
    """What text in code is a name: as it is written to (document, path)."""
    found: dict[str, tuple[str, str]] = {}
    for path, name in names.by_path().items():
        short = path.removeprefix("torch.")
        spelled = [path, "rushlight." + short]
        if short.startswith(("nn.", "optim.", "Tensor.", "autograd.", "utils.")):
            spelled.append(short)
        if short.startswith("nn.functional."):
            spelled.append("F." + short.removeprefix("nn.functional."))
        for word in spelled:
            found.setdefault(word, (name.page, path))
    return found


def linked(app: Any, doctree: nodes.document, document: str) -> None:
    """Lead from names in code to where they are described."""
    for literal in list(doctree.findall(nodes.literal)):
        known = ways().get(re.sub(r"\(.*", "", literal.astext()))
        inside = isinstance(literal.parent, (nodes.reference, nodes.title))
        if known is None or inside or not isinstance(literal.parent, nodes.Element):
            continue
        page, path = known
        uri = "" if page == document else app.builder.get_relative_uri(document, page)
        to = f"{uri}#{path}"
        literal.replace_self(nodes.reference("", "", literal.deepcopy(), internal=True, refuri=to))
