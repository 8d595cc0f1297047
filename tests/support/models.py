"""Tiny transformers with random weights, as seeds: ``polyjuice fuzz --seeds tests.support.models:bert``.

Real architectures from real code, with nothing to download. Vocabularies hold more tokens than the input profiles'
integers reach. Error bounds are for the worst case, and grow from layer to layer. The widths and weights keep them
finite, so that results can be compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers
from torch import Tensor
from transformers import PretrainedConfig, PreTrainedModel

TOKENS = 6
VOCABULARY = 32

Seed = tuple[torch.nn.Module, tuple[Tensor, ...]]

_IDS = {"vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


class Positional(torch.nn.Module):
    """A model as a function of tensors in a fixed order, with one tensor as its result."""

    def __init__(self, model: PreTrainedModel, inputs: tuple[str, ...], result: str) -> None:
        super().__init__()
        self.model = model
        self.inputs = inputs
        self.result = result

    def forward(self, *tensors: Tensor) -> Any:
        named = dict(zip(self.inputs, tensors, strict=True))
        return getattr(self.model(**named), self.result)


def _seed(
    make: Callable[[PretrainedConfig], PreTrainedModel],
    config: PretrainedConfig,
    result: str = "logits",
    **inputs: Tensor,
) -> Seed:
    torch.manual_seed(0)
    config.use_cache = False
    return Positional(make(config).eval(), tuple(inputs), result), tuple(inputs.values())


def _tokens(length: int = TOKENS) -> Tensor:
    return torch.arange(length).reshape(1, length) % VOCABULARY


_SMALL = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "max_position_embeddings": 16}


def bert() -> Seed:
    config = transformers.BertConfig(**_IDS, **_SMALL, num_attention_heads=2, initializer_range=0.2)
    return _seed(transformers.BertModel, config, "last_hidden_state", input_ids=_tokens())


def gpt2() -> Seed:
    config = transformers.GPT2Config(**_IDS, n_positions=16, n_embd=16, n_layer=1, n_head=2, initializer_range=0.1)
    return _seed(transformers.GPT2LMHeadModel, config, input_ids=_tokens())


def llama() -> Seed:
    """Grouped queries: two heads share one key."""
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    config = transformers.LlamaConfig(**_IDS, **_SMALL, **heads, initializer_range=0.2)
    return _seed(transformers.LlamaForCausalLM, config, input_ids=_tokens())


def vit() -> Seed:
    image = {"image_size": 16, "patch_size": 4}
    config = transformers.ViTConfig(**_SMALL, **image, num_attention_heads=2, initializer_range=0.05)
    return _seed(transformers.ViTForImageClassification, config, pixel_values=torch.ones(1, 3, 16, 16))


def t5() -> Seed:
    layers = {"num_layers": 1, "num_decoder_layers": 1, "num_heads": 2}
    config = transformers.T5Config(**_IDS, **layers, d_model=16, d_kv=8, d_ff=32, initializer_factor=0.3)
    model = transformers.T5ForConditionalGeneration
    return _seed(model, config, input_ids=_tokens(), decoder_input_ids=_tokens(TOKENS - 1))


def whisper() -> Seed:
    sides = [f"{side}_{part}" for side in ("encoder", "decoder") for part in ("layers", "attention_heads", "ffn_dim")]
    config = transformers.WhisperConfig(
        **_IDS,
        **dict(zip(sides, 2 * (1, 2, 8), strict=True)),
        decoder_start_token_id=1,
        d_model=8,
        num_mel_bins=8,
        max_source_positions=12,
        max_target_positions=16,
        init_std=0.1,
    )
    features = torch.ones(1, config.num_mel_bins, 2 * config.max_source_positions)
    model = transformers.WhisperForConditionalGeneration
    return _seed(model, config, input_features=features, decoder_input_ids=_tokens(TOKENS - 1))
