"""What options and messages share: the name of a field on the wire, and validators of its value.

Apart from `types`, so that a command that reads no message creates no class of a message. Imports no message class.
"""

from typing import Any

from attrs import frozen

from search.errors import ConfigError


def camel(name: str) -> str:
    """The wire's name of a field.

    >>> camel("max_results")
    'maxResults'
    """
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


@frozen
class InRange:
    """A validator: the value is absent or lies in a closed range. NaN lies in no range."""

    low: float
    high: float

    def __call__(self, _owner: object, attribute: Any, value: Any) -> None:  # noqa: ANN401 attrs' signature
        """Raise ConfigError with the attribute's own name."""
        if value is not None and not self.low <= value <= self.high:
            raise ConfigError(attribute.name, value, self.allowed)

    @property
    def allowed(self) -> str:
        """The range in words."""
        return "..".join(f"{end:g}" if end % 1 else f"{end:.0f}" for end in (self.low, self.high))


@frozen
class UpTo:
    """A validator: a list of at most `n_items`."""

    n_items: int

    def __call__(self, _owner: object, attribute: Any, value: tuple[object, ...]) -> None:  # noqa: ANN401 attrs' signature
        """Raise ConfigError with the attribute's own name."""
        if len(value) > self.n_items:
            raise ConfigError(attribute.name, f"{len(value)} items", f"at most {self.n_items} items")
