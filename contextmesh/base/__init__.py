"""What every layer stands on: errors as values, places in text, canonical bytes, ids, limits of reading."""
