"""This engine with the weights that all others have."""

from __future__ import annotations

import with_answerable


class Peer(with_answerable.Peer):
    """The same, with another encoder."""

    encoder = "minilm"
