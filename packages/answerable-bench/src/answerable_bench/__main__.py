"""`python -m answerable_bench`."""

from answerable_bench.cli.main import main

if __name__ == "__main__":
    main()
