"""What the packages with a Hugging Face name share: how the name gets known, and datasets of a folder's files.

It knows none of them, and nothing else of `scirank`.
"""
