"""How the claude command is started, spoken to and understood."""
