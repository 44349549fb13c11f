"""P-Tuning v2: a frozen network, and trained keys and values that every layer attends to before its own.

After `PrefixEncoder` of PT-Retrieval (github.com/THUDM/P-tuning-v2), for encoders of BERT's family. What is saved is
the prefix, and the base model's name, revision and hash.
"""

import inspect
import os
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers.base.modules import Transformer
from sentence_transformers.util import load_file_path
from transformers.cache_utils import DynamicCache

from ..errors import ScirankError, shown
from ..models.embedded import local_name
from ..models.facts import weights_sha256
from ..models.library import first_line, from_hub, full_name

INITIAL_DEVIATION = 0.02
"""BERT's `initializer_range`, by which upstream draws a prefix; peft draws by 1."""
WEIGHTS = "prefix.safetensors"
CONFIG = "sentence_bert_config.json"
FIRST_POSITION = {"bert": 0, "roberta": 1, "xlm-roberta": 1}
"""Kinds of networks that take a prefix -> the position of a text's first token, counted from the padding's where that
has one."""


class PrefixTransformer(Transformer):
    """A frozen network with a trained prefix.

    Attributes:
        prefix: of shape (length, 2 * layers * hidden size): for each layer keys, then values.
        base_model: what was frozen, with `base_revision` on the Hub and the hash of its weights.
        position_offset: whether a text's positions start behind the prefix, as in upstream's ColBERT (and in peft), or
            where they start without one, as in upstream's DPR.
    """

    config_keys: ClassVar[list[str]] = [
        *Transformer.config_keys,
        "base_model",
        "base_revision",
        "base_sha256",
        "prefix_length",
        "position_offset",
    ]

    def __init__(
        self,
        base_model: str,
        *,
        prefix_length: int = 64,
        position_offset: bool = False,
        base_revision: str | None = None,
        base_sha256: str | None = None,
        hub: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Load a base model, freeze it, and draw a prefix.

        Args:
            base_model: a name on the Hub, a folder, or `minilm`.
            prefix_length: how many keys and values are put before a text's own.
            position_offset: see above.
            base_revision: of a model on the Hub.
            base_sha256: what the hash of its weights has to be.
            hub: how transformers gets it from the Hub: `token`, `cache_dir`, `local_files_only`.
            options: of `Transformer`.

        Raises:
            ScirankError: the network takes no prefix, or is not the one that a prefix was trained on.
        """
        where = from_hub(**{**(hub or {}), "revision": base_revision})
        super().__init__(full_name(local_name(base_model)), **where, **options)
        config = self.model.config
        if config.model_type not in FIRST_POSITION:
            raise ScirankError(
                f"base model {base_model!r} is of the type {config.model_type}; P-Tuning v2 is for "
                f"{', '.join(FIRST_POSITION)}"
            )
        # Of no use here, and drawn anew at each loading of a base that has none.
        self.model.pooler = None
        self.base_model = base_model
        self.base_revision = getattr(config, "_commit_hash", None) or base_revision
        self.base_sha256 = weights_sha256(self.model)
        if base_sha256 not in (None, self.base_sha256):
            raise ScirankError(
                f"base model {base_model!r} has weights of sha256 {self.base_sha256}, but the prefix was trained on "
                f"{base_sha256}; put that model there"
            )
        self.prefix_length = prefix_length
        self.position_offset = position_offset
        self.model.requires_grad_(False)
        size = 2 * config.num_hidden_layers * config.hidden_size
        self.prefix = torch.nn.Parameter(torch.randn(prefix_length, size) * INITIAL_DEVIATION)
        self.dropout = torch.nn.Dropout(config.hidden_dropout_prob)
        first = FIRST_POSITION[config.model_type]
        self._first = (config.pad_token_id + first if first else 0) + (prefix_length if position_offset else 0)
        most = config.max_position_embeddings - self._first
        if most < 1:
            raise ScirankError(
                f"prefix of {prefix_length}: {base_model!r} has {config.max_position_embeddings} positions"
            )
        longest: int = self.tokenizer.model_max_length
        self.max_seq_length = min(longest, most)
        declared = inspect.signature(self.model.forward).parameters
        self._cache_name = "cache" if "cache" in declared else "past_key_values"

    def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Compute token embeddings; the features otherwise stay as they are, without the prefix."""
        mask = features["attention_mask"]
        texts, tokens = features["input_ids"].shape
        before = mask.new_ones(texts, self.prefix_length)
        positions = torch.arange(self._first, self._first + tokens, device=mask.device)
        found = super().forward(
            {
                **features,
                "attention_mask": torch.cat([before, mask], dim=1),
                "position_ids": positions.expand(texts, tokens),
                self._cache_name: self._keys_and_values(texts),
            },
            **kwargs,
        )
        return {**features, self.module_output_name: found[self.module_output_name]}

    def _keys_and_values(self, texts: int) -> DynamicCache:
        config = self.model.config
        heads = config.num_attention_heads
        shape = (self.prefix_length, 2 * config.num_hidden_layers, heads, config.hidden_size // heads)
        # As upstream: each text of a batch has its own dropout.
        each = self.dropout(self.prefix.view(shape).expand(texts, *shape)).permute(2, 0, 3, 1, 4)
        cache = DynamicCache()
        for layer, (key, value) in enumerate(each.split(2)):
            cache.update(key, value, layer)
        return cache

    def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
        """Save the prefix, the tokenizer, and what the base model is."""
        save_file({"prefix": self.prefix.detach().contiguous()}, os.path.join(output_path, WEIGHTS))
        self.processor.save_pretrained(output_path)
        self.save_config(output_path, CONFIG)

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **kwargs: Any) -> Self:
        """Load the base model and put a saved prefix before it.

        Raises:
            ScirankError: the base model is not there, or is another one.
        """
        named = {name: kwargs.get(name) for name in ("token", "cache_folder", "revision", "local_files_only")}
        place = {**named, "local_files_only": bool(named["local_files_only"])}
        config = cls.load_config(model_name_or_path, subfolder=subfolder, **place)
        if absent := [name for name in ("base_model", "base_sha256", "prefix_length") if name not in config]:
            raise ScirankError(f"{model_name_or_path}: expected {shown(absent)} in {CONFIG}, as a saved prefix has")
        hub = {
            "token": named["token"],
            "cache_dir": named["cache_folder"],
            "local_files_only": place["local_files_only"],
        }
        base = config["base_model"]
        try:
            module = cls(hub=hub, **{name: config[name] for name in cls.config_keys if name in config})
        except OSError as error:
            raise ScirankError(
                f"{model_name_or_path}: its base model {base!r} could not be loaded ({first_line(error)}); "
                f"where it is can be written into {CONFIG}, as base_model"
            ) from error
        path = load_file_path(model_name_or_path, WEIGHTS, subfolder=subfolder, **place)
        if path is None:
            raise ScirankError(f"{model_name_or_path}: expected a file {WEIGHTS} there")
        module.load_prefix(load_file(path))
        # Of the base's class: AutoTokenizer asks for a configuration, which stands with the base.
        module.processor = type(module.tokenizer).from_pretrained(
            model_name_or_path, subfolder=subfolder, revision=named["revision"], **hub
        )
        return module

    def load_prefix(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Take a prefix of the right shape."""
        if set(weights) != {"prefix"}:
            raise ScirankError(f"expected one tensor, prefix; found {shown(list(weights))}")
        prefix = weights["prefix"]
        if prefix.shape != self.prefix.shape:
            raise ScirankError(
                f"prefix of shape {tuple(prefix.shape)}; {self.base_model!r} with a prefix of {self.prefix_length} has "
                f"{tuple(self.prefix.shape)}"
            )
        with torch.no_grad():
            self.prefix.copy_(prefix)
