"""Training needs the extra `train`, and so do its tests: without it there are none."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["*"]
