"""The command line: typer and rich live here only."""
