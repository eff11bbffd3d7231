"""What is maximised: scores of held-out decision values."""
