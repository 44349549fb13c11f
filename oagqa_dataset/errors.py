"""The one error for data that cannot be read as OAG-QA."""


class OagqaDataError(ValueError):
    """Says which file and line, what was found, what was expected and what to do."""
