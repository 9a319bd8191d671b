"""Questions: buttons, a menu or a form; the first answer wins, and they outlive a restart."""
