"""Which of the user's headers go with a request: not every host is to know who we are.

A header whose name says that it is secret (Authorization, Cookie, ...) goes to the origins of the seeds, where the user
has sent us; any other to everybody. One that is for some host goes there alone: to which of its origins, if it is
secret, says logins/places.py.
"""

from collections.abc import Iterable, Sequence, Set

from minicrawl.crawler.http.logins.places import Place
from minicrawl.crawler.http.transport import Field
from minicrawl.settings import Header


class Headers:
    """The headers of a crawl. seed_origins: scheme://host[:port] of every seed.

    passwords: of these the first that is for an origin goes there, unless the user gives that header otherwise.
    """

    def __init__(self, headers: Sequence[Header], seed_origins: Set[str], passwords: Sequence[Header] = ()) -> None:
        """Raises SettingError for a host that is none."""
        self._headers = [(header, _place(header, "--header")) for header in headers]
        self._passwords = [(header, _place(header, "--auth")) for header in passwords]
        self._seed_origins = seed_origins

    def going_to(self, origin: str) -> list[tuple[str, str]]:
        """Names and values of the headers for an origin, scheme://host[:port], in the order they were given."""
        going = [header for header, place in self._headers if self._goes(header, place, origin)]
        names = {header.name.lower() for header in going}
        fitting = (header for header, place in self._passwords if self._goes(header, place, origin))
        password = next(fitting, None)
        if password is not None and password.name.lower() not in names:
            going.append(password)
        return [(header.name, header.value) for header in going]

    def _goes(self, header: Header, place: Place | None, origin: str) -> bool:
        if place is None:
            return not header.is_secret or origin in self._seed_origins
        return place.may_have_secrets(origin, self._seed_origins) if header.is_secret else place.has(origin)


def _place(header: Header, option: str) -> Place | None:
    return Place(header.host, option) if header.host is not None else None


def as_fields(headers: Iterable[tuple[str, str]]) -> tuple[Field, ...]:
    """Headers as they are sent, a byte for each character."""
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers)


def replaced(fields: Sequence[Field], others: Sequence[Field]) -> tuple[Field, ...]:
    """The fields but those that have the name of one of the others, then these."""
    names = {name.lower() for name, _ in others}
    return (*(field for field in fields if field[0].lower() not in names), *others)
