"""Run a command as a whole process and say what it took."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "build" / "benchmarks"


def synthetic_mdcr() -> Path:
    """The folder of an MDCR of full size; made in a process of its own, whose memory would count as a child's."""
    if not (DATA / "scores.json").exists():
        subprocess.run([sys.executable, str(HERE / "synthetic.py"), str(DATA)], check=True)
    return DATA


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, seconds of the processor, and the most memory, in MB."""

    wall: float
    cpu: float
    memory: float


def cost(command: Sequence[str]) -> Cost:
    """What one run of a command takes; its output is thrown away."""
    from time import perf_counter

    started = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def compare(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, Cost]:
    """The median cost of each command; they take turns, so that a slow minute hits all alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(cost(command))
    return {
        name: Cost(median(c.wall for c in found), median(c.cpu for c in found), max(c.memory for c in found))
        for name, found in costs.items()
    }


def show(costs: dict[str, Cost]) -> None:
    """Print a Markdown table; ratios are to the first row."""
    first = next(iter(costs.values()))
    print("| | seconds | ratio | CPU seconds | ratio | peak MB |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, c in costs.items():
        ratios = f"{c.wall:.2f} | {c.wall / first.wall:.2f} | {c.cpu:.2f} | {c.cpu / first.cpu:.2f}"
        print(f"| {name} | {ratios} | {c.memory:.0f} |")
