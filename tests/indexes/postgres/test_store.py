"""What only a store in PostgreSQL refuses; all else is `tests/indexes/test_shared_stores.py`."""

from __future__ import annotations

import pytest

from answerable.corpora.store import Store
from answerable.errors import FormatError
from answerable.types import Document
from tests.indexes.samples import passage


def test_the_character_that_stands_for_null_is_refused(store: Store) -> None:
    document = Document("d", "public", "", "last of all \U0010ffff", "d")
    with store.write("public") as transaction, pytest.raises(FormatError, match="last of all"):
        transaction.put(document, [passage(document)])
