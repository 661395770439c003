"""Mechanisms and single steps that only tests and benchmarks need."""
