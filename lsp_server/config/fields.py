"""One field of a settings class from raw JSON: its type, converter and validator come from the class itself."""

import operator
from typing import Any, TypeVar

import attrs
from attrs import evolve

from lsp_server.wire.fields import InRange
from search.errors import ConfigError, one_of

S = TypeVar("S", bound=attrs.AttrsInstance)


def replaced(owner: S, path: tuple[str, ...], value: object) -> S:
    """`owner` with the attribute at the end of `path` set.

    Raises:
        ConfigError: the value is invalid; the error's path is relative to the value.
    """
    name, *rest = path
    if rest:
        return evolve(owner, **{name: replaced(getattr(owner, name), tuple(rest), value)})  # type: ignore[misc]  # attrs' plugin wants one class
    typed = structured(type(owner), name, value)
    try:
        return evolve(owner, **{name: typed})  # type: ignore[misc]  # attrs' plugin wants one class
    except ConfigError as error:
        raise ConfigError("", value, error.allowed) from None


def structured(cls: type[attrs.AttrsInstance], name: str, value: object) -> Any:  # noqa: ANN401 a field may be of any type
    """The raw `value` as the type of the field `name` of a settings class, whatever its other fields are.

    Raises:
        ConfigError: the value is invalid; the error's path is relative to the value.
    """
    from lsp_server.wire.decode import structure  # noqa: PLC0415 it imports cattrs, which most commands do not need

    attribute: Any = attrs.fields_dict(attrs.resolve_types(cls))[name]
    typed = structure(attribute.type, value, "")
    convert = attribute.converter
    if convert is not None:
        typed = convert(typed)
    if attribute.validator is None:
        return typed
    try:
        attribute.validator(None, attribute, typed)
    except ConfigError as error:
        raise ConfigError("", value, error.allowed) from None
    except (ValueError, TypeError):
        raise ConfigError("", value, allowed_by(attribute.validator, str(value))) from None
    return typed


def allowed_by(validator: object, given: str = "") -> str:
    """What a validator of a setting allows, in words. For a list of names it suggests the one nearest to `given`.

    >>> allowed_by(attrs.validators.and_(attrs.validators.ge(1), attrs.validators.le(100)))
    '1..100'
    """
    bounds: dict[object, float] = {}
    for part in getattr(validator, "_validators", (validator,)):
        match part:
            case InRange(allowed=allowed):
                return allowed
            case object(options=options):
                return one_of(map(str, options), given)
            case object(validator=of_value):
                return allowed_by(of_value)
            case object(value_validator=of_values):
                return allowed_by(of_values) + " for each"
            case object(compare_func=compare, bound=bound):
                bounds[compare] = bound
            case _:
                pass
    low = bounds.get(operator.ge, bounds.get(operator.gt))
    high = bounds.get(operator.le, bounds.get(operator.lt))
    if low is None and high is None:
        return "another value"
    return f"{'' if low is None else f'{low:g}'}..{'' if high is None else f'{high:g}'}"
