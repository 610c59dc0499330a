"""Computes the arithmetic of a trail's steps, as a reader of an explanation would."""

import math

import pytest

from search.answer.trail import Found, Fused, Replaced, Scaled, replay

FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "log", "log2", "tanh")} | {"min": min, "max": max}


def assert_arithmetic_is_right(trail):
    """Each step with arithmetic has the number that its formula gives; returns the formulas."""
    formulas = []
    for at, step in enumerate(trail):
        if step.arithmetic is None:
            continue
        match step:
            case Found(raw=stated) | Fused(amount=stated) | Scaled(factor=stated) | Replaced(value=stated):
                pass
        names = {**FUNCTIONS, "score": replay(trail[:at])}
        if isinstance(step, Fused):
            raw = next((s.raw for s in trail if isinstance(s, Found) and s.source == step.source), None)
            names |= {"rank": step.rank, "weight": step.weight, "raw": raw}
        value = eval(step.arithmetic.formula, {"__builtins__": {}}, {**names, **step.arithmetic.numbers})  # noqa: S307 our own formulas
        assert value == pytest.approx(stated, rel=1e-6, abs=1e-11), step
        formulas.append(step.arithmetic.formula)
    return formulas
