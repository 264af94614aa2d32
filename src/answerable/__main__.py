"""The command line's entry: light, so that Ctrl-C in the first moments, while the rest is loaded, is no traceback."""

INTERRUPTED = 130


def main() -> None:
    """Load the command line and run it."""
    try:
        from answerable.cli.main import main as command
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    command()


if __name__ == "__main__":
    main()
