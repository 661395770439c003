"""Forces, energies and momenta as linear functions of what a mechanism's parameters are, and which of these matter."""
