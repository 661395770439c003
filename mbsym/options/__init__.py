"""What can be asked of a generation, what each option may be, and what excludes what."""
