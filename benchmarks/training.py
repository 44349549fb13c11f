"""The four systems of the OAG-QA paper, trained on one Cranfield topic and evaluated on the other: before and after.

Prints a table. Settings were fixed beforehand, by looking at questions trained on only; docs/training.md says which of
them were changed once. Runs that are done are kept in --out, so that it can be stopped and called again.

    python benchmarks/training.py --data-dir FOLDER --out FOLDER
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.stats import bootstrap

import scirank
from scirank.models.record import Record, write_record
from scirank.results.files import whole_folder
from scirank.training.building import build
from scirank.training.settings import settings_for

TOPICS = ("aerodynamics", "structures")
SEEDS = (1, 2, 3)
COMMON = {"batch_size": 16, "steps": 30, "paper_tokens": 96, "warmup": 0.1, "schedule": "linear"}
SYSTEMS = {
    ("dpr", "ft"): {**COMMON, "learning_rate": 2e-5, "query_tokens": 48},
    ("dpr", "pt2"): {**COMMON, "learning_rate": 8e-3, "query_tokens": 48},
    ("colbert", "ft"): {**COMMON, "learning_rate": 1e-4, "steps": 60},
    ("colbert", "pt2"): {**COMMON, "learning_rate": 5e-3},
}
MEASURES = ["hit_20", "mrr"]


def main() -> None:
    """Run what is not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--systems", nargs="+", default=["-".join(system) for system in SYSTEMS])
    given = parser.parse_args()
    benchmark = scirank.load_benchmark("oagqa", data_dir=given.data_dir, groups=list(TOPICS))
    rows = []
    for seed in given.seeds:
        for system, settings in SYSTEMS.items():
            for topic in TOPICS:
                if "-".join(system) in given.systems:
                    rows.append(one(system, settings, topic, seed, benchmark, given))
                    print_row(rows[-1])
    print_summary(rows)


def one(system, settings, topic, seed, benchmark, given):
    """Before and after one training: hits and reciprocal ranks of every question, by topic."""
    name = f"{'-'.join(system)}-{topic}-{seed}"
    kept = given.out / f"{name}.json"
    if kept.is_file():
        return json.loads(kept.read_text())
    start = given.out / f"{'-'.join(system)}-{seed}-start"
    if not start.exists():
        model = build(*system, "minilm", settings_for(*system, **settings, seed=seed), device="cpu")
        with whole_folder(start) as folder:
            model.save_pretrained(str(folder), create_model_card=False)
            write_record(folder, Record(*system, system[0]))
    trained = scirank.train(
        *system,
        out=given.out / name,
        base="minilm",
        data_dir=given.data_dir,
        groups=[topic],
        checkpoint_steps=10_000,
        device="cpu",
        overwrite=True,
        quiet=True,
        seed=seed,
        **settings,
    )
    about = trained.record.training
    row = {
        "system": "-".join(system),
        "topic": topic,
        "seed": seed,
        "seconds": about["seconds"],
        "parameters": about["parameters"],
        "losses": [entry["loss"] for entry in about["losses"]],
        "before": values(start, benchmark, given.out),
        "after": values(given.out / name, benchmark, given.out),
    }
    kept.write_text(json.dumps(row))
    return row


def values(folder, benchmark, out):
    """Each measure of each question, by topic."""
    result = scirank.run(str(folder), benchmark, measures=MEASURES, quiet=True, device="cpu", cache_dir=out / "vectors")
    table = result.per_query
    return {
        topic: {m: [v for v, g in zip(table[m], table["group"], strict=True) if g == topic] for m in MEASURES}
        for topic in TOPICS
    }


def print_row(row):
    """One training."""
    topics = [row["topic"], next(topic for topic in TOPICS if topic != row["topic"])]
    losses = row["losses"]
    told = [f"{row['system']:12} {row['topic']:13} {row['seed']}  {row['seconds']:4.0f} s"]
    told.append(f"loss {np.mean(losses[:5]):.2f} to {np.mean(losses[-5:]):.2f}")
    for what, topic in zip(("trained on", "held out"), topics, strict=True):
        before, after = (row[when][topic]["hit_20"] for when in ("before", "after"))
        told.append(f"{what} {sum(before):.0f} to {sum(after):.0f} of {len(after)}")
    print("  ".join(told), flush=True)


def print_summary(rows):
    """Of each system over directions and seeds: means before and after, and the interval of the difference.

    Questions are drawn (10,000 times, 95 %), each with the mean of its seeds, so that seeds do not count as questions.
    """
    print("\n| system | trained | questions | measure | before | after | difference, 95 % |")
    print("|---|---|---|---|---|---|---|")
    for system in dict.fromkeys(row["system"] for row in rows):
        own = [row for row in rows if row["system"] == system]
        share = own[0]["parameters"]["trained"] / own[0]["parameters"]["all"]
        for what in ("trained on", "held out"):
            for measure in MEASURES:
                before, after = (by_question(own, what == "trained on", when, measure) for when in ("before", "after"))
                low, high = bootstrap((after - before,), np.mean, n_resamples=10_000, rng=0).confidence_interval
                means = f"{100 * before.mean():.1f} | {100 * after.mean():.1f} | {100 * (after - before).mean():+.1f}"
                print(
                    f"| {system} | {share:.2%} | {what} | {measure} | {means} ({100 * low:+.1f} to {100 * high:+.1f}) |"
                )


def by_question(rows, trained_on, when, measure):
    """The mean over seeds of each question of both directions."""
    found = []
    for topic in TOPICS:
        of_topic = [row[when][topic][measure] for row in rows if (row["topic"] == topic) == trained_on]
        if of_topic:
            found.append(np.mean(of_topic, axis=0))
    return np.concatenate(found)


if __name__ == "__main__":
    main()
