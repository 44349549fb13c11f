"""Checkpoints as upstream's training scripts save them, turned into folders that sentence-transformers loads."""
