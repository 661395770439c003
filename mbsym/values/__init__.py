"""What a value in a model may be, what it stands for, and what is said about a wrong one."""
