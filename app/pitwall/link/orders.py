"""An order for a slow job, declared once: its command's options, its dialog's form and its worker's JSON.

    class TrainingOrder(Order):
        seed: int = order_field(0, "Seed of the training.", ge=0)
        source: str = order_field("", "Version to begin from.", "--from", label="From")

`cli.order_command` turns the model into its command's options, and `console.kit.form.fields.declared_field` a
part of it into a field of a form. `Order.words` writes an order as its command's arguments, `model_dump_json`
as JSON for a worker.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo


class Order(BaseModel):
    """Base of all orders: frozen, and without keys that it does not declare."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def words(self) -> list[str]:
        """Return the arguments and options that give this order to its command, without default values."""
        arguments: list[str] = []
        options: list[str] = []
        for key, info in type(self).model_fields.items():
            value = getattr(self, key)
            if value is None or (not info.is_required() and value == info.get_default()):
                continue
            values = value if isinstance(value, tuple) else (value,)
            if extras(info)["argument"]:
                arguments += map(str, values)
                continue
            yes, _, no = option_name(key, info).partition("/")
            for part in values:
                options += [yes if part else no] if isinstance(part, bool) else [yes, str(part)]
        return [*arguments, *options]


def order_field(
    default: Any, help: str, *flags: str, argument: bool = False, metavar: str = "", **more: Any
) -> Any:
    """Declare a part of an order.

    Args:
        default: `...` for a part that must be given.
        help: one sentence for the command's help and for the form.
        flags: names of the option, the first one preferred; none: the field's own name. A switch that is
            named "--on" has no opposite, one named "--on/--off" has.
        argument: it stands on the command line without a name, in place of an option.
        more: bounds as of `pydantic.Field`; `label`, `unit`: of the form's field.
    """
    extra: dict[str, Any] = {"flags": list(flags), "argument": argument, "metavar": metavar}
    extra |= {key: more.pop(key) for key in ("label", "unit") if key in more}
    return Field(default, description=help, json_schema_extra=extra, **more)


def extras(info: FieldInfo) -> dict[str, Any]:
    """Return what `order_field` declared of a field beside its type, default and bounds."""
    return info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}


def option_name(key: str, info: FieldInfo) -> str:
    """Return the preferred name of a field's option: "--from", or "--on/--off" of a switch."""
    own = f"--{key}/--no-{key}" if info.annotation is bool else f"--{key}"
    return str(next(iter(extras(info)["flags"]), own.replace("_", "-")))
