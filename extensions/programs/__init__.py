"""Stand-alone programs, run by path; they import nothing of ours."""
