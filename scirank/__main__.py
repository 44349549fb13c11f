"""`python -m scirank`, as torchrun and accelerate start it."""

from .cli import main

if __name__ == "__main__":
    main()
