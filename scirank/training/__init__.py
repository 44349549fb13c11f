"""Training DPR and ColBERT on the benchmarks' queries."""
