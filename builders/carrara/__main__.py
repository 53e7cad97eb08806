"""`python -m carrara` is the same as `carrara`."""

from carrara.cli.app import main

if __name__ == "__main__":
    main()
