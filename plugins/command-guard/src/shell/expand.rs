//! Quotes, escapes and expansions inside a word.

use super::lexer::{Kind, Lexer};

impl Lexer<'_> {
    /// A backslash outside quotes.
    pub(super) fn escape(&mut self) {
        match self.peek(1) {
            None => self.pos += 1,
            Some(b'\n') => self.pos += 2,
            Some(b'\r') if self.peek(2) == Some(b'\n') => self.pos += 3,
            Some(b'`') if self.backticks > 0 => self.escaped_backtick(),
            Some(_) => {
                self.word().quoted = true;
                let from = self.pos + 1;
                self.pos = from + self.char_len(from);
                self.take_from(from);
            }
        }
    }

    /// `'…'`. One that is never closed is passed over, and what follows is read as commands.
    pub(super) fn single(&mut self) {
        self.word().quoted = true;
        self.pos += 1;
        if self.no_single {
            return;
        }
        let from = self.pos;
        let in_backticks = self.backticks > 0;
        let rest = self.bytes.get(from..self.end).unwrap_or_default();
        let close = rest
            .iter()
            .position(|&b| b == b'\'' || (in_backticks && b == b'`'));
        self.script.steps += close.unwrap_or(rest.len());
        match close {
            Some(length) => {
                self.pos = from + length;
                self.take_from(from);
                if self.peek(0) == Some(b'\'') {
                    self.pos += 1;
                }
            }
            None => {
                self.no_single = true;
                self.script.malformed = true;
            }
        }
    }

    /// One step inside `"…"`, or inside the body of a here-document.
    pub(super) fn double(&mut self, body: bool) {
        let from = self.pos;
        while self
            .peek(0)
            .is_some_and(|b| !matches!(b, b'"' | b'\\' | b'$' | b'`') || (body && b == b'"'))
        {
            self.pos += 1;
        }
        if self.pos > from {
            self.take_from(from);
        }
        match self.peek(0) {
            Some(b'"') => {
                self.pos += 1;
                self.pop();
            }
            Some(b'\\') => match self.peek(1) {
                Some(b'\n') => self.pos += 2,
                Some(b'`') if self.backticks > 0 => self.escaped_backtick(),
                Some(b'"' | b'\\' | b'$' | b'`') => {
                    self.pos += 2;
                    self.take_from(self.pos - 1);
                }
                _ => {
                    self.pos += 1;
                    self.take_from(self.pos - 1);
                }
            },
            Some(b'$') => self.dollar(true),
            Some(b'`') => self.backtick(),
            _ => {}
        }
    }

    /// One step inside `${…}`. Only what may run there matters, so plain text is dropped.
    pub(super) fn param(&mut self, quoted: bool) {
        match self.peek(0) {
            Some(b'}') => {
                self.pos += 1;
                self.pop();
            }
            Some(b'\\') => {
                self.pos = (self.pos + 2).min(self.end);
                // Stay on a character boundary: the byte skipped may begin a longer one.
                while self.pos < self.end && !self.text.is_char_boundary(self.pos) {
                    self.pos += 1;
                }
            }
            Some(b'\'') if !quoted => self.single(),
            Some(b'"') => self.open_double(),
            Some(b'$') => self.dollar(quoted),
            Some(b'`') => self.backtick(),
            _ => self.pos += 1,
        }
    }

    /// One step inside an extended glob such as `!(a|b)`.
    pub(super) fn glob(&mut self) {
        match self.peek(0) {
            Some(b')') => {
                self.pos += 1;
                self.take_from(self.pos - 1);
                self.pop();
            }
            Some(b'(') => {
                self.push(Kind::Glob);
                self.pos += 1;
                self.take_from(self.pos - 1);
            }
            Some(b'\\') => self.escape(),
            Some(b'\'') => self.single(),
            Some(b'"') => self.open_double(),
            Some(b'$') => self.dollar(false),
            Some(b'`') => self.backtick(),
            _ => {
                let from = self.pos;
                self.pos += self.char_len(from);
                self.take_from(from);
            }
        }
    }

    /// A `$`, in or out of double quotes.
    pub(super) fn dollar(&mut self, quoted: bool) {
        match self.peek(1) {
            Some(b'(') => {
                let arithmetic = self.peek(2) == Some(b'(');
                self.push(Kind::Subst);
                // `$((` may be arithmetic or a subshell in a substitution: read as the latter, but a
                // `<<` in it is a shift and must not swallow the rest of the text as a body.
                self.level.arithmetic = usize::from(arithmetic);
                self.pos += 2;
            }
            Some(b'{') => self.open_param(quoted),
            Some(b'\'') if !quoted => self.ansi_c(),
            Some(b'"') if !quoted => self.pos += 1,
            Some(b) if b == b'_' || b.is_ascii_alphabetic() => {
                let from = self.pos;
                self.pos += 1;
                while self
                    .peek(0)
                    .is_some_and(|b| b == b'_' || b.is_ascii_alphanumeric())
                {
                    self.pos += 1;
                }
                self.take_from(from);
                self.word().dynamic = true;
            }
            Some(b) if b"@*#?-$!".contains(&b) || b.is_ascii_digit() => {
                self.pos += 2;
                self.take_from(self.pos - 2);
                self.word().dynamic = true;
            }
            _ => {
                self.pos += 1;
                self.take_from(self.pos - 1);
            }
        }
    }

    fn open_param(&mut self, quoted: bool) {
        if self.recover {
            self.pos += 2;
            return;
        }
        if matches!(self.peek(2), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.push(Kind::BraceSubst);
            self.pos += 3;
            return;
        }
        self.push(Kind::Param { quoted });
        self.pos += 2;
        while matches!(self.peek(0), Some(b'!' | b'#')) {
            self.pos += 1;
        }
        let from = self.pos;
        while self
            .peek(0)
            .is_some_and(|b| b == b'_' || b.is_ascii_alphanumeric() || b == b'@' || b == b'*')
        {
            self.pos += 1;
        }
        self.word().text.push('$');
        self.take_from(from);
        self.word().dynamic = true;
    }

    /// `$'…'`, whose escapes are decoded.
    fn ansi_c(&mut self) {
        self.word().quoted = true;
        self.pos += 2;
        if self.recover {
            return;
        }
        let from = self.pos;
        let mut closed = false;
        let mut out = String::new();
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\'' => {
                    self.pos += 1;
                    closed = true;
                    break;
                }
                b'\\' => {
                    self.pos += 1;
                    self.ansi_escape(&mut out);
                }
                _ => {
                    let from = self.pos;
                    self.pos += self.char_len(from);
                    out.push_str(self.text.get(from..self.pos).unwrap_or_default());
                }
            }
        }
        self.word().text.push_str(&out);
        if !closed {
            self.read_again(from);
        }
    }

    fn ansi_escape(&mut self, out: &mut String) {
        let Some(byte) = self.peek(0) else { return };
        let (radix, most) = match byte {
            b'x' => (16, 2),
            b'u' => (16, 4),
            b'U' => (16, 8),
            b'0'..=b'7' => (8, 3),
            _ => {
                let from = self.pos;
                self.pos += self.char_len(from);
                match byte {
                    b'n' => out.push('\n'),
                    b't' => out.push('\t'),
                    b'r' => out.push('\r'),
                    b'a' | b'b' | b'e' | b'E' | b'f' | b'v' => out.push('\u{1b}'),
                    _ => out.push_str(self.text.get(from..self.pos).unwrap_or_default()),
                }
                return;
            }
        };
        if radix == 16 {
            self.pos += 1;
        }
        let mut value = 0u32;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|b| char::from(b).to_digit(radix)) else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.pos += 1;
        }
        // A NUL ends the string in bash; dropping it keeps more to look at.
        if let Some(decoded) = char::from_u32(value).filter(|&c| c != '\0') {
            out.push(decoded);
        }
    }

    /// The length of the character that starts at `at`; at least one byte.
    fn char_len(&self, at: usize) -> usize {
        let rest = self.text.get(at..self.end).unwrap_or_default();
        rest.chars().next().map_or(1, char::len_utf8)
    }
}
