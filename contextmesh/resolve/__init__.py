"""Names to ids; vectors."""
