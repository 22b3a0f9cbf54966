"""Formats of others, in and out: what is read here is untrusted, and what is written can be read back or looked at."""
