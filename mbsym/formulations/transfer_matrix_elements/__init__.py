"""The element library of the discrete time transfer matrix method, and the integration schemes that it rests on.

Source: Li Chunming, Rui Xiaoting, Validating on the transfer matrix method of multibody system without considering
constraint violation correction, 2005; X. Rui, B. He, Y. Lu, W. Lu, G. Wang, Discrete time transfer matrix method for
multibody system dynamics, Multibody System Dynamics 14, 2005.
"""
