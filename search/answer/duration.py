"""How long something takes, in the words of a person who decides whether to wait for it."""

_TURNS = ((7200.0, 3600.0, "h"), (120.0, 60.0, "min"))  # from how many seconds on, in seconds of what


def in_words(seconds: float) -> str:
    """Rounded to whole seconds, from two minutes on to minutes, from two hours on to hours; never 0.

    >>> in_words(0.2), in_words(119), in_words(200), in_words(51252)
    ('1 s', '119 s', '3 min', '14 h')
    """
    for least, unit, name in _TURNS:
        if seconds >= least:
            return f"{seconds / unit:.0f} {name}"
    return f"{max(1.0, seconds):.0f} s"
