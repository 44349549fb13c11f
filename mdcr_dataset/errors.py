"""The one error for data that cannot be read as MDCR."""


class MdcrDataError(ValueError):
    """Says which file and line or id, what was found, what was expected and what to do."""
