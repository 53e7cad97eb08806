"""VerbatimEval: tasks whose answer is as long as their input."""
