"""`Record` and `Mutable`, the bases of value types, which cost next to nothing to import.

Each command is a process of its own, and the standard decorator compiles six methods for every
class that is imported, called or not: .6 to 1.0 ms a class on CPython 3.11, a third of the CPU time
of a recall. Here all classes share one set of methods, and the first instance of a class compiles
its `__init__`. `dataclasses.fields`, `replace` and `asdict` work as ever.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, field
from datetime import date, time
from enum import StrEnum
from pathlib import PurePath
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform, get_type_hints

_UNSET = object()
"""Stands in a signature for a default that a factory makes."""
_ToDict = Callable[[Any], dict[str, Any]]


class _Fields:
    """Stands for `__dataclass_fields__` until they are asked for."""

    def __init__(self, declared: dict[str, Any]) -> None:
        self.declared = declared

    def __get__(self, instance: object, owner: Any) -> Any:
        plain = type(owner.__name__, (), self.declared | {"__doc__": "Fields alone."})
        made: Any = dataclasses.dataclass(plain, init=False, repr=False, eq=False)
        owner.__dataclass_fields__ = made.__dataclass_fields__
        return owner.__dataclass_fields__


def _compiled_init(cls: Any) -> Any:
    """`__init__` as the standard decorator would write it, in a third of the time: a frozen
    instance is filled while it is of a class with the same slots whose fields may be set."""
    declared, names = cls._declared, {"_set": object.__setattr__, "_unset": _UNSET}
    parameters, body = ["self"], []
    is_frozen = issubclass(cls, Record)
    if is_frozen:
        plain = {name: vars(object)[name] for name in ("__setattr__", "__delattr__")}
        kept = {k: declared[k] for k in ("__annotations__", "__orig_bases__") if k in declared}
        names["Open"] = type(cls)(cls.__name__, cls.__bases__, kept | plain)
        body += ["Own = self.__class__", "_set(self, '__class__', Open)"]
    for name in declared.get("__annotations__", ()):
        made = declared.get(name, dataclasses.MISSING)
        if not isinstance(made, Field):
            made = field(default=made)
        value = name
        if made.default_factory is not dataclasses.MISSING:
            names[f"_{name}"] = made.default_factory
            parameters += [f"{name}=_unset"] if made.init else []
            value = f"_{name}() if {name} is _unset else {name}" if made.init else f"_{name}()"
        elif made.default is not dataclasses.MISSING:
            names[f"_{name}"] = made.default
            parameters += [f"{name}=_{name}"] if made.init else []
            value = name if made.init else f"_{name}"
        elif made.init:
            parameters.append(name)
        else:
            continue  # `__post_init__` sets it
        body.append(f"self.{name} = {value}")
    body += ["self.__class__ = Own"] if is_frozen else []
    if "__post_init__" in declared:
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"]), names)
    return names["__init__"]


class _RecordType(type):
    """Gives a class slots for the fields that it lists."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], body: dict[str, Any], *, order: bool = False
    ) -> _RecordType:
        names = tuple(body.get("__annotations__", ()))
        if names and any(hasattr(base, "_declared") for base in bases):
            raise TypeError(f"{name} cannot add fields to those of {bases[0].__name__}")
        made = {key: value for key, value in body.items() if key not in names}
        made["__slots__"] = names
        if names:
            compared = [each for each in names if getattr(body.get(each), "compare", True)]
            in_init = [each for each in names if getattr(body.get(each), "init", True)]
            declared = {key: value for key, value in body.items() if key != "__classcell__"}
            made |= {"_declared": declared, "__dataclass_fields__": _Fields(declared)}
            made |= {"_key": operator.attrgetter(*compared), "__match_args__": tuple(in_init)}
        return super().__new__(mcls, name, bases, made | (_ORDERING if order else {}))


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    compare = getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(self._key(self), self._key(other))

    return method


_ORDERING = {f"__{name}__": _comparison(name) for name in ("lt", "le", "gt", "ge")}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _FrozenType(_RecordType):
    """Of classes whose fields stay as they were made."""


@dataclass_transform(field_specifiers=(field,))
class _MutableType(_RecordType):
    """Of classes whose fields may change."""


class _Methods(metaclass=_RecordType):
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __eq__ = _comparison("eq")

        def __init__(self, *args, **keywords):
            """Compile the class's own `__init__`, put it in this one's place and call it."""
            cls = next(each for each in type(self).__mro__ if "_declared" in vars(each))
            cls.__init__ = _compiled_init(cls)
            cls.__init__(self, *args, **keywords)

        def __repr__(self):
            values = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
            return f"{type(self).__qualname__}({', '.join(values)})"

        def __getstate__(self):
            return [getattr(self, name) for name in self.__slots__]

        def __setstate__(self, state):
            for name, value in zip(self.__slots__, state, strict=True):
                object.__setattr__(self, name, value)


class Record(_Methods, metaclass=_FrozenType):
    """A frozen value with slots; a subclass lists its fields as a dataclass does."""

    if not TYPE_CHECKING:

        def __hash__(self):
            return hash(self._key(self))

        def __setattr__(self, name, value):
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name):
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def to_dict(self) -> dict[str, Any]:
        """The record as a JSON object of its fields."""
        return record_to_dict(self)

    def json_value(self) -> Any:
        """What stands for it inside the JSON of another record."""
        return self.to_dict()

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """The record of which `to_dict`, `dataclasses.asdict` or pydantic wrote `given`.

        What `given` does not carry is the field's default, or `None` where it has none.
        """
        return cls(**_fields_of(cls, given))


class Mutable(_Methods, metaclass=_MutableType):
    """A value with slots whose fields may change; a subclass lists them as a dataclass does."""


def as_json(value: Any) -> Any:
    """A value as every JSON envelope carries it: days in ISO 8601, citations and paths as text,
    records as objects, numbers to four digits."""
    if isinstance(value, str | int | None):
        return value.value if isinstance(value, StrEnum) else value
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    if isinstance(value, Mapping):
        return {key: as_json(each) for key, each in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if isinstance(value, PurePath):
        return str(value)
    return value.json_value() if isinstance(value, Record) else value.to_dict()


def record_to_dict(record: Any) -> dict[str, Any]:
    """A record as a JSON object of its fields."""
    return {name: as_json(getattr(record, name)) for name in record.__slots__}


def written_as(**names: str) -> Callable[[_ToDict], _ToDict]:
    """Tell `from_dict` where a `to_dict` puts fields: under another name, in another object
    (`index.fresh`), or among the record's own keys (an empty name)."""

    def tell(to_dict: _ToDict) -> _ToDict:
        vars(to_dict)["names"] = names
        return to_dict

    return tell


def record_to_dict_with(
    *, empty_as_null: Sequence[str] = (), left_out: Sequence[str] = (), **renamed: str
) -> Callable[[Any], dict[str, Any]]:
    """`record_to_dict` without some fields, and with other names for some, `index.fresh` for a
    place in another object; a text among `empty_as_null` is `null` where it is empty."""

    @written_as(**renamed)
    def to_dict(record: Any) -> dict[str, Any]:
        told: dict[str, Any] = {}
        for name in record.__slots__:
            *table, key = renamed.get(name, name).split(".")
            if name not in left_out:
                value = as_json(getattr(record, name))
                target = told.setdefault(table[0], {}) if table else told
                target[key] = value or None if key in empty_as_null else value
        return told

    return to_dict


def _fields_of(form: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    types, names = get_type_hints(form), getattr(form.to_dict, "names", {})
    values: dict[str, Any] = {}
    for each in dataclasses.fields(form):
        place = each.name if each.name in given else names.get(each.name, each.name)
        found = dig(given, *place.split(".")) if place else given
        if found is not None or place in given:
            values[each.name] = _read(types[each.name], found)
        elif each.default is each.default_factory:  # there is neither
            values[each.name] = None
    return values


def _read(form: Any, given: Any) -> Any:
    """A value of a type, from what was written of it."""
    origin, inner = getattr(form, "__origin__", None), getattr(form, "__args__", (Any, ...))
    if given is None:
        return "" if form is str else None
    if isinstance(form, UnionType):  # `X | None`
        return _read(inner[0], given)
    if origin is tuple and inner[1] is ...:
        return tuple(_read(inner[0], each) for each in given)
    if origin is tuple:  # a row; as an object, it has the keys of its record among its own
        row = list(given.values()) if isinstance(given, Mapping) else given
        return tuple(
            _read(each, given if row is not given and hasattr(each, "from_dict") else told)
            for each, told in zip(inner, row, strict=False)
        )
    if origin is not None:  # a mapping
        return {key: _read(inner[1], each) for key, each in given.items()}
    if form is Any or isinstance(given, form):
        return given
    if issubclass(form, Record) and not isinstance(given, Mapping):  # a citation; else a name
        if hasattr(form, "parse"):
            return form.parse(given)
        return form.from_dict({"name": given}) if "name" in form.__slots__ else None
    if issubclass(form, Record):
        return form.from_dict(given)
    return form.fromisoformat(given) if hasattr(form, "fromisoformat") else form(given)


def dig(value: Any, *path: str | int) -> Any:
    """What stands at a place in JSON of somebody else's; `None` where it is not of that shape."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and key < len(value):
            value = value[key]
        else:
            return None
    return value
