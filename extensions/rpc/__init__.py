"""JSON-RPC 2.0 with a child process: one message on each line of its stdin and stdout."""
