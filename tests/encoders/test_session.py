from __future__ import annotations

import time

import numpy as np

from answerable.encoders.choose import SHIPPED
from answerable.encoders.session import Feed, Session

MODEL = SHIPPED / "reader" / "model.onnx"


def feed(words: int) -> Feed:
    ids = np.arange(2000, 2000 + words)[None]
    return {"ids": ids, "types": np.zeros_like(ids), "mask": np.ones_like(ids)}


def test_batches_side_by_side_give_what_each_gives_alone() -> None:
    session, feeds = Session(MODEL, threads=3), [feed(words) for words in (4, 9, 2, 30)]
    for one, together in zip(feeds, session.run_all(feeds), strict=True):
        np.testing.assert_array_equal(session.run(one)[0], together[0])
    assert session.run_all([]) == []


def test_a_session_at_rest_takes_no_processor_time() -> None:
    session = Session(MODEL)
    session.run_all([feed(40), feed(50)])
    before = time.process_time()
    time.sleep(0.2)
    assert time.process_time() - before < 0.1
