"""This engine with its own encoder of skills, which it ships beside the one that all others have."""

from __future__ import annotations

import with_answerable


class Peer(with_answerable.Peer):
    """The same, with another encoder."""

    encoder = "skills"
