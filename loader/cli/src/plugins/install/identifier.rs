//! What was typed after `install`: a path, or a place in a git repository.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::problem::Problem;

/// What is to be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identifier {
    Path(PathBuf),
    Git(Repository),
}

/// A repository, and a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) url: String,
    /// A branch or a tag; the repository's own choice when absent.
    pub(super) branch: Option<String>,
    /// The plugin's directory in it, with `/`.
    pub(super) directory: Option<String>,
    /// Why the way there is not safe.
    pub(super) warning: Option<&'static str>,
}

const SCHEMES: &[&str] = &["https://", "http://", "ssh://", "file://"];
/// What an archive may be called.
pub(super) const ARCHIVES: &[&str] = &[".tar.gz", ".tgz", ".tar", ".zip"];

impl Identifier {
    /// Reads what was typed; `is_there` says whether a path exists, and a path wins over a shorthand.
    pub(super) fn parse(typed: &str, is_there: impl Fn(&Path) -> bool) -> Result<Self, Problem> {
        let is_url =
            SCHEMES.iter().any(|scheme| typed.starts_with(scheme)) || typed.starts_with("git@");
        if is_url {
            return Repository::of_url(typed).map(Self::Git);
        }
        let path = Path::new(typed);
        if is_there(path) {
            return Ok(Self::Path(path.to_owned()));
        }
        if let Some((scheme, _)) = typed.split_once("://") {
            return Err(Problem::usage(format!(
                "`{typed}`: cannot install over `{scheme}://`; nothing is installed"
            ))
            .cure("give a path, owner/repo, or a URL with https://, ssh:// or git@"));
        }
        Ok(Repository::of_shorthand(typed)?.map_or_else(|| Self::Path(path.to_owned()), Self::Git))
    }
}

impl Repository {
    fn of_url(typed: &str) -> Result<Self, Problem> {
        let warning = match typed {
            _ if typed.starts_with("http://") => Some(
                "http is not encrypted: whoever is on the way can put other code in; use https",
            ),
            _ if typed.starts_with("file://") => {
                Some("file:// installs from this machine; nothing says who wrote it")
            }
            _ => None,
        };
        let (url, directory) = match typed.split_once('#') {
            Some((url, directory)) => (url, Some(directory)),
            None => match typed.split_once(".git/") {
                Some((url, directory)) => {
                    (typed.get(..url.len() + 4).unwrap_or(url), Some(directory))
                }
                None => (typed, None),
            },
        };
        let mut repository = Self {
            url: url.trim_end_matches('/').to_owned(),
            branch: None,
            directory: directory.map(str::to_owned),
            warning,
        };
        if let Some(tree) = Tree::of(url) {
            repository.url = tree.url;
            repository.branch = Some(tree.branch);
            repository.directory = tree.directory.or(repository.directory);
        }
        if ARCHIVES
            .iter()
            .any(|suffix| repository.url.ends_with(suffix))
        {
            return Err(Problem::usage(format!(
                "`{}` is an archive, and nothing is downloaded but git repositories; nothing is installed",
                shown(typed)
            ))
            .cure("download it, look at it, and install the file"));
        }
        repository.checked(typed)
    }

    /// `owner/repo` and `owner/repo/directory` mean GitHub.
    fn of_shorthand(typed: &str) -> Result<Option<Self>, Problem> {
        let plain = |part: &str| {
            let mut chars = part.chars();
            chars
                .next()
                .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
                && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let file = ARCHIVES.iter().any(|suffix| typed.ends_with(suffix))
            || typed.ends_with(std::env::consts::DLL_SUFFIX);
        let mut parts = typed.trim_end_matches('/').splitn(3, '/');
        let (Some(owner), Some(name), directory) = (parts.next(), parts.next(), parts.next())
        else {
            return Ok(None);
        };
        if file || !plain(owner) || !plain(name) {
            return Ok(None);
        }
        let name = name.strip_suffix(".git").unwrap_or(name);
        let repository = Self {
            url: format!("https://github.com/{owner}/{name}.git"),
            branch: None,
            directory: directory.map(str::to_owned),
            warning: None,
        };
        repository.checked(typed).map(Some)
    }

    /// Nothing of it may be read by git as an option, or lead out of the repository.
    fn checked(mut self, typed: &str) -> Result<Self, Problem> {
        let refuse =
            |why: &str| {
                Err(Problem::usage(format!("`{}`: {why}; nothing is installed", shown(typed)))
                .cure("give owner/repo, owner/repo/directory, or the URL that `git clone` takes"))
            };
        self.directory = self
            .directory
            .map(|path| path.trim_matches('/').to_owned())
            .filter(|path| !path.is_empty());
        let inside = |path: &String| {
            path.split('/')
                .all(|part| !matches!(part, "" | "." | ".." | ".git"))
                && !path.contains('\\')
        };
        if !self.directory.as_ref().is_none_or(inside) {
            return refuse("the directory leads out of the repository");
        }
        if self
            .branch
            .as_ref()
            .is_some_and(|branch| branch.starts_with('-'))
        {
            return refuse("the branch is no name");
        }
        if self.url.chars().any(|c| c.is_control() || c == ' ') {
            return refuse("white space in a URL");
        }
        let rest = self
            .url
            .split_once("://")
            .map_or(self.url.as_str(), |(_, rest)| rest);
        if rest.starts_with('-') || rest.trim_matches('/').is_empty() {
            return refuse("no repository is named");
        }
        let name = self.name();
        if name.is_empty() || name.contains("..") || name.starts_with(['.', '-']) {
            return refuse("the repository has no name that a directory could have");
        }
        Ok(self)
    }

    /// What the repository is called: the last part of its URL.
    pub(super) fn name(&self) -> &str {
        let last = self.url.rsplit(['/', ':', '\\']).next().unwrap_or_default();
        last.strip_suffix(".git").unwrap_or(last)
    }

    /// The URL as it may be shown.
    pub(super) fn shown(&self) -> String {
        shown(&self.url)
    }
}

/// A URL without the name and the password in it.
pub(crate) fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{host}/{path}"),
        None => url.to_owned(),
    }
}

/// What a browser shows of a directory on GitHub.
struct Tree {
    url: String,
    branch: String,
    directory: Option<String>,
}

impl Tree {
    fn of(url: &str) -> Option<Self> {
        let path = url.strip_prefix("https://github.com/")?;
        let mut parts = path.trim_end_matches('/').splitn(5, '/');
        let (owner, name) = (parts.next()?, parts.next()?);
        if parts.next()? != "tree" {
            return None;
        }
        Some(Self {
            url: format!(
                "https://github.com/{owner}/{}.git",
                name.strip_suffix(".git").unwrap_or(name)
            ),
            branch: parts.next()?.to_owned(),
            directory: parts.next().map(str::to_owned),
        })
    }
}
