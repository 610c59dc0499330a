"""What both sides of the pipe to the child process must know."""

READY = b"ready\n"  # the first line of the child process
ARGUMENT = "parse-attachments-for-parent"  # the only argument of a standalone program that is to be the child process
MAX_LINE = 100  # bytes of the line before a file or an answer
CPU_S = 60  # computing time for one file; 10,000 pages of a book take 20 s
