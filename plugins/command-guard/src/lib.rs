//! Refuses destructive shell and git commands before they run.
