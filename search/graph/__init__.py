"""Links between notes, and what follows from them: who links here, who is cited together, who shares tags. Pure."""
