"""The text that stands for a paper."""

from collections.abc import Callable
from string import Formatter

from ..benchmarks import Document
from ..errors import ScirankError

FIELDS = ("title", "abstract", "sep")


def paper_text(template: str | None, separator: str | None) -> Callable[[Document], str]:
    """A function from a paper to its text; where title or abstract is missing, the other alone.

    Args:
        template: with the fields `{title}`, `{abstract}` and `{sep}`; by default `{title} {sep} {abstract}`,
            or `{title}. {abstract}` without a separator.
        separator: the model's separator token, if it has one.

    Raises:
        ScirankError: the template has other fields, or `{sep}` for a model without a separator.
    """
    if template is None:
        template = "{title} {sep} {abstract}" if separator else "{title}. {abstract}"
    fields = _fields(template)
    if "sep" in fields and not separator:
        raise ScirankError(f"template {template!r} has {{sep}}, but this model has no separator token; write one out")

    def text(paper: Document) -> str:
        if not (paper.title and paper.text):
            return paper.title or paper.text
        return template.format(title=paper.title, abstract=paper.text, sep=separator)

    return text


def template_name(template: str | None, separator: str | None) -> str:
    """The template as it was filled, for the record."""
    default = f"{{title}} {separator} {{abstract}}" if separator else "{title}. {abstract}"
    return default if template is None else template.replace("{sep}", separator or "")


def _fields(template: str) -> set[str]:
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise ScirankError(f"template {template!r}: {error}; write {{{{ for a brace") from error
    fields = {name for _, name, _, _ in parts if name is not None}
    plain = all(not spec and not conversion for _, name, spec, conversion in parts if name is not None)
    if not fields or not fields <= set(FIELDS) or not plain:
        raise ScirankError(
            f"template {template!r}: expected the fields {{title}}, {{abstract}} and {{sep}}, found {sorted(fields)}"
        )
    return fields
