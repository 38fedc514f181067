"""python -m minicrawl"""

from minicrawl.cli import main

main(prog_name="minicrawl")
