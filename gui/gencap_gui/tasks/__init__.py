"""Work as values: a task says what to compute, a function computes it, a worker runs it."""
