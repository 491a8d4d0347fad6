//! The rules: every one has an id, and a sentence for the model that ran into it.

use std::borrow::Cow;

/// A reason to refuse a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    id: Cow<'static, str>,
    reason: Cow<'static, str>,
}

impl Rule {
    pub(crate) const fn built_in(id: &'static str, reason: &'static str) -> Self {
        Self {
            id: Cow::Borrowed(id),
            reason: Cow::Borrowed(reason),
        }
    }

    pub(crate) fn configured(id: String, reason: String) -> Self {
        Self {
            id: Cow::Owned(id),
            reason: Cow::Owned(reason),
        }
    }

    /// The name that configuration and messages use, such as `git.push-force`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Why such a command is refused: one sentence, lower case, without a full stop.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Declares each rule as a static and lists them all in [`RULES`].
macro_rules! rules {
    ($($name:ident = $id:literal, $reason:literal;)*) => {
        $(pub(crate) static $name: Rule = Rule::built_in($id, $reason);)*

        /// All built-in rules.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    FS_RM_RECURSIVE = "fs.rm-recursive", "a recursive delete of something that is not a known scratch directory cannot be undone";
    FS_FIND_DELETE = "fs.find-delete", "`find` would delete everything it meets, not only files of a given name or age";
    FS_CHMOD_RECURSIVE = "fs.chmod-recursive", "changing the permissions of the root, a system or a home directory as a whole breaks the machine";
    FS_CHOWN_RECURSIVE = "fs.chown-recursive", "changing the owner of the root, a system or a home directory as a whole breaks the machine";
    FS_MOVE_TO_NULL = "fs.move-to-null", "moving a file to `/dev/null` destroys it";
    FS_SHRED = "fs.shred", "`shred` overwrites files so that nothing can bring them back";
    FS_SYSTEM_FILE = "fs.system-file", "emptying, overwriting or deleting a system file can leave the machine unable to start or log in";
    DISK_FORMAT = "disk.format", "making a file system or partition table destroys what the disk holds";
    DISK_OVERWRITE = "disk.overwrite", "writing to a disk device destroys what the disk holds";
    DISK_WIPE = "disk.wipe", "wiping signatures or discarding blocks makes what the disk holds unreadable";
    GIT_PUSH_FORCE = "git.push-force", "a forced push can destroy other people's work on the remote";
    GIT_PUSH_DELETE = "git.push-delete", "this push deletes branches or tags on the remote";
    GIT_RESET_HARD = "git.reset-hard", "a hard reset throws away uncommitted work";
    GIT_CLEAN = "git.clean", "a forced clean deletes files that git has no copy of";
    GIT_DISCARD_ALL = "git.discard-all", "this throws away every uncommitted change in the work tree";
    GIT_BRANCH_DELETE = "git.branch-delete", "deleting a branch by force loses commits that were never merged";
    GIT_STASH_DROP = "git.stash-drop", "a dropped stash is lost";
    GIT_REWRITE_HISTORY = "git.rewrite-history", "rewriting the whole history makes every clone incompatible and can lose commits";
    GIT_REFLOG_EXPIRE = "git.reflog-expire", "the reflog is the last way back to lost commits";
    GIT_GC_PRUNE = "git.gc-prune", "pruning at once deletes commits that could still be recovered";
    GIT_UPDATE_REF_DELETE = "git.update-ref-delete", "deleting a ref by hand can lose the commits it kept";
    GIT_WORKTREE_REMOVE = "git.worktree-remove", "removing a work tree by force throws away uncommitted work in it";
    SYSTEM_SHUTDOWN = "system.shutdown", "stopping or restarting the machine ends everything that runs on it";
    SYSTEM_FORK_BOMB = "system.fork-bomb", "a function that keeps starting itself makes the machine unusable";
    SYSTEM_KILL_ALL = "system.kill-all", "this signals every process the user may signal";
    SYSTEM_CRONTAB_REMOVE = "system.crontab-remove", "`crontab -r` deletes all scheduled jobs without asking";
    SHELL_REMOTE_SCRIPT = "shell.remote-script", "running a downloaded script unseen lets its server do anything here";
    SHELL_DECODED_SCRIPT = "shell.decoded-script", "running a script that is decoded on the fly hides what it does";
    DOCKER_PRUNE = "docker.prune", "this deletes all unused images or volumes, not only those of this project";
    DOCKER_VOLUME_DELETE = "docker.volume-delete", "a deleted volume takes its data with it";
    KUBERNETES_DELETE = "kubernetes.delete", "deleting a namespace, or all objects of a kind, stops what runs there and can lose data";
    TERRAFORM_DESTROY = "terraform.destroy", "destroying the managed infrastructure can lose data for good";
    SQL_DROP = "sql.drop", "dropping or truncating tables or databases loses their data";
    INPUT_TOO_LONG = "input.too-long", "the command is longer than 1 MiB, too long to be judged";
    INPUT_TOO_DEEP = "input.too-deep", "the command is nested too deeply to be judged";
}
