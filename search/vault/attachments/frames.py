"""What the process that parses attachments and the one that asks it agree on."""

READY = b"ready\n"  # the first line of the child process
MAX_LINE = 100  # bytes of the line before a file or an answer
CPU_S = 60  # computing time for one file; 10,000 pages of a book take 20 s
