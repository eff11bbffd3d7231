"""What differs between classes, numbers and one class."""
