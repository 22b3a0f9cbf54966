"""Documents to claims, entities and decisions."""
