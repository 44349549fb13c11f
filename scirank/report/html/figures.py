"""Plots to stand in a page: SVG whose names do not collide, and in which nothing is alive."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from ...errors import ScirankError

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
XML = "{http://www.w3.org/XML/1998/namespace}"
ELEMENTS = re.compile(
    "circle|clipPath|defs|desc|ellipse|feGaussianBlur|filter|g|image|line|linearGradient|marker|mask|path|pattern|polygon|"
    "polyline|radialGradient|rect|stop|style|svg|symbol|text|textPath|title|tspan|use"
)
REFERENCE = re.compile(r"url\(\s*[\"']?#([^)\"']*)[\"']?\s*\)")


def inlined(figures: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """An id, the title and the SVG of each figure. Raises ScirankError where one is no SVG."""
    return [(f"figure-{at}", title, _inline(title, svg, f"figure-{at}")) for at, (title, svg) in enumerate(figures, 1)]


def _inline(title: str, svg: str, name: str) -> str:
    try:
        root = ElementTree.fromstring(svg.encode())
    except ElementTree.ParseError as error:
        raise ScirankError(f"figure {title!r} is no SVG: {error}") from None
    if root.tag != f"{SVG}svg":
        raise ScirankError(f"figure {title!r} is no SVG: its element is {root.tag}")
    _clean(root, name)
    root.set("role", "img")
    root.set("aria-label", title)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _clean(element: ElementTree.Element, name: str) -> None:
    """Bring an element and those in it into what an HTML parser takes: no namespaces, no scripts, ids of its own."""
    element.tag = element.tag.removeprefix(SVG)
    found = {_attribute(key): value for key, value in element.attrib.items()}
    element.attrib.clear()
    for key, value in found.items():
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif key == "href":
            if value.startswith("#"):
                element.set(key, f"#{name}-{value[1:]}")
            elif value.startswith("data:image/"):
                element.set(key, value)
        elif "{" not in key and not key.startswith("on"):
            element.set(key, _renamed(value, name))
    if element.tag == "style":  # a page's styles are for all of it: nested, they are for this figure
        element.text = f"#{name} {{ {_renamed(''.join(element.itertext()), name)} }}"
        element[:] = []
    for child in list(element):
        if child.tag.startswith(SVG) and ELEMENTS.fullmatch(child.tag.removeprefix(SVG)):
            _clean(child, name)
        else:
            element.remove(child)


def _attribute(key: str) -> str:
    return "href" if key == f"{XLINK}href" else key.replace(XML, "xml:")


def _renamed(text: str, name: str) -> str:
    return REFERENCE.sub(rf"url(#{name}-\1)", text)
