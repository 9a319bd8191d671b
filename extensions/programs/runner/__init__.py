"""The stand-alone program that carries out one run; it imports this folder alone."""
