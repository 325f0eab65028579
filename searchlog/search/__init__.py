"""Queries, runs, fusion, filters and providers."""
