"""Makes a command's options from the pydantic model of its order."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Annotated, Any, get_args, get_origin

import annotated_types
import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from pitwall.core.errors import PitwallError
from pitwall.core.validation import first_fault
from pitwall.link.orders import Order, extras, option_name


def order_command(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of its parameter `order`; its other parameters stay.

    @order_command
    def train(order: TrainingOrder, data: DataOption = None, json: JsonOption = False) -> None: ...
    """
    signature = inspect.signature(command, eval_str=True)
    model: type[Order] = signature.parameters["order"].annotation
    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        if parameter.name == "order":
            parameters += _parameters(model)
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def run(**given: Any) -> None:
        parts = {key: given.pop(key, None) for key in model.model_fields}
        try:
            order = model(**{key: value for key, value in parts.items() if value is not None})
        except ValidationError as error:
            key, problem = first_fault(error)
            info = model.model_fields.get(key.partition(".")[0])
            name = option_name(key, info) if info is not None else "the order"
            raise PitwallError(f"{name}: {problem}.", "See the command's --help.") from None
        command(order=order, **given)

    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


def _parameters(model: type[Order]) -> Iterator[inspect.Parameter]:
    for key, info in model.model_fields.items():
        several = get_origin(info.annotation) is tuple
        plain = list[get_args(info.annotation)[0]] | None if several else info.annotation  # type: ignore[misc]
        default = inspect.Parameter.empty if info.is_required() else None if several else info.default
        yield inspect.Parameter(
            key,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[plain, _typer_parameter(info)],
        )


def _typer_parameter(info: FieldInfo) -> Any:
    """Return the option or argument of a field, with its help and bounds."""
    shown: dict[str, Any] = {"help": info.description, "metavar": extras(info)["metavar"] or None}
    for rule in info.metadata:
        if isinstance(rule, annotated_types.Ge):
            shown["min"] = rule.ge
        elif isinstance(rule, annotated_types.Le):
            shown["max"] = rule.le
    if extras(info)["argument"]:
        return typer.Argument(**shown)
    return typer.Option(*extras(info)["flags"], **shown)
