"""Text to tree, by lark grammars; one module imports lark."""
