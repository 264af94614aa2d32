"""How likely an answer is, given a question and a pair that was found for it: p_gen of PAQ, section 4.2.1.

The paper's is BART-large. `Copying` needs no weights and no accelerator: a pointer to the tokens of the pair's answer,
mixed with how common a token is (a pointer-generator without attention; See et al. 2017, section 2.2). It too is made
token by token, so that finding "1972" for "December 1972" earns a share. `Written` is the paper's, by `transformers`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from answerable.errors import MissingExtraError, ModelError
from answerable.training.qapairs.known import Asked, Known

_NEVER = -1e4
"""The log-probability of what is not looked at."""


class AnswerGenerator(Protocol):
    """Answers given a question and each of several pairs."""

    compares: bool
    """Whether it is quick enough to look at what was retrieved for any question of a batch."""

    def likely(self, questions: Sequence[Asked], pairs: Sequence[Known], found: Tensor) -> Tensor:
        """(b, k) float32 log-probabilities of each question's answer by each pair, where `found` (b, k) bool is true.

        Elsewhere they are very low. Of several answers the likeliest counts.
        """
        ...

    def parameters(self) -> Any:
        """What of it is trained."""
        ...


class Copying(nn.Module):
    """p(a) as the product over its tokens of c times their share of the pair's answer and 1 - c times how common."""

    compares = True

    def __init__(self, pieces: Any, answers: Sequence[str]) -> None:
        """`pieces`: a tokenizer (`WordPieces`); `answers`: those whose tokens say what is common."""
        super().__init__()
        self._pieces = pieces
        self._held: dict[str, tuple[int, ...]] = {}
        counts = Counter(token for answer in answers for token in self._tokens(answer))
        total = sum(counts.values()) + len(counts) + 1
        self._common = {token: (count + 1) / total for token, count in counts.items()}
        self._rare = 1 / total
        self.copies = nn.Parameter(torch.tensor(1.4))
        """The log-odds of c: 0.8 to begin with."""

    def likely(self, questions: Sequence[Asked], pairs: Sequence[Known], found: Tensor) -> Tensor:
        """As `AnswerGenerator.likely`. Tokens are compared, not read, so that every pair can be looked at."""
        theirs = [self._tokens(pair.answers[0]) for pair in pairs]
        shares = [{token: count / len(tokens) for token, count in Counter(tokens).items()} for tokens in theirs]
        wanted = [[self._tokens(answer) for answer in one.answers] for one in questions]
        most = max(len(answers) for answers in wanted)
        longest = max(len(tokens) for answers in wanted for tokens in answers)
        share = torch.zeros(len(questions), len(pairs), most, longest)
        common = torch.ones(len(questions), 1, most, longest)
        there = torch.zeros(len(questions), 1, most, longest)
        for b, answers in enumerate(wanted):
            for a, tokens in enumerate(answers):
                common[b, 0, a, : len(tokens)] = torch.tensor([self._common.get(one, self._rare) for one in tokens])
                there[b, 0, a, : len(tokens)] = 1.0
                for k, held in enumerate(shares):
                    if not held.keys().isdisjoint(tokens):
                        share[b, k, a, : len(tokens)] = torch.tensor([held.get(one, 0.0) for one in tokens])
        copied = torch.sigmoid(self.copies)
        by_token = torch.log(copied * share + (1 - copied) * common) * there
        absent = (there.sum(-1) == 0).float() * _NEVER
        made: Tensor = (by_token.sum(-1) + absent).amax(-1)
        return torch.where(found, made, torch.full_like(made, _NEVER))

    def _tokens(self, answer: str) -> tuple[int, ...]:
        if answer not in self._held:
            self._held[answer] = tuple(self._pieces.ids([answer], 34)[0][1:-1]) or (0,)
        return self._held[answer]


class Written(nn.Module):
    """A seq2seq model by name through `transformers`, which reads the question, the pair's and its answer."""

    compares = False

    def __init__(self, name: str) -> None:
        """Open `name`, a folder or a model of the hub. Raises `MissingExtraError`, `ModelError`."""
        super().__init__()
        try:
            from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
        except ModuleNotFoundError as error:
            raise MissingExtraError("a generator of answers", "transformers") from error
        try:
            self.model = AutoModelForSeq2SeqLM.from_pretrained(name)
            self._tokenizer = AutoTokenizer.from_pretrained(name)
        except (OSError, ValueError) as error:
            raise ModelError(f"{name} is no seq2seq model here", hint="the folder of a BART or a T5") from error

    def likely(self, questions: Sequence[Asked], pairs: Sequence[Known], found: Tensor) -> Tensor:
        """As `AnswerGenerator.likely`; of several answers the first is the one looked at."""
        places = found.nonzero().tolist()
        read = [f"{questions[b].question} \n {pairs[k].question} \n {pairs[k].answers[0]}" for b, k in places]
        wanted = [questions[b].answers[0] for b, _ in places]
        given = self._tokenizer(read, padding=True, truncation=True, max_length=128, return_tensors="pt")
        labels = self._tokenizer(text_target=wanted, padding=True, truncation=True, max_length=32, return_tensors="pt")
        real = labels["attention_mask"].bool()
        ids = labels["input_ids"].masked_fill(~real, -100)
        logits = self.model(input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=ids).logits
        each = torch.log_softmax(logits.float(), -1).gather(-1, labels["input_ids"][..., None]).squeeze(-1)
        made = torch.full(found.shape, _NEVER)
        rows, columns = found.nonzero(as_tuple=True)
        return made.index_put((rows, columns), (each * real).sum(-1))
