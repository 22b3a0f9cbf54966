"""What one may say: assume, decide, reject, and what follows."""
