"""The parameters of tools: one declaration makes both the schema that a model sees and the check of its arguments.

An error is one sentence that a model can act on: the parameter, its value, what is allowed.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen

from search.errors import ConfigError, VaultseekError, did_you_mean, one_of, shorten

Value = str | int | tuple[str, ...] | None
MAX_CHARS = 2000  # of a text; the longest questions that people type have a few hundred


@frozen(kw_only=True)
class Parameter:
    """A parameter that is a text; the subclasses are the other kinds. Null means the default unless it is required."""

    name: str
    description: str = ""
    is_required: bool = False  # an empty text is then refused too
    choices: tuple[str, ...] = ()  # the allowed texts, and "" unless it is required; () for any text

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the value."""
        schema: dict[str, object] = {"type": "string"}
        if self.choices:
            schema["enum"] = list(self.choices)
        return self._described(schema)

    @property
    def default(self) -> Value:
        """The value where none is given."""
        return ""

    def check(self, value: object) -> Value:
        """The value, if it is allowed.

        Raises:
            ConfigError: it is not.
        """
        if not isinstance(value, str):
            raise ConfigError(self.name, value, "a text")
        if len(value) > MAX_CHARS:
            allowed = f"a text of at most {MAX_CHARS:,} characters, but this one has {len(value):,}"
            raise ConfigError(self.name, shorten(value, limit=40), allowed)
        if self.is_required and not value.strip():
            raise ConfigError(self.name, value, "a text that is not empty")
        if self.choices and value and value not in self.choices:
            raise ConfigError(self.name, value, one_of(self.choices, value))
        return value

    def _described(self, schema: dict[str, object]) -> dict[str, object]:
        return schema | {"description": self.description} if self.description else schema


@frozen(kw_only=True)
class Number(Parameter):
    """A whole number from `low` to `high`; `usual` if none is given."""

    low: int
    high: int
    usual: int

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the value."""
        schema = {"type": "integer", "minimum": self.low, "maximum": self.high, "default": self.usual}
        return self._described(schema)

    @property
    def default(self) -> Value:
        """The value where none is given."""
        return self.usual

    def check(self, value: object) -> Value:
        """The value, if it is allowed; raises as `Parameter.check`."""
        is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not is_whole or not self.low <= value <= self.high:  # type: ignore[operator]  # a number
            raise ConfigError(self.name, value, f"a whole number from {self.low:,} to {self.high:,}")
        return int(value)  # type: ignore[call-overload,no-any-return]  # a number


@frozen(kw_only=True)
class TextList(Parameter):
    """A list of texts, each as in `Parameter`."""

    max_items: int = 20

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the value."""
        return self._described({"type": "array", "items": {"type": "string"}})

    @property
    def default(self) -> Value:
        """The value where none is given."""
        return ()

    def check(self, value: object) -> Value:
        """The texts that are not blank; raises as `Parameter.check`. A single text counts as a list of one."""
        values = [value] if isinstance(value, str) else value
        if (
            not isinstance(values, list)
            or len(values) > self.max_items
            or not all(isinstance(part, str) for part in values)
        ):
            raise ConfigError(self.name, value, f"a list of at most {self.max_items} texts")
        return tuple(str(super(TextList, self).check(part)) for part in values if part.strip())


@frozen
class Arguments:
    """The checked arguments of a call: a value for each parameter of the tool."""

    values: Mapping[str, Value]

    def text(self, name: str) -> str:
        """The value of a text."""
        return str(self.values[name])

    def number(self, name: str) -> int:
        """The value of a number."""
        value = self.values[name]
        assert isinstance(value, int)  # noqa: S101 - `check` returned it
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """The value of a list."""
        value = self.values[name]
        assert isinstance(value, tuple)  # noqa: S101 - `check` returned it
        return value


def input_schema(parameters: Sequence[Parameter]) -> dict[str, object]:
    """The JSON schema of an object with these parameters."""
    required = [parameter.name for parameter in parameters if parameter.is_required]
    schema: dict[str, object] = {
        "type": "object",
        "properties": {parameter.name: parameter.schema for parameter in parameters},
    }
    return schema | {"required": required} if required else schema


def checked(parameters: Sequence[Parameter], given: Mapping[str, object]) -> Arguments:
    """The arguments of a call, with defaults for those that are absent or null.

    Raises:
        VaultseekError: an argument is unknown, missing or not allowed.
    """
    names = [parameter.name for parameter in parameters]
    for name in given:
        if name not in names:
            near = did_you_mean(name, names) or f"; allowed is {one_of(names)}" if names else "; this tool has none"
            raise VaultseekError(f"there is no argument {shorten(name)}{near}")
    values: dict[str, Value] = {}
    for parameter in parameters:
        value = given.get(parameter.name)
        if value is None and parameter.is_required:
            raise VaultseekError(f"the argument {parameter.name} is missing: {parameter.description or 'a text'}")
        values[parameter.name] = parameter.default if value is None else parameter.check(value)
    return Arguments(values)
