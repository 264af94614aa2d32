"""A model behind a real server on loopback that puts queries in other words."""

from pathlib import Path

import pytest

from answerable.errors import UsageError
from answerable_bench.endpoint import Endpoints
from answerable_bench.sets import paraphrase
from answerable_bench.sets.paraphrase import write
from answerable_bench.sets.queries import read_queries
from answerable_bench.sets.rounds import answers
from answerable_bench.sets.write import judgements
from answerable_bench.stages import write_jsonl
from bench_tests.sets.world import quiet
from bench_tests.test_endpoint import Server, serving

server = pytest.fixture(serving)
ASKED = 12


@pytest.fixture
def few(own: Path) -> Path:
    """A build with a few queries of those it had: each is sent by itself."""
    rows = (own / "queries.jsonl").read_text("utf-8").splitlines(keepends=True)
    (own / "queries.jsonl").write_text("".join(rows[:: len(rows) // ASKED]), "utf-8")
    return own


def test_private_queries_go_only_where_private_text_may(server: Server, few: Path):
    with pytest.raises(UsageError, match="are private"):
        write(few, Endpoints("m", server.address), False, quiet)
    assert not server.bodies and not (few / "paraphrases.jsonl").exists()
    server.said = " “Boats of some kind” \n"
    count = len(read_queries(few))
    assert write(few, Endpoints("m", private=server.address), False, quiet)["written"] == count
    assert {one.text for one in judgements(few).asked} == {"Boats of some kind"}
    assert {one.by for one in judgements(few).asked} == {"m"}
    write(few, Endpoints("m", server.address), True, quiet)
    assert len(server.bodies) == len({one.original for one in read_queries(few)})  # nothing is asked twice


def test_a_model_is_sent_the_query_alone_and_people_come_first(server: Server, few: Path):
    first, second = read_queries(few)[:2]
    row = {"id": first.id, "annotator": "Ada", "query": first.original, "new query": "Hers", "skip": "", "by": "people"}
    write_jsonl(few / "paraphrases.jsonl", [row])
    server.said = "The model's"
    counts = write(few, Endpoints("m", server.address, key="secret"), True, quiet)
    assert counts["by people"] == 1
    texts = {one.id: one.text for one in judgements(few).asked}
    assert (texts[first.id], texts[second.id]) == ("Hers", "The model's")
    sent = str(server.bodies)
    assert second.original in sent and "registered in" in sent and "Boat 1 " not in sent
    assert set(server.keys) == {"Bearer secret"}


@pytest.mark.parametrize("said", ["", "two\nlines", "w " * 61, "<mark></mark>"])
def test_what_is_no_query_is_not_taken(server: Server, few: Path, said: str):
    server.said = said
    counts = write(few, Endpoints("m", private=server.address), False, quiet)
    assert counts["written"] == 0 < counts["not written"]
    assert not answers(paraphrase.PARAPHRASING, few)
