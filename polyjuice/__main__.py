"""``python -m polyjuice``."""

from polyjuice.cli import main

main()
