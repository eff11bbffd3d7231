"""One job by several systems, one process and one thread each: ``python -m benchmarks JOB`` from the root."""
