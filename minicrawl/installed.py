"""What brings an extra."""


def adding(extra: str) -> str:
    """The shell command that installs an extra."""
    return f"pip install 'minicrawl[{extra}]>=1'"
