"""Raw JSON becomes typed messages, strictly; an error names the field, its value and what is allowed.

pygls would leave a request with ill-typed parameters unanswered, and cattrs alone would turn `"5"` into 5 and a string
into a list of letters. So the parameters of all requests are structured here, those of LSP's own methods too. The
result is a whole value or an error, never a partial value.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args, get_origin

import attrs
from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    Converter,
    IterableValidationNote,
    StructureHandlerNotFoundError,
)
from cattrs.gen import make_dict_structure_fn, override

from lsp_server.wire.fields import camel
from lsp_server.wire.types import Token, WirePosition
from search.errors import ConfigError, one_of

T = TypeVar("T")
Hook = Callable[[object, Any], object]
ALLOWED_BY_LSP = "what the protocol says"


def structure(cls: type[T], raw: object, path: str) -> T:
    """`raw`, found at `path`, as a `cls`: a message or the type of one field.

    Keys that a message does not know are ignored; `unknown_keys` lists them.

    Raises:
        ConfigError: with the path of the first invalid field, or `path` itself when `raw` as a whole is invalid.
    """
    try:
        return _converter().structure(raw, cls)
    except (BaseValidationError, ConfigError) as error:
        raise first_problem(error, path) from None
    except StructureHandlerNotFoundError:
        raise ConfigError(path, raw, "nothing: it cannot be set from outside") from None


def unknown_keys(cls: type[Any], raw: object) -> list[str]:
    """The keys of `raw` for which `cls` has no field, in order."""
    known = {camel(attribute.name) for attribute in attrs.fields(cls)}
    return [str(key) for key in raw if key not in known] if isinstance(raw, Mapping) else []


def first_problem(error: BaseException, path: str) -> ConfigError:
    """The first leaf of a tree of validation errors; its path uses the field names as the sender wrote them."""
    for note in getattr(error, "__notes__", ()):
        match note:
            case AttributeValidationNote(name=name):
                path = f"{path}.{camel(name)}"
            case IterableValidationNote(index=index):
                path = f"{path}[{index}]"
            case _:
                pass
    match error:
        case BaseExceptionGroup(exceptions=(first, *_)):
            return first_problem(first, path)
        case ConfigError():
            return ConfigError(f"{path}.{camel(error.path)}" if error.path else path, error.value, error.allowed)
        case KeyError():
            return ConfigError(path, None, "a value: it is required")
        case _:
            return ConfigError(path, None, ALLOWED_BY_LSP)  # the error's own message speaks of Python's types


def value_at(raw: object, path: str) -> object:
    """The value at a path such as `params.items[0].name`; None where there is no value."""
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        if name:
            raw = raw.get(name) if isinstance(raw, Mapping) else None
        else:
            raw = raw[int(index)] if isinstance(raw, list) and int(index) < len(raw) else None
    return raw


@lru_cache(maxsize=1)
def _converter() -> Converter:
    converter = Converter(detailed_validation=True)
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(bool, _only(bool, "true or false", lambda raw: raw))
    converter.register_structure_hook(int, _whole_number)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook_func(lambda cls: cls == (Token | None), _token)
    converter.register_structure_hook_func(_origin_is(Literal), _one_of)
    converter.register_structure_hook_func(lambda cls: cls == (Any | None), lambda raw, _cls: raw)
    converter.register_structure_hook_factory(_origin_is(tuple, Sequence), lambda cls: _list_of(cls, converter))
    converter.register_structure_hook_factory(_origin_is(Mapping), lambda cls: _mapping_of(cls, converter))
    converter.register_structure_hook_factory(attrs.has, lambda cls: _object(cls, converter))
    converter.register_structure_hook_func(_is_position, lambda raw, cls: _position(cls, converter, raw))
    return converter


def _is_position(cls: Any) -> bool:  # noqa: ANN401 cattrs asks about anything
    """Whether this is LSP's own class, by its name: importing it costs half a second, which the command line saves."""
    return getattr(cls, "__module__", "") == "lsprotocol.types" and cls.__name__ == "Position"


def _position(cls: type[T], converter: Converter, raw: object) -> T:
    """LSP's own class; its validators name neither the field nor the range, so `WirePosition` checks first."""
    checked = converter.structure(raw, WirePosition)
    return cls(checked.line, checked.character)  # type: ignore[call-arg]  # see `_is_position`


def _text(raw: object, cls: type[str]) -> str:
    """A string, or a member of a StrEnum, which is a subclass of str."""
    if cls is str and type(raw) is str:
        return raw
    found = {member.value: member for member in cls} if issubclass(cls, StrEnum) else {}
    if isinstance(raw, str) and raw in found:
        return found[raw]
    raise ConfigError("", raw, one_of(found, raw if isinstance(raw, str) else "") if found else "a string")


def _origin_is(*origins: object) -> Callable[[Any], bool]:
    return lambda cls: get_origin(cls) in origins


def _only(cls: type[object], allowed: str, then: Callable[[Any], object]) -> Hook:
    """A hook that refuses everything except a `cls`, which cattrs alone would convert."""

    def hook(raw: object, _type: object) -> object:
        if type(raw) is cls:
            return then(raw)
        raise ConfigError("", raw, allowed)

    return hook


def _whole_number(raw: object, _cls: type[int]) -> int:
    if type(raw) is int or (isinstance(raw, float) and raw.is_integer()):
        return int(raw)
    raise ConfigError("", raw, "a whole number")


def _number(raw: object, _cls: type[float]) -> float:
    if type(raw) in (int, float):
        try:
            return float(raw)  # type: ignore[arg-type]  # mypy does not narrow by type()
        except OverflowError:
            pass
    raise ConfigError("", raw, "a number")


def _token(raw: object, _cls: type[Token]) -> Token:
    if isinstance(raw, (str, int)) and not isinstance(raw, bool):
        return raw
    raise ConfigError("", raw, "a string or a whole number")


def _one_of(raw: object, cls: type[Any]) -> object:
    if isinstance(raw, str) and raw in get_args(cls):
        return raw
    raise ConfigError("", raw, one_of(get_args(cls), raw if isinstance(raw, str) else ""))


def _list_of(cls: type[Any], converter: Converter) -> Hook:
    items: Any = list[get_args(cls)[0]]  # type: ignore[misc]  # the type of an item is a value here
    return _only(list, "a list", lambda raw: tuple(converter.structure(raw, items)))


def _mapping_of(cls: type[Any], converter: Converter) -> Hook:
    entries: Any = dict[get_args(cls)]  # type: ignore[misc]  # the types of keys and values are values here
    return _only(dict, "an object", lambda raw: converter.structure(raw, entries))


def _object(cls: type[Any], converter: Converter) -> Hook:
    names = {attribute.name: override(rename=camel(attribute.name)) for attribute in attrs.fields(cls)}
    fill = make_dict_structure_fn(cls, converter, **names)  # type: ignore[arg-type]  # overrides by name
    return _only(
        dict, "an object", lambda raw: fill({key: value for key, value in raw.items() if value is not None}, cls)
    )
