"""Plugins: programs of their own that add tools, commands, hooks, widgets and providers."""
