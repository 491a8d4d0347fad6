//! Where the text of a transform stands: the first text wins, and chaining handlers work on the text so far.

/// The text of a transform, as its handlers answer one after the other. `B` says whose word a text is.
#[derive(Clone, Debug)]
pub struct Transformed<B> {
    so_far: Option<(String, B)>,
    /// What handlers see that do not chain: the original, or what the last chaining one made of it.
    shown: Option<String>,
    /// A handler that does not chain has had its say: of those, the first one wins.
    taken: bool,
}

impl<B> Default for Transformed<B> {
    fn default() -> Self {
        Self {
            so_far: None,
            shown: None,
            taken: false,
        }
    }
}

impl<B> Transformed<B> {
    /// What the next handler sees in place of the original, if anything.
    #[must_use]
    pub fn sees(&self, chains: bool) -> Option<&str> {
        if chains {
            self.so_far.as_ref().map(|(text, _)| text.as_str())
        } else {
            self.shown.as_deref()
        }
    }

    /// Takes a text that the hook accepts; false when it does not count, since an earlier one won.
    pub fn answer(&mut self, text: &str, by: B, chains: bool) -> bool {
        if !chains && std::mem::replace(&mut self.taken, true) {
            return false;
        }
        if chains {
            self.shown = Some(text.to_owned());
        }
        self.so_far = Some((text.to_owned(), by));
        true
    }

    /// What it came to, and whose word that is.
    #[must_use]
    pub fn so_far(&self) -> Option<(&str, &B)> {
        self.so_far.as_ref().map(|(text, by)| (text.as_str(), by))
    }
}

#[cfg(test)]
mod tests {
    use super::Transformed;

    /// Handlers answer in turn; each is `+` when it chains, and gives what it sees with its name appended.
    #[track_caller]
    fn check(handlers: &[&str], seen: &[&str], end: Option<&str>) {
        let mut text = Transformed::default();
        for (handler, seen) in handlers.iter().zip(seen) {
            let chains = handler.starts_with('+');
            let sees = text.sees(chains).unwrap_or("o").to_owned();
            assert_eq!(sees, *seen, "{handler} of {handlers:?}");
            text.answer(&format!("{sees}{handler}"), *handler, chains);
        }
        assert_eq!(text.so_far().map(|(text, _)| text), end, "{handlers:?}");
    }

    #[test]
    fn the_first_wins_and_chaining_ones_go_on() {
        check(&[], &[], None);
        check(&["a", "b"], &["o", "o"], Some("oa"));
        check(&["+a", "+b"], &["o", "o+a"], Some("o+a+b"));
        check(&["a", "+b"], &["o", "oa"], Some("oa+b"));
        check(&["+a", "b", "c"], &["o", "o+a", "o+a"], Some("o+ab"));
        check(&["a", "+b", "c"], &["o", "oa", "oa+b"], Some("oa+b"));
    }
}
