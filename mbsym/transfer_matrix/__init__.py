"""The discrete time transfer matrix method: elements, closed forms, stepping code."""
