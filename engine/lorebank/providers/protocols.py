"""What the rest of lorebank asks of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from lorebank.language.words import estimate_tokens
from lorebank.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray


Role = Literal["document", "query"]
"""What a text is embedded as: to be found, or to search with."""


class Limits(Record):
    """How much one call takes, and how many calls gain anything when made at a time."""

    items: int = 256
    """Texts a call."""
    tokens: int = 1_000_000
    """Estimated tokens of all texts of a call."""
    text_tokens: int = 1_000_000
    """Estimated tokens of one text; what is longer is cut."""
    concurrency: int = 1


class Model(Protocol):
    """What every model says of itself."""

    @property
    def name(self) -> str:
        """The provider as the settings name it, such as `local`."""

    @property
    def model(self) -> str:
        """The model's own name."""


@runtime_checkable
class Embedder(Model, Protocol):
    """Turns texts into vectors whose dot product is their closeness in meaning.

    Vectors are float32 and of length 1. A text without anything to embed has the zero vector,
    which means "no vector" and must not be ranked. Vectors of two embedders may be compared only
    if their fingerprints are equal. Every method may be called from several threads, and raises
    `ProviderError` when the model cannot be loaded or answers nonsense.
    """

    @property
    def dimension(self) -> int:
        """The length of every vector; 0 while a remote model has not answered yet."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vector of any text would; the same on every machine."""

    @property
    def endpoint(self) -> str:
        """The address that texts are sent to; empty for a model within this process."""
        return ""

    @property
    def limits(self) -> Limits:
        """How the texts of a large job are best cut into calls."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts to be found, in their order: shape `(len(texts), dimension)`."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a text to search with: shape `(dimension,)`."""
        query: NDArray[np.float32] = self.embed_documents([text])[0]
        return query

    def cancel(self) -> None:
        """Break off what other threads wait for; they raise `ProviderError`. A model within this
        process has nothing to break off: a call ends within a second."""
        return


@runtime_checkable
class BatchEmbedder(Embedder, Protocol):
    """An embedder whose service may also take large jobs and answer them hours later."""

    @property
    def batch_limits(self) -> Limits | None:
        """Texts and tokens a job; `None` where the service takes none."""

    def submit(self, texts: Mapping[str, str]) -> str:
        """Hand in a job of custom id → text (to be found); returns the provider's job id."""

    def collect(self, job: str) -> Mapping[str, NDArray[np.float32]] | None:
        """What a job embedded, by custom id, without what it could not; `None` while it is worked
        on. Raises `ProviderError` where the provider does not know it."""


class Turn(Record):
    """One message of a talk."""

    role: Literal["user", "assistant"]
    text: str


class Prompt(Record):
    """What a chat model is asked: how it is to behave, and the talk so far."""

    system: str
    turns: tuple[Turn, ...]
    answer_tokens: int = 1500
    """What the answer may have at most."""

    @property
    def estimated_tokens(self) -> int:
        """About how many tokens are sent."""
        return sum(map(estimate_tokens, (self.system, *(turn.text for turn in self.turns))))

    def messages(self) -> list[dict[str, str]]:
        """System and turns in one list, as OpenAI and Ollama take them."""
        turns = [{"role": turn.role, "content": turn.text} for turn in self.turns]
        return [{"role": "system", "content": self.system}, *turns]

    def answered(self, answer: str, reply: str) -> Prompt:
        """The talk gone on: what the model said, and what is said to that."""
        added = (Turn("assistant", answer), Turn("user", reply))
        return replace(self, turns=(*self.turns, *added))


class Completion(Record):
    """What a chat model answered."""

    text: str
    tokens: int | None = None
    """Asked and answered together; `None` where the provider does not count them."""


@runtime_checkable
class Reranker(Model, Protocol):
    """A model that reads a question and a text together and says how well the text answers."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A score a text, higher is better, on any scale: shape `(len(texts),)`. Raises
        `ProviderError` where the model cannot be loaded or answers nonsense."""


@runtime_checkable
class Generator(Model, Protocol):
    """A chat model. What it writes is a guest's word: nothing is kept that was not checked."""

    @property
    def endpoint(self) -> str:
        """The address that texts are sent to."""

    def complete(self, prompt: Prompt) -> Completion:
        """One answer, meant to be a JSON object. `ProviderError` where none came."""

    def cancel(self) -> None:
        """Break off what other threads are waiting for; they raise `ProviderError`."""


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
"""Part of the model's name, prefix of documents, prefix of queries; from the models' own pages."""


def prefixed(model: str, text: str, role: Role) -> str:
    """The text as that model wants it; unchanged for a model that makes no difference."""
    folded = model.lower().replace("_", "-")
    for name, document, query in _PREFIXES:
        if name in folded:
            return (document if role == "document" else query) + text
    return text
