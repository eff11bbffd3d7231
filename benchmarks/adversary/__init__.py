"""What an adversary would try: broken files, random calls and problems, kills and forks.

``python -m benchmarks.adversary [PART ...] [--long] [--seed 0]``; SECURITY.md has the promises that it tests.
"""
