"""Groups of options: a command gets the fields of a dataclass as options, and its function gets one record of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

_Group = TypeVar("_Group")


def takes(
    parameter: str, group: type[_Group], made: Callable[[_Group], object] = lambda record: record
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of ``group`` as its last options.

    The function gets what ``made`` returns for the record of their values, as its argument ``parameter``.
    """
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=getattr(group, name), annotation=hint)
        for name, hint in get_type_hints(group, include_extras=True).items()
    ]

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**values: Any) -> None:
            record = group(**{option.name: values.pop(option.name) for option in options})
            command(**values, **{parameter: made(record)})

        own = inspect.signature(command, eval_str=True)
        others = [one for one in own.parameters.values() if one.name != parameter]
        vars(run)["__signature__"] = signature = own.replace(parameters=[*others, *options])
        run.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
        return run

    return with_options
