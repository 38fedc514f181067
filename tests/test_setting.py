"""What a setting may be given as."""

import pytest

from minicrawl.errors import SettingError
from minicrawl.setting import parse_duration, parse_size
from minicrawl.settings import SETTINGS


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30m", 1800), ("1d", 86400), ("1.5h", 5400), ("0", 0), (" 30 m ", 1800), ("2H", 7200), (".5", 0.5)],
)
def test_a_time_is_a_number_with_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-5", "5w", "1h30m", "1e3", "inf", "nan", "1,5h", ".", "5 5", "30min"])
def test_what_is_no_time_is_named(text: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse_duration(text)
    assert str(caught.value) == f"write a time as a number followed by s, m, h or d, such as 30m, not {text!r}"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5000", 5000),
        ("1KB", 1000),
        ("64MiB", 64 * 2**20),
        ("1.5MB", 1500000),
        ("2gb", 2 * 10**9),
        (" 5 KB ", 5000),
        ("0", 0),
    ],
)
def test_a_size_is_a_number_with_a_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-5", "5TB", "5K", "5iB", "1e3", "inf", "1,5MB", "5 5"])
def test_what_is_no_size_is_named(text: str) -> None:
    with pytest.raises(SettingError) as caught:
        parse_size(text)
    assert str(caught.value) == f"write a size as a number followed by B, KB, MB or GB, such as 2GB, not {text!r}"


def test_a_boost_is_divided_at_the_last_equals_sign() -> None:
    ((pattern, factor),) = SETTINGS["boost"].of(r"\?a=b=2.5")
    assert (pattern.pattern, factor) == (r"\?a=b", 2.5)


@pytest.mark.parametrize(("text", "number"), [("10k", 10_000), ("1.5M", 1_500_000), (" 2K ", 2_000), ("7", 7)])
def test_thousands_and_millions_have_letters(text: str, number: int) -> None:
    assert SETTINGS["pages"].of(text) == number


@pytest.mark.parametrize("text", ["k", "1kk", "1.2345k", "5G"])
def test_what_is_no_whole_number_is_named(text: str) -> None:
    with pytest.raises(SettingError, match=f"--pages.* a whole number.*, not {text!r}"):
        SETTINGS["pages"].of(text)
