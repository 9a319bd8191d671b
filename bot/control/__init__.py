"""How other processes reach a running bot."""
