"""The engines that hear and speak, each behind one of the interfaces in `protocols`."""
