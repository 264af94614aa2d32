"""Archives as other programs write them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of these files, in this order."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()
