"""Functions of many bodies as steps that bodies of one kind share."""
