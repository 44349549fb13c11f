"""Encode on a Ray cluster: the shards to be are a Ray dataset, actors that have loaded the model once write them."""

import json
import logging
import os
import tempfile
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ScirankError
from .encode import Done, Work
from .engine import Engine, Loader, encode_with
from .store import Store, telling_of_full_disks

if TYPE_CHECKING:
    import numpy as np
    import ray


def on_ray(work: Iterable[Work], engine: Engine, done: Done) -> None:
    """Encode with Ray Data. The stores' folder has to be one that all nodes share.

    What is to be encoded lies beside the stores as Parquet, a file a shard, until all is done. Ray tries again what a
    dead worker was at.

    Raises:
        ScirankError: Ray is not installed, or could not finish.
    """
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what it says of itself would stand among our own lines
    try:
        import ray
    except ImportError as error:
        raise ScirankError("engine ray needs Ray Data: pip install 'scirank[ray]'") from error
    first, work = _peeked(work)
    shared = first.store.folder.parent
    if not ray.is_initialized():
        ray.init(address=engine.ray_address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    with telling_of_full_disks(shared):
        folder = tempfile.TemporaryDirectory(dir=shared, prefix=".ray-")
    with folder:
        with telling_of_full_disks(shared):
            files = [_written(shard, Path(folder.name)) for shard in work]
        try:
            for row in _encoded(files, engine).iter_rows():
                done(row["texts"], row["tokens"])
        except ray.exceptions.RayError as error:
            raise ScirankError(
                f"Ray could not finish: {str(error).strip().splitlines()[-1]}. What was written is good, and the same "
                "command goes on from there"
            ) from error


def _peeked(work: Iterable[Work]) -> tuple[Work, Iterable[Work]]:
    work = iter(work)
    first = next(work)
    return first, chain([first], work)


def _encoded(files: Sequence[str], engine: Engine) -> "ray.data.Dataset":
    """Numbers of texts and tokens, as shards are written."""
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)  # our own lines tell how far it is
    resources = ray.cluster_resources()
    cpus, cards = resources.get("CPU", 1.0), int(resources.get("GPU", 0))
    workers = min(engine.ray_workers or cards or max(1, int(cpus) // 4), len(files))
    share = cpus / workers
    return ray.data.from_items([{"file": file} for file in files], override_num_blocks=len(files)).map_batches(
        _Worker,
        fn_constructor_args=(engine.loader, max(1, int(share))),
        compute=ray.data.ActorPoolStrategy(size=workers),
        batch_size=1,
        num_cpus=1 if cards or 1 <= share < 2 else int(share) or share,
        num_gpus=1 if cards else 0,
    )


class _Worker:
    """Loads the model once; encodes and writes what it is given."""

    def __init__(self, loader: Loader, threads: int) -> None:
        import torch

        card = torch.cuda.is_available()
        if not card:
            torch.set_num_threads(threads)
        self._encoders = loader("cuda" if card else "cpu")

    def __call__(self, files: "dict[str, np.ndarray]") -> dict[str, list[int]]:
        done = [encode_with(self._encoders, _read(file), wait_for_others=True) or (0, 0) for file in files["file"]]
        return {"texts": [texts for texts, _ in done], "tokens": [tokens for _, tokens in done]}


def _written(shard: Work, folder: Path) -> str:
    """Write a shard's texts as bytes: not every text of ours is valid Unicode."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = [[text] if isinstance(text, str) else list(text) for text in shard.texts]
    row = {
        "role": shard.role,
        "path": str(shard.path),
        "key": json.dumps(shard.store.key),
        "digests": shard.digests.tobytes(),
        "tokens": shard.tokens.tobytes(),
        "texts": [[part.encode("utf-8", "surrogatepass") for part in text] for text in texts],
    }
    file = folder / f"{shard.path.stem}.parquet"
    pq.write_table(pa.Table.from_pylist([row]), file)
    return str(file)


def _read(file: str) -> Work:
    import numpy as np
    import pyarrow.parquet as pq

    row = pq.read_table(file).to_pylist()[0]

    texts = [tuple(part.decode("utf-8", "surrogatepass") for part in text) for text in row["texts"]]
    return Work(
        role=row["role"],
        store=Store(Path(row["path"]).parent, json.loads(row["key"])),
        path=Path(row["path"]),
        digests=np.frombuffer(row["digests"], "S16"),
        tokens=np.frombuffer(row["tokens"], np.int32),
        texts=[text[0] if len(text) == 1 else text for text in texts],
    )
