"""Which files of options there are, and that each mistake in one is a sentence."""

from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings.config_files import config_files

SOME = "[crawl]\ndelay = 2\n"
WANTED = {"crawl": {"delay": 2}}


def found(folder: Path, given: str | None = None) -> list[tuple[str, str, object]]:
    files = config_files(given, folder / "user.toml", folder)
    return [(file.path.name, file.origin, dict(file.tables)) for file in files]


def test_the_projects_file_comes_before_the_users(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    (tmp_path / "user.toml").write_text("[top]\nn = 3\n")
    assert found(tmp_path) == [("user.toml", "user", {"top": {"n": 3}})]
    (tmp_path / "minicrawl.toml").write_text(SOME)
    assert found(tmp_path) == [("minicrawl.toml", "project", WANTED), ("user.toml", "user", {"top": {"n": 3}})]


def test_a_python_project_has_options_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.ruff]\nline-length = 9\n")
    assert found(tmp_path) == []
    (tmp_path / "pyproject.toml").write_text("[tool.minicrawl.crawl]\ndelay = 2\n")
    assert found(tmp_path) == [("pyproject.toml", "project", WANTED)]
    (file,) = config_files(str(tmp_path / "pyproject.toml"), tmp_path / "none")
    assert (file.origin, file.called("crawl", "delay")) == ("--config", "tool.minicrawl.crawl.delay")


def test_a_file_that_is_named_stands_alone_and_none_is_no_file(tmp_path: Path) -> None:
    for name in ("minicrawl.toml", "user.toml", "other.toml"):
        (tmp_path / name).write_text(SOME)
    assert found(tmp_path, "none") == []
    assert found(tmp_path, str(tmp_path / "other.toml")) == [("other.toml", "--config", WANTED)]


def test_the_mark_that_windows_editors_begin_files_with_is_no_part_of_them(tmp_path: Path) -> None:
    (tmp_path / "minicrawl.toml").write_bytes(b"\xef\xbb\xbf" + SOME.replace("\n", "\r\n").encode())
    assert found(tmp_path) == [("minicrawl.toml", "project", WANTED)]


MISTAKES = {
    "utf-16": (SOME.encode("utf-16"), r"is not UTF-8 text; save it as such$"),
    "latin-1": ("[crawl]\ntopic = 'é'\n".encode("latin-1"), r"is not UTF-8 text"),
    "no table": (b"[crawl\n", r"minicrawl.toml is no TOML: .* line 1, column 7\)$"),
    "a key twice": (b"[crawl]\na = 1\na = 2\n", r"is no TOML: Cannot overwrite a value \(at line 3"),
}


@pytest.mark.parametrize(("content", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_what_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "minicrawl.toml").write_bytes(content)
    with pytest.raises(SettingError, match=sentence) as raised:
        found(tmp_path)
    assert "\n" not in str(raised.value)


def test_two_files_of_one_project_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "minicrawl.toml").write_text("")
    (tmp_path / "pyproject.toml").write_text("[tool.minicrawl]\nstore = 'x.db'\n")
    with pytest.raises(SettingError, match=r"minicrawl.toml and \[tool.minicrawl\] of .*pyproject.toml both have"):
        found(tmp_path)


def test_a_file_that_is_none_and_a_table_that_is_none_are_told(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"nowhere.toml cannot be read: No such file"):
        found(tmp_path, str(tmp_path / "nowhere.toml"))
    (tmp_path / "pyproject.toml").write_text("[tool]\nminicrawl = 'fast'\n")
    with pytest.raises(SettingError, match=r"tool.minicrawl is a table of options, not 'fast'"):
        found(tmp_path)
    (tmp_path / "minicrawl.toml").mkdir()
    with pytest.raises(SettingError, match=r"minicrawl.toml cannot be read: Is a directory"):
        found(tmp_path)
