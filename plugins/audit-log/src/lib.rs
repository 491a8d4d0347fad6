//! Keeps an append-only, hash-chained record of tool calls.
