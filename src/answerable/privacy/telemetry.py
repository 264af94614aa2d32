"""What other packages would tell their makers: switched off here, before any of them is imported.

`import answerable` calls `switch_off`. A process that is started inherits the variables, and one that does not (an
actor of a Ray cluster) imports this package, and so sets them, before it opens a model.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping

OFF: Mapping[str, tuple[str, str]] = {
    "ORT_DISABLE_TELEMETRY": (
        "1",
        "onnxruntime keeps an id of the device and a database below the user's cache folder, and sends names of models,"
        " messages of errors, and counts and durations of runs, which can depend on private text",
    ),
    "HF_HUB_DISABLE_TELEMETRY": ("1", "huggingface_hub adds to its requests what is installed and who calls"),
    "DISABLE_SAFETENSORS_CONVERSION": ("1", "transformers asks a host to convert a model of the Hub that was opened"),
    "RAY_USAGE_STATS_ENABLED": ("0", "ray reports what a cluster is made of and what it is used for"),
    "DO_NOT_TRACK": ("1", "the wish that many programs heed, for what is not known here"),
}
"""Variables of the environment, what each is set to, and what would happen without it."""

_TRUE = ("1", "true", "yes", "on")
_late = False


def switch_off() -> None:
    """Set all of `OFF`, whatever they were. Warns where onnxruntime was imported before without its variable.

    It reads the variable once, when it is imported. Then only what it sends about runs can still be stopped.
    """
    global _late
    told = os.environ.get("ORT_DISABLE_TELEMETRY", "").strip().lower() in _TRUE
    os.environ.update({name: value for name, (value, _) in OFF.items()})
    runtime = sys.modules.get("onnxruntime")
    if runtime and not told:
        _late = True
        runtime.disable_telemetry_events()
        warnings.warn(f"{problem()}", RuntimeWarning, stacklevel=3)


def problem() -> str | None:
    """What is not switched off in this process and how to mend it, as a sentence; None where all is."""
    if _late:
        return (
            "onnxruntime was imported before answerable and may have told its maker that it started; its further events"
            " are switched off (import answerable first, or set ORT_DISABLE_TELEMETRY=1)"
        )
    wrong = [f"{name}={value}" for name, (value, _) in OFF.items() if os.environ.get(name) != value]
    return f"changed after answerable was imported; set {' '.join(wrong)}" if wrong else None
