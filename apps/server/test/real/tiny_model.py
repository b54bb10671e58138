"""Writes a tiny model with random weights as GGUF: a few hundred kilobytes that a server of llama.cpp loads in no time.

Usage: python tiny_model.py PATH
"""

import sys

import numpy
from gguf import GGUFWriter, TokenType

WIDTH, HEADS, LAYERS, FEED, CONTEXT = 64, 4, 2, 128, 1024

# Tokens of three letters, so that whatever the model says is text.
LETTERS = "abcdefghij"
WORDS = ["\u2581" + a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:5]]

TEMPLATE = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant:' }}{% endif %}"
)


def vocabulary():
    tokens = [("<unk>", TokenType.UNKNOWN), ("<s>", TokenType.CONTROL), ("</s>", TokenType.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", TokenType.BYTE) for byte in range(256)]
    tokens += [(word, TokenType.NORMAL) for word in WORDS]
    return tokens


def write(path):
    random = numpy.random.default_rng(7)
    tokens = vocabulary()

    def weights(*shape):
        return random.normal(0, 0.3, shape).astype(numpy.float32)

    writer = GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in tokens])
    writer.add_token_scores([-float(index) for index in range(len(tokens))])
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)

    output = weights(len(tokens), WIDTH)
    # Bytes and control tokens are never the likeliest.
    output[: len(tokens) - len(WORDS)] = 0
    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, dtype=numpy.float32))
    writer.add_tensor("output.weight", output)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{block}.{name}.weight", weights(WIDTH, WIDTH))
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{block}.{name}.weight", numpy.ones(WIDTH, dtype=numpy.float32))
        writer.add_tensor(f"{block}.ffn_gate.weight", weights(FEED, WIDTH))
        writer.add_tensor(f"{block}.ffn_up.weight", weights(FEED, WIDTH))
        writer.add_tensor(f"{block}.ffn_down.weight", weights(WIDTH, FEED))

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


write(sys.argv[1])
