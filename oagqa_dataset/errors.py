"""The errors for data that cannot be read as OAG-QA."""


class OagqaDataError(ValueError):
    """Says which file and line, what was found, what was expected and what to do."""


class NotOagqaError(OagqaDataError):
    """What was given is not OAG-QA's zip or a folder of its files at all, or the zip is damaged."""
