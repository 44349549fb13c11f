"""The layout that MDCR's own evaluation script prints."""

from ..results import Result


def upstream_text(result: Result, benchmark_file: str, scores_file: str) -> str:
    """The table of upstream's script, byte for byte, without a newline at the end.

    Numbers are in their shortest form (`31.5`, not `31.5000`), as NumPy prints them there.
    """
    lines = [f"Results on the benchmark file {benchmark_file} using the scores from the file {scores_file}"]
    lines += [_line(group, row) for group, row in result.groups.items()]
    return "\n".join([*lines, "", _line("AVG", result.average)])


def _line(name: str, values: dict[str, float]) -> str:
    return "\t".join([name, *(f"{measure}: {value}" for measure, value in values.items())])
