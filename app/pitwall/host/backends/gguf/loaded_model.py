"""A loaded GGUF model, and its slots, embedder and projector."""

from __future__ import annotations

from collections.abc import Callable

from pitwall.host.backends.admission import admit_slot
from pitwall.host.backends.gguf.chat_template import Chat
from pitwall.host.backends.gguf.embedding import Embedder
from pitwall.host.backends.gguf.kept_prompts import KeptPrompts
from pitwall.host.backends.gguf.library import LibraryLog, device_name, threads_for
from pitwall.host.backends.gguf.model import GgufModel
from pitwall.host.backends.gguf.projector import Projector
from pitwall.host.backends.gguf.slot import AsidePrompt, Slot
from pitwall.host.requests.faults import ModelFailed, ModelWithoutVision
from pitwall.models.files.gguf_header import GgufHeader
from pitwall.models.host_requests import LoadedModel
from pitwall.models.probed import PromptForm

_MOST_SLOTS = 8
_NO_FLASH = (
    "llama.cpp gives it no flash attention here: it runs without, and takes more memory than estimated."
)


class LoadedGguf:
    """Weights, and over them: a context for each slot, a projector, a context for embeddings.

    Args:
        note: a remark for the operator about how it was loaded; may be empty.
        may_see: whether llama.cpp survives its projector; asked once, before that is loaded.
        changed: called when slots, embedder or projector have changed.
        kept_prompts: evaluated prompts that slots begin with.
    """

    def __init__(
        self,
        model: GgufModel,
        header: GgufHeader,
        journal: LibraryLog,
        *,
        load_ms: float,
        note: str,
        may_see: Callable[[], bool],
        changed: Callable[[], None],
        kept_prompts: KeptPrompts,
    ) -> None:
        self.model = model
        self.spec = model.spec
        self.chat = Chat(model)
        self.context = self.spec.context if self.spec.context > 0 else model.trained_context
        self.device = device_name(self.spec.gpu_layers, model.layers)
        self._header = header
        self._journal = journal
        self._threads = threads_for(self.spec.threads)
        self._load_ms = load_ms
        self._may_see = may_see
        self._changed = changed
        self.kept_prompts = kept_prompts
        self.baselines: dict[tuple[PromptForm, tuple[int, ...]], float] = {}
        """Log-probabilities after the content-free prompt of a form: an option's beginning and tail → its
        tail's."""
        self.aside_prompts: dict[tuple[int, ...], AsidePrompt] = {}
        """Content-free prompts, each with a beginning of options, by their tokens."""
        self._slots: dict[str, Slot] = {}
        self._embedder: Embedder | None = None
        self._projector: Projector | None = None
        notes = [note, self.chat.note]
        if self.context > model.trained_context:
            notes.append(f"Its context is longer than the {model.trained_context:,} tokens of its training.")
        self._note = " ".join(part for part in notes if part)

    def slot(self, name: str) -> Slot:
        """Return the context of a slot; a new one replaces the one unused for longest."""
        if name in self._slots:
            self._slots[name] = self._slots.pop(name)
            return self._slots[name]
        idle = [known for known, slot in self._slots.items() if not slot.busy]
        if len(self._slots) >= _MOST_SLOTS and idle:
            self._slots.pop(idle[0]).free()
        admit_slot(self._header, self.spec, self.context, gpu=self.device != "CPU")
        slot = Slot(self.model, self._journal, context=self.context, threads=self._threads)
        self._slots[name] = slot
        self._changed()
        return slot

    def is_busy(self, slot: str) -> bool:
        return slot in self._slots and self._slots[slot].busy

    def projector(self) -> Projector:
        """Return the model's projector; loaded when it is first needed.

        Raises:
            ModelWithoutVision: it has none.
        """
        if not self.spec.projector:
            raise ModelWithoutVision(
                f"{self.spec.name} sees no pictures: it has no projector.",
                "Add the model with its projector file, or choose one that sees.",
            )
        if self._projector is None:
            if not self._may_see():
                raise ModelFailed(
                    f"{self.spec.projector} is damaged: llama.cpp dies of it.",
                    f"Use the projector that was published with {self.spec.name}.",
                )
            use_gpu = self.device != "CPU"
            self._projector = Projector(self.model, self._journal, threads=self._threads, use_gpu=use_gpu)
            self._changed()
        return self._projector

    def embedder(self) -> Embedder:
        """Return the context for embeddings; it is made on first use."""
        if self._embedder is None:
            self._embedder = Embedder(self.model, self._journal, context=self.context, threads=self._threads)
            self._changed()
        return self._embedder

    def report(self) -> LoadedModel:
        over = [*self._slots.values(), self._embedder, self._projector]
        return LoadedModel(
            name=self.spec.name,
            device=self.device,
            memory_bytes=self.model.weights_bytes + sum(part.memory_bytes for part in over if part),
            context=self.context,
            slots=tuple(self._slots),
            load_ms=self._load_ms,
            note=" ".join(filter(None, (self._note, self._lacking))),
        )

    @property
    def _lacking(self) -> str:
        refused = any(not slot.flash for slot in self._slots.values())
        return _NO_FLASH if refused and self.spec.flash_attention == "on" else ""

    def free(self) -> None:
        for part in (*self._slots.values(), self._embedder, self._projector):
            if part is not None:
                part.free()
        self._slots.clear()
        self._embedder = self._projector = None
        self.model.free()
