//! Tables that fit the terminal, or stay whole in a pipe.

use std::io::IsTerminal;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, Color, ContentArrangement, Table};

use crate::excerpt::safe;
use crate::screen::Screen;

/// What a cell says beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    Plain,
    Good,
    Bad,
    Warn,
    Dim,
}

/// A table that grows by rows.
pub(crate) struct Rows {
    table: Table,
    empty: bool,
}

impl Rows {
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        let mut table = Table::new();
        table.load_style(UTF8_FULL_CONDENSED).set_header(header);
        Self { table, empty: true }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.empty
    }

    pub(crate) fn add<const N: usize>(&mut self, cells: [(Mood, String); N]) {
        self.empty = false;
        self.table.add_row(cells.into_iter().map(|(mood, text)| {
            let cell = Cell::new(safe(&text));
            match mood {
                Mood::Plain => cell,
                Mood::Good => cell.fg(Color::Green),
                Mood::Bad => cell.fg(Color::Red),
                Mood::Warn => cell.fg(Color::Yellow),
                Mood::Dim => cell.fg(Color::DarkGrey),
            }
        }));
    }

    /// Writes the table. In a pipe no cell is broken over lines.
    pub(crate) fn show(mut self, screen: &mut Screen) -> std::io::Result<()> {
        let width = std::io::stdout()
            .is_terminal()
            .then(terminal_size::terminal_size)
            .flatten();
        match width {
            Some((terminal_size::Width(columns), _)) => self
                .table
                .set_content_arrangement(ContentArrangement::Dynamic)
                .set_width(columns.max(40)),
            None => self
                .table
                .set_content_arrangement(ContentArrangement::Disabled),
        };
        if screen.has_colours() {
            self.table.enforce_styling()
        } else {
            self.table.force_no_tty()
        };
        screen.line(self.table.to_string())
    }
}

/// A cell without a mood.
pub(crate) fn plain(text: impl Into<String>) -> (Mood, String) {
    (Mood::Plain, text.into())
}
