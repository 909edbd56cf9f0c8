"""The floor: llama-cpp-python called directly, with nothing around it. Run as a program.

Reads one JSON request per line (messages, grammar, max_tokens), and answers each with one JSON line: tokens
and its own times, which exclude the pipe and the JSON. Templates, tokens, cached prefix, sampling and
streaming are the library's own; nobody reads the pieces.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from llama_cpp import Llama, llama_cpp
from llama_cpp.llama_chat_format import Jinja2ChatFormatter
from llama_cpp.llama_grammar import LlamaGrammar


class _Direct:
    """A loaded model and its chat template."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._llama: Any = Llama(
            options.model,
            n_ctx=options.context,
            n_batch=options.batch,
            n_ubatch=options.batch,
            n_threads=options.threads,
            n_threads_batch=options.threads,
            n_gpu_layers=options.gpu_layers,
            flash_attn=options.flash,
            verbose=False,
        )
        model = self._llama._model
        begin, end = (
            model.token_get_text(token) if token >= 0 else ""
            for token in (self._llama.token_bos(), self._llama.token_eos())
        )
        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            sys.exit("the model has no chat template.")
        self._render = Jinja2ChatFormatter(template=template, eos_token=end, bos_token=begin)
        self._begins = bool(llama_cpp.llama_vocab_get_add_bos(model.vocab))
        self._begin_text = begin

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Write a reply; return its tokens, milliseconds from the request, and text."""
        llama = self._llama
        held = llama._input_ids.tolist()
        began = time.perf_counter()
        text = self._render(messages=asked["messages"], enable_thinking=False).prompt
        begin = self._begins and not text.startswith(self._begin_text or "\0")
        tokens = llama.tokenize(text.encode(), add_bos=begin, special=True)
        grammar = LlamaGrammar.from_string(asked["grammar"], verbose=False) if asked["grammar"] else None
        first_s: float | None = None
        pieces: list[str] = []
        finish = ""
        for chunk in llama.create_completion(
            tokens, max_tokens=asked["max_tokens"], temperature=0.0, grammar=grammar, stream=True
        ):
            if first_s is None:
                first_s = time.perf_counter() - began
            pieces.append(chunk["choices"][0]["text"])
            finish = chunk["choices"][0]["finish_reason"] or ""
        took_s = time.perf_counter() - began
        # The last token of a reply that was cut off was written and not evaluated any more.
        written = llama.n_tokens - len(tokens) + (1 if finish == "length" else 0)
        return {
            "prompt_tokens": len(tokens),
            "cached_tokens": min(llama.longest_token_prefix(held, tokens), len(tokens) - 1),
            "output_tokens": written,
            "first_ms": (took_s if first_s is None else first_s) * 1e3,
            "took_ms": took_s * 1e3,
            "text": "".join(pieces),
        }


def main() -> int:
    """Answer until the input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--gpu-layers", type=int, default=0)
    parser.add_argument("--flash", action="store_true")
    direct = _Direct(parser.parse_args())
    _say({"ready": True})
    for line in sys.stdin:
        _say(direct.answer(json.loads(line)))
    return 0


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
