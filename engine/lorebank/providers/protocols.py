"""The protocols of embedders, rerankers and chat models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from lorebank.language.words import estimate_tokens
from lorebank.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Floats = NDArray[np.float32]

Role = Literal["document", "query"]  # whether a text is stored, or searched with


class Limits(Record):
    """How much one call takes, and how many may run at a time."""

    items: int = 256  # texts per call
    tokens: int = 1_000_000  # estimated tokens per call
    text_tokens: int = 1_000_000  # estimated tokens per text; longer ones are cut
    concurrency: int = 1


class Model(Protocol):
    @property
    def name(self) -> str:
        """The provider's name in the settings, such as `local`."""

    @property
    def model(self) -> str:
        """The model's own name."""


@runtime_checkable
class Embedder(Model, Protocol):
    """Turns texts into float32 unit vectors whose dot product is their similarity in meaning.

    The zero vector means "no vector" (an empty text) and must not be ranked. Vectors of two
    embedders are comparable only if their fingerprints are equal. Methods are thread-safe and raise
    `ProviderError` if the model cannot be loaded or returns unusable output.
    """

    @property
    def dimension(self) -> int:
        """Length of a vector; 0 until a remote model has answered."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vector of any text would; the same on every machine."""

    @property
    def endpoint(self) -> str:
        """The address texts are sent to; empty for a model in this process."""
        return ""

    @property
    def limits(self) -> Limits:
        """How to cut a large job into calls."""

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors of stored texts, shape `(len(texts), dimension)`."""

    def embed_query(self, text: str) -> Floats:
        """The vector of a question, shape `(dimension,)`."""
        query: Floats = self.embed_documents([text])[0]
        return query

    def cancel(self) -> None:
        """Abort the calls of other threads, which raise `ProviderError`. A model in this process
        needs none: its calls end within a second."""
        return


@runtime_checkable
class BatchEmbedder(Embedder, Protocol):
    """An embedder whose service also takes large jobs, finished hours later."""

    @property
    def batch_limits(self) -> Limits | None:
        """Per job; `None` if the service takes none."""

    def submit(self, texts: Mapping[str, str]) -> str:
        """Submit texts by custom id, as documents; returns the provider's job id."""

    def collect(self, job: str) -> Mapping[str, Floats] | None:
        """The finished vectors of a job by custom id; `None` while it runs. Raises `ProviderError`
        if the provider does not know the job."""


class Turn(Record):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


class Prompt(Record):
    """A request to a chat model: system prompt and conversation."""

    system: str
    turns: tuple[Turn, ...]
    answer_tokens: int = 1500

    @property
    def estimated_tokens(self) -> int:
        return sum(map(estimate_tokens, (self.system, *(turn.text for turn in self.turns))))

    def messages(self) -> list[dict[str, str]]:
        """In the format of OpenAI and Ollama."""
        turns = [{"role": turn.role, "content": turn.text} for turn in self.turns]
        return [{"role": "system", "content": self.system}, *turns]

    def answered(self, answer: str, reply: str) -> Prompt:
        """The conversation continued by the model's answer and our reply."""
        added = (Turn("assistant", answer), Turn("user", reply))
        return replace(self, turns=(*self.turns, *added))


class Completion(Record):
    """What a chat model answered."""

    text: str
    tokens: int | None = None
    """Prompt and answer together; `None` if the provider does not count them."""


@runtime_checkable
class Reranker(Model, Protocol):
    """A model that scores how well a text answers a question."""

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        """One score per text, higher is better, on any scale. Raises `ProviderError`."""


@runtime_checkable
class Generator(Model, Protocol):
    """A chat model. Nothing it writes is kept unchecked."""

    @property
    def endpoint(self) -> str:
        """The address texts are sent to."""

    def complete(self, prompt: Prompt) -> Completion:
        """One answer, which should be a JSON object. Raises `ProviderError`."""

    def cancel(self) -> None:
        """Abort the calls of other threads, which raise `ProviderError`."""


_PREFIXES: tuple[tuple[str, str, str], ...] = (
    ("embeddinggemma", "title: none | text: ", "task: search result | query: "),
    ("nomic-embed-text", "search_document: ", "search_query: "),
    ("mxbai-embed-large", "", "Represent this sentence for searching relevant passages: "),
    ("snowflake-arctic-embed2", "", "query: "),
    ("multilingual-e5", "passage: ", "query: "),
    (
        "qwen3-embedding",
        "",
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
        "Query: ",
    ),
)
"""Part of the model's name, document prefix, query prefix; from the models' own pages."""


def prefixed(model: str, text: str, role: Role) -> str:
    """The text with the prefix that model expects, if any."""
    folded = model.lower().replace("_", "-")
    for name, document, query in _PREFIXES:
        if name in folded:
            return (document if role == "document" else query) + text
    return text
