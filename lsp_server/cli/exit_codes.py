"""What a script learns from a command's exit code."""

FOUND = 0
NOTHING = 1  # the command worked, but found nothing that answers or, for `doctor`, found a problem
ERROR = 2
INTERRUPTED = 130
