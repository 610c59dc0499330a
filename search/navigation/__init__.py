"""Navigation: related notes, definitions, references and symbols."""
