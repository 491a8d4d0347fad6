//! Masks known secrets in results, terminal output and answers.
