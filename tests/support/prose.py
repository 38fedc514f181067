"""Pages of text that nobody has written, to be told apart or not."""

import random

WORDS = [f"{a}{b}{c}" for a in ("al", "ber", "cu", "dor") for b in "aeiou" for c in ("n", "st", "m", "ld", "rk")]


def prose(seed: int, words: int = 300, title: str = "One title") -> str:
    """A page of paragraphs of 30 words each."""
    rng = random.Random(seed)
    said = rng.choices(WORDS, k=words)
    paragraphs = (" ".join(said[start : start + 30]) for start in range(0, words, 30))
    return f"<html><head><title>{title}</title></head><body>{''.join(f'<p>{text}.</p>' for text in paragraphs)}</body>"
