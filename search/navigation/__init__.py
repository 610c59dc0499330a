"""What is asked for next to queries: related notes, definitions, references and symbols."""
