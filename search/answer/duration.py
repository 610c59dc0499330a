"""Durations for people, who decide whether to wait."""

_UNITS = ((7200.0, 3600.0, "h"), (120.0, 60.0, "min"))  # used from this many seconds; seconds of the unit; its name


def in_words(seconds: float) -> str:
    """Rounded to whole seconds; to minutes from two minutes, to hours from two hours; never 0.

    >>> in_words(0.2), in_words(119), in_words(200), in_words(51252)
    ('1 s', '119 s', '3 min', '14 h')
    """
    for least, unit, name in _UNITS:
        if seconds >= least:
            return f"{seconds / unit:.0f} {name}"
    return f"{max(1.0, seconds):.0f} s"
