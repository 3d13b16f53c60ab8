"""The kinds of values a key may hold."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def refuse_bool(value: Any) -> Any:
    """pydantic reads true as 1; in a configuration that is a slip."""
    if isinstance(value, bool):
        raise ValueError("a number is expected here")
    return value


def strategy_word(value: Any) -> Any:
    """YAML reads a bare `no` as false."""
    return "no" if value is False else value


def reporter_names(value: Any) -> Any:
    """One name stands for a list of one; none for an empty list."""
    return () if value == "none" else (value,) if isinstance(value, str) else value


Number = Annotated[float, BeforeValidator(refuse_bool)]
Whole = Annotated[int, BeforeValidator(refuse_bool), Field(ge=0)]
Count = Annotated[int, BeforeValidator(refuse_bool), Field(ge=1)]
Limit = Annotated[int, BeforeValidator(refuse_bool), Field(ge=-1)]
Share = Annotated[float, BeforeValidator(refuse_bool), Field(ge=0, le=1)]
Text = Annotated[str, Field(min_length=1)]
Strategy = Annotated[Literal["no", "steps", "epoch"], BeforeValidator(strategy_word)]
Reporters = Annotated[tuple[Literal["tensorboard", "wandb", "mlflow"], ...], BeforeValidator(reporter_names)]
