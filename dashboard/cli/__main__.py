"""Runs the command line: `python -m dashboard.cli`."""

from dashboard.cli.main import main

if __name__ == "__main__":
    main()
