//! Stretches of text to mask, and how overlapping ones become one.

/// What a mask says: a named value, or a key form. Earlier in order wins where two meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    Value(usize),
    Form(usize),
}

/// A half-open range of bytes, on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) label: Label,
}

impl Span {
    fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// A value beats a form, a longer value a shorter one, an earlier form a later one.
    fn outranks(&self, other: &Self) -> bool {
        match (self.label, other.label) {
            (Label::Value(_), Label::Value(_)) => self.len() > other.len(),
            (mine, theirs) => mine < theirs,
        }
    }
}

/// Sorts the spans and joins those that overlap, so that no byte of any of them is left over.
pub(crate) fn join(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.label));
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    // The span that gave the last joined one its label, at its own size.
    let mut winner: Option<Span> = None;
    for span in spans {
        match (joined.last_mut(), &mut winner) {
            (Some(last), Some(best)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if span.outranks(best) {
                    *best = span;
                    last.label = span.label;
                }
            }
            _ => {
                winner = Some(span);
                joined.push(span);
            }
        }
    }
    joined
}

/// What is left of `spans` outside `kept`; both sorted and free of overlaps.
pub(crate) fn subtract(spans: &[Span], kept: &[(usize, usize)]) -> Vec<Span> {
    let mut left = Vec::with_capacity(spans.len());
    let mut kept = kept.iter().copied().peekable();
    for span in spans {
        let mut start = span.start;
        while let Some(&(from, to)) = kept.peek() {
            if from >= span.end {
                break;
            }
            if from > start {
                left.push(Span {
                    start,
                    end: from,
                    ..*span
                });
            }
            start = start.max(to);
            if to > span.end {
                break;
            }
            kept.next();
        }
        if start < span.end {
            left.push(Span { start, ..*span });
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::Label::{Form, Value};
    use super::*;

    fn spans(list: &[(usize, usize, Label)]) -> Vec<Span> {
        list.iter()
            .map(|&(start, end, label)| Span { start, end, label })
            .collect()
    }

    #[track_caller]
    fn check(list: &[(usize, usize, Label)], joined: &[(usize, usize, Label)]) {
        assert_eq!(join(spans(list)), spans(joined));
    }

    #[test]
    fn overlapping_spans_join() {
        check(&[], &[]);
        check(
            &[(5, 9, Form(1)), (0, 5, Form(0))],
            &[(0, 5, Form(0)), (5, 9, Form(1))],
        );
        check(&[(0, 9, Form(0)), (4, 12, Value(3))], &[(0, 12, Value(3))]);
        check(&[(0, 9, Value(0)), (2, 5, Value(1))], &[(0, 9, Value(0))]);
        check(&[(0, 9, Value(0)), (2, 25, Value(1))], &[(0, 25, Value(1))]);
        check(&[(0, 9, Form(2)), (0, 9, Form(1))], &[(0, 9, Form(1))]);
    }

    #[test]
    fn kept_ranges_are_cut_out() {
        let left = subtract(
            &spans(&[(0, 20, Form(0)), (30, 40, Form(1))]),
            &[(5, 8), (20, 25), (28, 45)],
        );
        assert_eq!(left, spans(&[(0, 5, Form(0)), (8, 20, Form(0))]));
        let left = subtract(
            &spans(&[(2, 6, Form(0)), (7, 9, Form(0))]),
            &[(0, 3), (5, 8)],
        );
        assert_eq!(left, spans(&[(3, 5, Form(0)), (8, 9, Form(0))]));
    }
}
