"""OAG-QA, questions that papers answer, as a Hugging Face dataset. Nothing is here yet."""
