"""The command line: the same engine as in editors, for terminals and scripts."""
