"""`Record`, the base of value types, and `dataclass`, both compiled on first use.

Each command is a process of its own, and the standard decorator compiles six methods for every
class that is imported, called or not: .6 to 1.0 ms a class on CPython 3.11, a third of the CPU time
of a recall. Here importing a class only prepares its slots; the first instance compiles `__init__`,
and the first call of another method has the standard decorator make the rest. What is rarer than
`frozen`, `slots` and `order` goes to the standard decorator at once: no slots, a base class,
`ClassVar` or `InitVar` fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

    def _prepared(declared: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]: ...
else:
    import dataclasses

    _ORDERING = ("__lt__", "__le__", "__gt__", "__ge__")
    _UNSET = object()
    """Stands in a signature for a default that a factory makes."""

    def dataclass(cls=None, /, **options):
        """See `dataclasses.dataclass`."""
        if cls is None:
            return lambda decorated: dataclass(decorated, **options)
        kinds = vars(cls).get("__annotations__", {}).values()
        rare = any(mark in str(kind) for kind in kinds for mark in ("ClassVar", "InitVar"))
        if (
            rare
            or cls.__bases__ != (object,)
            or not options.get("slots")
            or options.keys() - {"frozen", "slots", "order"}
        ):
            return dataclasses.dataclass(**options)(cls)
        declared = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        body = _prepared(declared, options)
        return type(cls.__name__, (), body)

    def _prepared(declared, options):
        """The body of a class with slots, and a stub for each method the decorator would make."""
        names = tuple(declared.get("__annotations__", ()))
        generated = [n for n in ("__init__", "__repr__", "__eq__") if n not in declared]
        generated += _ORDERING if options.get("order") else ()
        body = {name: value for name, value in declared.items() if name not in names}
        body["__slots__"] = names
        body["__match_args__"] = tuple(n for n in names if getattr(declared.get(n), "init", True))
        body["__getstate__"], body["__setstate__"] = _state, _set_state
        if options.get("frozen"):
            body["__setattr__"], body["__delattr__"] = _refuse_to_set, _refuse_to_delete
            generated += ["__hash__"] if declared.get("__hash__") is None else []
        else:
            body.setdefault("__hash__", None)
        body |= {name: _STUBS[name] for name in generated}
        body["__dataclass_fields__"] = _Fields(declared)
        body["__dataclass_params__"] = _Methods(declared, options, generated)
        return body

    class _Fields:
        """Stands for a class's fields until they are asked for; that compiles nothing."""

        def __init__(self, declared):
            self.declared = declared

        def __get__(self, instance, owner):
            plain = type(owner.__name__, (), self.declared | {"__doc__": "Fields alone."})
            made = dataclasses.dataclass(plain, init=False, repr=False, eq=False)
            owner.__dataclass_fields__ = made.__dataclass_fields__
            return made.__dataclass_fields__

    class _Methods:
        """Stands for a class's parameters until they are asked for, and then makes its methods."""

        def __init__(self, declared, options, generated):
            self.declared, self.options, self.generated = declared, options, generated

        def __get__(self, instance, owner):
            plain = type(owner.__name__, (), dict(self.declared))
            made = dataclasses.dataclass(**self.options)(plain)
            for name in (*self.generated, "__dataclass_fields__", "__dataclass_params__"):
                setattr(owner, name, vars(made)[name])
            return made.__dataclass_params__

    def _stub(name):
        def method(self, *args, **keywords):
            cls = type(self)
            cls.__dataclass_params__  # noqa: B018 - asking for them makes the methods
            return getattr(cls, name)(self, *args, **keywords)

        return method

    def _first_init(self, *args, **keywords):
        """Compile `__init__`, put it in this stub's place and call it."""
        cls = type(self)
        pending = vars(cls)["__dataclass_params__"]
        if isinstance(pending, _Methods):  # otherwise another thread was faster
            cls.__init__ = _compiled_init(pending.declared, pending.options.get("frozen", False))
        cls.__init__(self, *args, **keywords)

    def _compiled_init(declared, frozen):
        """`__init__` as the standard decorator would write it."""
        names = {"_set": object.__setattr__, "_unset": _UNSET}
        parameters, body = ["self"], []
        for name in declared.get("__annotations__", ()):
            field = declared.get(name, dataclasses.MISSING)
            if not isinstance(field, dataclasses.Field):
                field = dataclasses.field(default=field)
            value = name
            if field.default_factory is not dataclasses.MISSING:
                names[f"_{name}"] = field.default_factory
                parameters += [f"{name}=_unset"] if field.init else []
                value = f"_{name}() if {name} is _unset else {name}" if field.init else f"_{name}()"
            elif field.default is not dataclasses.MISSING:
                names[f"_{name}"] = field.default
                parameters += [f"{name}=_{name}"] if field.init else []
                value = name if field.init else f"_{name}"
            elif field.init:
                parameters.append(name)
            else:
                continue  # `__post_init__` sets it
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if "__post_init__" in declared:
            body.append("self.__post_init__()")
        source = f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body or ["pass"])
        exec(source, names)
        return names["__init__"]

    _STUBS = {name: _stub(name) for name in ("__repr__", "__eq__", "__hash__", *_ORDERING)}
    _STUBS["__init__"] = _first_init

    def _refuse_to_set(self, name, value):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _state(self):
        return [getattr(self, field.name) for field in dataclasses.fields(self)]

    def _set_state(self, state):
        for field, value in zip(dataclasses.fields(self), state, strict=True):
            object.__setattr__(self, field.name, value)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _RecordType(type):
    def __new__(
        mcls, name: str, bases: tuple[type, ...], body: dict[str, Any], *, order: bool = False
    ) -> _RecordType:
        if not bases:
            return super().__new__(mcls, name, bases, body)
        cell = {key: body.pop(key) for key in ("__classcell__",) if key in body}
        prepared = _prepared(body, {"frozen": True, "slots": True, "order": order})
        return super().__new__(mcls, name, bases, {**prepared, **cell})


class Record(metaclass=_RecordType):
    """A frozen value with slots; a subclass lists its fields as a dataclass does."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self) -> dict[str, Any]:
        """The record as a JSON object of its fields."""
        return record_to_dict(self)

    def json_value(self) -> Any:
        """What stands for it inside the JSON of another record."""
        return self.to_dict()


def as_json(value: Any) -> Any:
    """A value as every JSON envelope carries it: days in ISO 8601, citations as text, records as
    objects, numbers to four digits."""
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
    return value.json_value() if isinstance(value, Record) else value.to_dict()


def record_to_dict(record: Any) -> dict[str, Any]:
    """A record as a JSON object of its fields."""
    return {name: as_json(getattr(record, name)) for name in record.__slots__}


def record_to_dict_with(
    *, empty_as_null: Sequence[str] = (), **renamed: str
) -> Callable[[Any], dict[str, Any]]:
    """`record_to_dict` with other names for some fields; a text among `empty_as_null` is `null`
    where it is empty."""

    def to_dict(record: Any) -> dict[str, Any]:
        fields = {renamed.get(key, key): value for key, value in record_to_dict(record).items()}
        return fields | {key: fields[key] or None for key in empty_as_null}

    return to_dict
