"""Titles as OAG-QA's two hit rules compare them, by their tokens.

Under `title_span`, upstream's rule, an answer's tokens stand contiguous in a title's; under
`exact_title` they are the title's. The tokens are those of upstream's `SimpleTokenizer`
(PT-Retrieval, github.com/THUDM/P-tuning-v2): of the text in NFD, runs of letters, digits and marks, and
each other character that is neither a separator nor a control character; each token in lower case.
"""

import re
import unicodedata
from functools import cache
from typing import Any

ASCII_TOKEN = re.compile(r"[a-z0-9]+|[^a-z0-9\x00-\x20\x7f]")
"""The tokens of ASCII in lower case, at a quarter of the time."""


def title_key(title: str) -> str:
    """The tokens, with a space before and after each; `""` where there are none.

    One title's tokens stand contiguous in another's if its key stands in the other's; they are the
    same if the keys are.
    """
    if title.isascii():
        tokens = ASCII_TOKEN.findall(title.lower())
    else:
        tokens = [token.lower() for token in _token().findall(unicodedata.normalize("NFD", title))]
    return f" {' '.join(tokens)} " if tokens else ""


@cache
def _token() -> Any:
    """Imports `regex` only where a title needs it, so that the metric loads and computes MDCR's measures without."""
    import regex

    return regex.compile(r"[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]")
