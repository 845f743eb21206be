"""``python -m abcd_index``."""

from abcd_index.cli import main

if __name__ == "__main__":
    main()
