"""On the Hugging Face Hub and in its libraries, without an import of ours."""
