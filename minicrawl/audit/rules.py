"""Rules of an audit: rows of a TOML file, each with a query that finds the faults.

A finding is about a target, mostly a page, once; its sources are counted. Errors come before warnings and notices, and
among these first what has most importance at stake.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path

from minicrawl.errors import SettingError, counted
from minicrawl.parts import parts

_FILE = Path(__file__).with_name("rules.toml")
SHIPPED = {"seo": Path(__file__).with_name("seo.toml")}
"""Further files of rules, by the names under which `audit --rules` takes them."""


class Severity(StrEnum):
    """The gravest first."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Need(StrEnum):
    """What a rule needs of a store beside its pages and links; the value tells a user how to get it."""

    NOTHING = ""
    FINISHED = "a crawl with no page left to fetch"
    FACTS = "minicrawl crawl --profile audit"
    FILES = "minicrawl crawl --profile audit, which fetches the files that pages need"


class _Number(int):
    """A number in a clause."""

    def __format__(self, forms: str) -> str:
        """ "3 pages link" for "# page links|# pages link"."""
        one, several = forms.split("|")
        return (one if self == 1 else several).replace("#", f"{int(self):,}")


@dataclass(frozen=True)
class Rule:
    """A rule of the audit. why, how: a sentence each, on the harm and the way to mend. says: what was found, in a
    clause with the numbers of targets and of pages concerned, each with a form for one and for several:
    "{pages:# page links|# pages link} to {targets:# that is missing|# that are missing}".

    select: a query for faults, with up to four columns: the target, which is the number of a page or the text of
    another target, such as a host; a detail; the number of a page concerned, such as one that links to the target, one
    a row; and the importance at stake, else that of the target, or of the pages concerned if the target is none.

    detail: "text" if the detail is a text that the pages have in common, such as a title.

    instead_of: rules of pages, which leave out those of this one: it says why they have that fault.
    """

    name: str
    select: str
    why: str = ""
    how: str = ""
    severity: Severity = Severity.WARNING
    subject: str = "own"
    needs: Need = Need.NOTHING
    says: str = ""
    detail: str = ""
    instead_of: Sequence[str] = ()

    def found(self, targets: int, pages: int) -> str:
        """What was found, in a clause."""
        if not self.says:
            return f"{counted(targets, 'target')} of the rule {self.name}"
        return self.says.format(targets=_Number(targets), pages=_Number(pages))

    @property
    def gravity(self) -> int:
        """0 for an error; more for what matters less, and less for seeds, because nothing behind one was audited."""
        return list(Severity).index(self.severity) - (self.subject == "seeds")


_CHOICES: Mapping[str, type[Severity] | type[Need]] = {"severity": Severity, "needs": Need}
_FIELDS = ("select", "says", "why", "how", "subject", "detail", *_CHOICES)


def rules_of(tables: Mapping[str, object], place: str) -> dict[str, Rule]:
    """Rules by name, as a TOML file has them. place: of the tables, for errors. Raises SettingError."""
    return {name: _rule(name, table, f"{place}{name}") for name, table in tables.items()}


def rules_in(name: str) -> dict[str, Rule]:
    """The rules of a file, or of one that comes with minicrawl. Raises SettingError."""
    try:
        tables = tomllib.loads(SHIPPED.get(name, Path(name)).read_text("utf-8"))
    except OSError as error:
        way = f"it takes {', '.join(SHIPPED)} or a TOML file; without a value, it lists all rules"
        raise SettingError(f"--rules {name} cannot be read: {error.strerror}; {way}") from error
    except ValueError as error:
        raise SettingError(f"--rules {name} is not TOML: {error}; it must have a table for each rule") from error
    return rules_of(tables, f"{name}: ")


def _rule(name: str, table: object, place: str) -> Rule:
    if not isinstance(table, dict) or "select" not in table:
        raise SettingError(f"{place} is not a rule: a rule has a select, which is a query for what is wrong")
    for key, value in table.items():
        words = [each.name.lower() for each in _CHOICES.get(key, ())]
        if key not in _FIELDS:
            raise SettingError(f"{place}: a rule has no {key!r}; it has {', '.join(_FIELDS)}")
        if not isinstance(value, str) or (words and value not in words):
            raise SettingError(f"{place}.{key} is not {' or '.join(words) if words else 'a text'}: {value!r}")
    chosen = {key: kind[table[key].upper()] for key, kind in _CHOICES.items() if key in table}
    rule = Rule(name, **table | chosen)
    try:
        rule.found(1, 2)
    except (ValueError, LookupError, AttributeError) as error:
        raise SettingError(
            f"{place}.says cannot be used: {rule.says!r}; it has {{targets:...}} and {{pages:...}}, each with a form "
            'for one and for several: "{targets:# page has|# pages have} no title"'
        ) from error
    return rule


def check_name(name: str, names: Iterable[str], place: str) -> None:
    """Raise SettingError if no rule has this name. place: where it was given."""
    known = list(names)
    if name not in known:
        close = get_close_matches(name, known, 3, 0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else "'minicrawl audit --rules' lists them"
        raise SettingError(f"{place}: there is no rule {name!r}; {hint}")


def with_reasons(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """Rules of which those that others give the reason of leave out the pages of these."""
    reasons = {name: each for each in rules.values() for name in each.instead_of}
    left = "SELECT * FROM ({}) WHERE id NOT IN ({})"
    return dict(rules) | {
        name: replace(rules[name], select=left.format(rules[name].select, reason.select))
        for name, reason in reasons.items()
    }


RULES: Mapping[str, Rule] = with_reasons(
    rules_of(tomllib.loads(_FILE.read_text("utf-8")), f"{_FILE.name}: ")
    | {each.name: each for part in parts() for each in part.rules()}
)
"""All rules by name, in the order in which `audit --rules` lists them."""
