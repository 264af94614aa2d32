"""`answerable pairs ask` over a small workspace with imported pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from answerable.cli.main import app
