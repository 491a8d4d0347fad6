//! Forms told by their own prefix.

use super::{Form, always, has_digit};

pub(super) const ANTHROPIC: Form = Form {
    id: "anthropic-key",
    pattern: r"(?P<v>sk-ant-[A-Za-z0-9_-]{16,})",
    real: has_digit,
};

/// The digit tells a key from a CSS class such as `sk-folding-cube-animation`.
pub(super) const OPENAI: Form = Form {
    id: "openai-key",
    pattern: r"(?P<v>sk-[A-Za-z0-9_-]{20,})",
    real: has_digit,
};

pub(super) const AWS_ID: Form = Form {
    id: "aws-access-key-id",
    pattern: r"(?P<v>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16,})",
    real: always,
};

pub(super) const GITHUB: Form = Form {
    id: "github-token",
    pattern: r"(?P<v>gh[pousr]_[A-Za-z0-9]{20,})",
    real: always,
};

pub(super) const GITHUB_FINE: Form = Form {
    id: "github-token",
    pattern: r"(?P<v>github_pat_[A-Za-z0-9_]{20,})",
    real: always,
};

pub(super) const GOOGLE: Form = Form {
    id: "google-api-key",
    pattern: r"(?P<v>AIza[A-Za-z0-9_-]{30,})",
    real: always,
};

pub(super) const SLACK: Form = Form {
    id: "slack-token",
    pattern: r"(?P<v>(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,})",
    real: has_digit,
};

pub(super) const STRIPE: Form = Form {
    id: "stripe-key",
    pattern: r"(?P<v>(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,})",
    real: always,
};

pub(super) const NPM: Form = Form {
    id: "npm-token",
    pattern: r"(?P<v>npm_[A-Za-z0-9]{30,})",
    real: always,
};

pub(super) const PYPI: Form = Form {
    id: "pypi-token",
    pattern: r"(?P<v>pypi-[A-Za-z0-9_-]{30,})",
    real: has_digit,
};

pub(super) const JWT: Form = Form {
    id: "jwt",
    pattern: r"(?P<v>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)",
    real: always,
};
