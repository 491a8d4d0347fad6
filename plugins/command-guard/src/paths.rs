//! What a path means to a destructive command: harmless, vital, a system file, a disk.

use crate::shell::Word;

/// Alternatives of `{a,b}` that are looked at; more count as not harmless.
const MAX_BRACES: usize = 64;

/// What recursive deletion is allowed to take.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllowList {
    entries: Vec<Allowed>,
}

#[derive(Debug, Clone)]
enum Allowed {
    /// A relative path with a component of this name.
    Name(String),
    /// A relative path with a component that ends so.
    Ending(String),
    /// Anything below this directory; ends with `/`.
    Below(String),
}

impl AllowList {
    /// Adds an entry; `None` if it has none of the lawful forms.
    pub(crate) fn add(&mut self, entry: &str) -> Option<()> {
        let wild = |text: &str| text.contains(['*', '?', '[', '{', '$']);
        let dots = entry.split('/').any(|c| c == "." || c == "..");
        if entry.is_empty() || dots {
            return None;
        }
        let allowed = if let Some(directory) = entry.strip_suffix('*')
            && directory.ends_with('/')
        {
            let rooted = directory.starts_with('/') || directory.starts_with("~/");
            let named = directory.contains(|c: char| c.is_alphanumeric());
            if !rooted || !named || wild(directory) {
                return None;
            }
            Allowed::Below(directory.to_owned())
        } else if entry.contains(['/', '~']) {
            return None;
        } else if let Some(ending) = entry.strip_prefix('*') {
            if wild(ending) || !ending.contains(|c: char| c.is_alphanumeric()) {
                return None;
            }
            Allowed::Ending(ending.to_owned())
        } else if wild(entry) {
            return None;
        } else {
            Allowed::Name(entry.to_owned())
        };
        self.entries.push(allowed);
        Some(())
    }

    /// `word` names only things that may be deleted.
    pub(crate) fn covers(&self, word: &Word) -> bool {
        if word.dynamic {
            return false;
        }
        match braces(&word.text) {
            Some(paths) => paths.iter().all(|path| self.covers_path(path)),
            None => false,
        }
    }

    /// A file name pattern, as `find -name` takes it, names only things that may be deleted.
    pub(crate) fn covers_name(&self, name: &str) -> bool {
        !name.contains('/') && self.covers_path(name)
    }

    fn covers_path(&self, path: &str) -> bool {
        if path.split('/').any(|component| component == "..") {
            return false;
        }
        let rooted = path.starts_with('/') || path.starts_with('~');
        self.entries.iter().any(|entry| match entry {
            Allowed::Below(directory) => {
                let collapsed = collapse(path);
                collapsed
                    .strip_prefix(directory.as_str())
                    .and_then(|below| below.split('/').next())
                    .is_some_and(|first| first.contains(|c: char| c.is_alphanumeric()))
            }
            Allowed::Name(name) => !rooted && path.split('/').any(|c| c == name),
            Allowed::Ending(ending) => {
                !rooted && path.split('/').any(|c| c.ends_with(ending.as_str()))
            }
        })
    }
}

/// The words that `{a,b}` makes of `text`; itself if there are no braces, `None` if there are too many.
pub(crate) fn braces(text: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        if done.len() + open.len() > MAX_BRACES {
            return None;
        }
        // The innermost group: the last `{` before the first `}`.
        let group = text.find('}').and_then(|close| {
            let start = text.get(..close)?.rfind('{')?;
            let inner = text.get(start + 1..close)?;
            let ends = (text.get(..start)?, text.get(close + 1..)?);
            inner.contains(',').then_some((ends, inner))
        });
        match group {
            Some(((before, after), inner)) => {
                if inner.split(',').count() > MAX_BRACES {
                    return None;
                }
                let made = inner
                    .split(',')
                    .map(|part| format!("{before}{part}{after}"));
                // What is popped first comes first.
                let made: Vec<String> = made.collect();
                open.extend(made.into_iter().rev());
            }
            None => done.push(text),
        }
    }
    Some(done)
}

/// `path` without repeated slashes and `.` components, with `..` taken back.
fn collapse(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." if kept.last().is_some_and(|&last| last != "..") => {
                kept.pop();
            }
            ".." if rooted => {}
            _ => kept.push(component),
        }
    }
    let joined = kept.join("/");
    if rooted { format!("/{joined}") } else { joined }
}

/// The root, a top-level or system directory, a home, the parent, or all that is in one of them.
pub(crate) fn is_vital(word: &Word) -> bool {
    let text = word.text.as_str();
    let mut path = collapse(text);
    while let Some(shorter) = path.strip_suffix("/*").or_else(|| path.strip_suffix("/.*")) {
        path = shorter.to_owned();
    }
    if path == "~" || (path.starts_with('~') && !path.contains('/')) {
        return true;
    }
    if word.dynamic {
        // `$X/` and `$X/*` are the root when the variable is empty.
        let lone = path.starts_with('$') && !path.contains('/');
        let below = text.ends_with('/') || text.ends_with("/*");
        return path == "$HOME" || (lone && below);
    }
    if !text.starts_with('/') {
        return path.split('/').all(|c| c == "..") && path.starts_with("..");
    }
    let mut parts = path.split('/').filter(|c| !c.is_empty());
    match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => true,
        (Some(top), None, _) => {
            const TOP: &[&str] = &[
                "bin",
                "boot",
                "dev",
                "etc",
                "home",
                "lib",
                "lib32",
                "lib64",
                "mnt",
                "media",
                "opt",
                "proc",
                "root",
                "run",
                "sbin",
                "srv",
                "sys",
                "usr",
                "var",
                "Users",
                "System",
                "Library",
                "Applications",
                "Volumes",
                "private",
            ];
            TOP.contains(&top) || top.starts_with('*')
        }
        (Some("home" | "Users"), Some(_), None) => true,
        (Some("usr"), Some(second), None) => [
            "bin", "lib", "lib64", "libexec", "sbin", "share", "local", "include",
        ]
        .contains(&second),
        (Some("var"), Some("lib" | "log"), None) => true,
        _ => false,
    }
}

/// The working directory or its parent as a whole.
pub(crate) fn is_everything_here(text: &str) -> bool {
    let path = text.trim_end_matches('/');
    !text.is_empty()
        && !text.starts_with('/')
        && path
            .split('/')
            .all(|c| matches!(c, "" | "." | ".." | "*" | ".*" | "**"))
}

/// A file that the machine needs to start, to find programs or to let users in.
pub(crate) fn is_system_file(text: &str) -> bool {
    const FILES: &[&str] = &[
        "passwd",
        "shadow",
        "group",
        "gshadow",
        "sudoers",
        "fstab",
        "crypttab",
        "hosts",
        "resolv.conf",
        "nsswitch.conf",
        "ld.so.preload",
        "ld.so.conf",
        "ld.so.cache",
        "profile",
        "environment",
        "inittab",
        "shells",
        "securetty",
        "login.defs",
        "crontab",
        "hostname",
        "machine-id",
        "default/grub",
        "ssh/sshd_config",
        "master.passwd",
    ];
    const DIRECTORIES: &[&str] = &["sudoers.d/", "pam.d/", "grub.d/"];
    if !text.starts_with('/') {
        return false;
    }
    let path = collapse(text);
    let path = path.strip_prefix("/private").unwrap_or(&path);
    if let Some(file) = path.strip_prefix("/etc/") {
        return FILES.contains(&file) || DIRECTORIES.iter().any(|d| file.starts_with(d));
    }
    const TREES: &[&str] = &[
        "/bin/",
        "/boot/",
        "/lib/",
        "/lib32/",
        "/lib64/",
        "/sbin/",
        "/usr/bin/",
        "/usr/lib/",
        "/usr/lib64/",
        "/usr/sbin/",
        "/System/",
    ];
    TREES.iter().any(|tree| path.starts_with(tree)) || path == "/proc/sysrq-trigger"
}

/// A disk, a partition, or a volume made of them.
pub(crate) fn is_disk(text: &str) -> bool {
    const DISKS: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "loop",
        "zd", "nbd", "block/",
    ];
    device(text).is_some_and(|name| {
        // `md` alone is a prefix of nothing that is a file; a device has more to its name.
        DISKS
            .iter()
            .any(|d| name.len() > d.len() && name.starts_with(d))
    })
}

/// A device, other than those that take anything without harm.
pub(crate) fn is_device(text: &str) -> bool {
    const HARMLESS: &[&str] = &[
        "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "console",
    ];
    const TREES: &[&str] = &["shm/", "fd/", "pts/", "tty", "tcp/", "udp/"];
    device(text).is_some_and(|name| {
        !HARMLESS.contains(&name.as_str()) && !TREES.iter().any(|t| name.starts_with(t))
    })
}

fn device(text: &str) -> Option<String> {
    if !text.starts_with('/') {
        return None;
    }
    collapse(text).strip_prefix("/dev/").map(str::to_owned)
}
