"""A whole conversation against the stand-ins, shown as it happens and checked afterwards."""
