"""What `import answerable` promises: its names, their order, and that importing is cheap."""

import subprocess
import sys

import pytest

import answerable


def test_the_names_are_sorted_and_there():
    assert answerable.__all__ == sorted(answerable.__all__)
    assert 12 <= len(answerable.__all__) <= 21
    for name in answerable.__all__:
        assert getattr(answerable, name).__doc__, name
        assert name in dir(answerable)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="close_everything"):
        answerable.close_everything  # noqa: B018


def test_importing_loads_nothing_heavy():
    program = (
        "import sys, answerable; "
        "print([m for m in ('numpy', 'onnxruntime', 'tokenizers', 'tantivy', 'usearch', 'torch', 'typer', 'sqlite3',"
        " 'socket', 'ssl') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "[]"
