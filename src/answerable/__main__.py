"""`python -m answerable`: the command line."""

from answerable.cli.main import main

if __name__ == "__main__":
    main()
