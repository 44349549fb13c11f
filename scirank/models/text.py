"""The text that stands for a paper, and for a question."""

from collections.abc import Callable, Sequence
from string import Formatter

from ..benchmarks import Document
from ..errors import ScirankError
from .ranker import ModelOptions

FIELDS = ("title", "abstract", "text", "sep")
FORMS = {"dpr": "{title} {sep} {abstract}", "colbert": "{title}. {abstract}"}
"""Templates by name, of both sides: how DPR and ColBERT see a paper in PT-Retrieval. Their questions are taken as they
stand; ColBERT's markers are the model's own business."""


def paper_text(template: str | None, separator: str | None) -> Callable[[Document], str]:
    """A function from a paper to its text; where title or abstract is missing, the other alone.

    Args:
        template: with the fields `{title}`, `{abstract}` (also called `{text}`) and `{sep}`, or a name of
            `FORMS`; by default `{title} {sep} {abstract}`, or `{title}. {abstract}` without a separator.
        separator: the model's separator token, if it has one.

    Raises:
        ScirankError: the template has other fields, or `{sep}` for a model without a separator.
    """
    if template in FORMS:
        separator = separator or "[SEP]"
    template = _template(template, separator)
    fields = _fields(template, FIELDS)
    if not fields - {"sep"}:
        raise ScirankError(f"template {template!r}: expected the field {{title}} or {{abstract}}")
    if "sep" in fields and not separator:
        raise ScirankError(f"template {template!r} has {{sep}}, but this model has no separator token; write one out")

    def text(paper: Document) -> str:
        if not (paper.title and paper.text):
            return paper.title or paper.text
        return template.format(title=paper.title, abstract=paper.text, text=paper.text, sep=separator)

    return text


def question_text(template: str | None) -> Callable[[Document], str]:
    """A function from a question to its text: as it stands, or put into a template with the field `{question}`."""
    if template is None or template in FORMS:
        return lambda question: question.text
    _fields(template, ("question",))
    return lambda question: template.format(question=question.text)


def template_name(template: str | None, separator: str | None) -> str:
    """The template as it was filled, for the record."""
    return _template(template, separator).replace("{sep}", separator or "[SEP]")


def text_facts(
    options: ModelOptions, separator: str | None, prompt: str | None, query_prompt: str | None
) -> dict[str, str | None]:
    """What a model of two sides sees of papers and questions, for the record."""
    return {
        "template": template_name(options.template, separator),
        "query_template": options.query_template,
        "prompt": prompt,
        "query_prompt": query_prompt,
    }


def _template(template: str | None, separator: str | None) -> str:
    if template is None:
        return FORMS["dpr" if separator else "colbert"]
    return FORMS.get(template, template)


def _fields(template: str, valid: Sequence[str]) -> set[str]:
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise ScirankError(f"template {template!r}: {error}; write {{{{ for a brace") from error
    fields = {name for _, name, _, _ in parts if name is not None}
    plain = all(not spec and not conversion for _, name, spec, conversion in parts if name is not None)
    if not fields or not fields <= set(valid) or not plain:
        expected = ", ".join(f"{{{name}}}" for name in valid)
        raise ScirankError(f"template {template!r}: expected some of the fields {expected}, found {sorted(fields)}")
    return fields
