"""The command line's entry: light, so that Ctrl-C in the first moments, while the rest is loaded, is no traceback, and
that what a server of the workspace does needs nothing else.
"""

import sys

INTERRUPTED = 130


def main() -> None:
    """Have a server of the workspace do the command, or else load the command line and run it."""
    try:
        from answerable.cli.local import done

        code = done(sys.argv[1:])
        if code is not None:
            raise SystemExit(code)
        from answerable.cli.main import main as command
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    command()


if __name__ == "__main__":
    main()
