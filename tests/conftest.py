"""Puts this folder on the path, so that tests of one folder can use the generators and evaluators of another."""
