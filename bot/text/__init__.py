"""Turns what a model wrote into messages that read well on Discord."""
