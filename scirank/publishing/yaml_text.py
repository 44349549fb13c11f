"""YAML that others wrote too: changed where it has to be, and otherwise left as it stands."""

from typing import Any

from ..errors import ScirankError

KEY = "model-index"


def dump(data: Any) -> str:
    """YAML as huggingface_hub writes it."""
    from huggingface_hub.utils import yaml_dump  # type: ignore[attr-defined]

    text: str = yaml_dump(data, sort_keys=False, width=1_000)
    return text


def load(text: str, where: str) -> Any:
    """What YAML holds. Raises ScirankError, naming where it stands, where it is none."""
    import yaml  # type: ignore[import-untyped]

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScirankError(f"{where} is not YAML, and is not touched: {' '.join(str(error).split())}") from None


def with_items(text: str, old: list[Any], new: list[Any]) -> str:
    """A list's text after it became another list; as it stood, and more after it, where only more was added."""
    if new == old:
        return text
    if new[: len(old)] == old:
        longer = (text.rstrip("\n") + "\n" if old else "") + dump(new[len(old) :])
        if _reads(longer, new):
            return longer
    return dump(new)


def with_model_index(card: str, index: list[Any], where: str) -> str:
    """A card's text after its metadata got another `model-index`; all else in it, comments too, stays as it stands."""
    from huggingface_hub.repocard import REGEX_YAML_BLOCK

    found = REGEX_YAML_BLOCK.search(card)
    if found is None:
        return f"---\n{dump({KEY: index})}---\n{card}"
    header = found.group(2)
    data = load(header, where) or {}
    if not isinstance(data, dict):
        raise ScirankError(f"{where}: its metadata is no mapping, and is not touched")
    new = {**data, KEY: index}
    spliced = _spliced(header, index)
    newline = "\r\n" if "\r\n" in found.group(0) else "\n"
    text = (spliced if _reads(spliced, new) else dump(new)).strip("\r\n")
    return card[: found.start(2)] + text.replace("\r\n", "\n").replace("\n", newline) + card[found.end(2) :]


def metadata_of(card: str, where: str) -> dict[str, Any]:
    """A card's metadata."""
    from huggingface_hub.repocard import REGEX_YAML_BLOCK

    found = REGEX_YAML_BLOCK.search(card)
    data = (load(found.group(2), where) if found else None) or {}
    return data if isinstance(data, dict) else {}


def _spliced(header: str, index: list[Any]) -> str:
    """Metadata with another block `model-index` in the lines of the one that was there, or after all others."""
    import yaml

    lines = header.splitlines()
    first = last = len(lines)
    root = yaml.compose(header + "\n")
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == KEY:
            first, last = key.start_mark.line, value.end_mark.line + (value.end_mark.column > 0)
    while last > first + 1 and (not lines[last - 1].strip() or lines[last - 1].startswith("#")):
        last -= 1  # what stands before the next entry is its own
    return "\n".join([*lines[:first], dump({KEY: index}).rstrip("\n"), *lines[last:]])


def _reads(text: str, expected: Any) -> bool:
    import yaml

    try:
        return bool(yaml.safe_load(text) == expected)
    except yaml.YAMLError:
        return False
