"""How a machine is chosen."""
