"""The dashboard: a mesh as one bounded JSON value, a page that shows it, and a server of both on loopback."""
