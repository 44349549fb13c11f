"""DPR and ColBERT as sentence-transformers models, whole or with prefixes: what is trained, converted and loaded."""
