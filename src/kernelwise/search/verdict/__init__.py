"""What people are told of a choice: reasons, numbers beside it, and when not to trust it."""
