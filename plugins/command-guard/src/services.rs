//! Commands that destroy what containers, clusters, clouds and databases hold.

use crate::call::{Call, Hits};
use crate::options::{Options, Valued};
use crate::rules;
use crate::shell::Word;

/// Words of interest to the quick reject.
pub(crate) static PROGRAMS: &[&str] = &[
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "terraform",
    "tofu",
    "terragrunt",
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "duckdb",
    "clickhouse",
    "cockroach",
    "sqlcmd",
    "dropdb",
    "mysqladmin",
];

pub(crate) fn check(call: &Call<'_>, hits: &mut Hits<'_>) {
    match call.program {
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" => docker(call, hits),
        "kubectl" | "oc" => kubectl(call, hits),
        "terraform" | "tofu" | "terragrunt" => {
            let mut operands = call.args.iter().filter(|w| !w.text.starts_with('-'));
            let verb = operands.next().map(|w| w.text.as_str());
            let verb = match verb {
                Some("run-all" | "run") => operands.next().map(|w| w.text.as_str()),
                other => other,
            };
            let flagged = call
                .args
                .iter()
                .any(|w| matches!(w.text.as_str(), "-destroy" | "--destroy"));
            let destroys = verb == Some("destroy") || (verb == Some("apply") && flagged);
            hits.add_if(destroys, &rules::TERRAFORM_DESTROY);
        }
        "dropdb" => hits.add_if(!call.args.is_empty(), &rules::SQL_DROP),
        "mysqladmin" => hits.add_if(call.args.iter().any(|w| w.text == "drop"), &rules::SQL_DROP),
        _ => {
            let statements = statements(call);
            hits.add_if(statements.iter().any(|sql| drops(sql)), &rules::SQL_DROP);
        }
    }
}

fn docker(call: &Call<'_>, hits: &mut Hits<'_>) {
    let valued = Valued {
        short: "cHlfp",
        long: &[
            "context",
            "host",
            "log-level",
            "config",
            "file",
            "project-name",
            "env-file",
            "profile",
        ],
    };
    let leading = Options::leading(call.args, valued).leading;
    let mut rest = call.args.get(leading..).unwrap_or_default();
    if let [first, more @ ..] = rest
        && first.text == "compose"
    {
        let leading = Options::leading(more, valued).leading;
        rest = more.get(leading..).unwrap_or_default();
    }
    let [verb, args @ ..] = rest else { return };
    let options = Options::parse(
        args,
        Valued {
            short: "",
            long: &["filter"],
        },
    );
    let all = options.has('a') || options.has_long("all");
    match (verb.text.as_str(), options.operand(0)) {
        ("system", Some("prune")) => {
            hits.add_if(all || options.has_long("volumes"), &rules::DOCKER_PRUNE);
        }
        ("image", Some("prune")) => hits.add_if(all, &rules::DOCKER_PRUNE),
        ("volume", Some("rm" | "remove" | "prune")) => hits.add(&rules::DOCKER_VOLUME_DELETE),
        ("down", _) => {
            let volumes = options.has('v') || options.has_long("volumes");
            hits.add_if(volumes, &rules::DOCKER_VOLUME_DELETE);
        }
        _ => {}
    }
}

fn kubectl(call: &Call<'_>, hits: &mut Hits<'_>) {
    let options = Options::parse(
        call.args,
        Valued {
            short: "nslfko",
            long: &[
                "namespace",
                "context",
                "cluster",
                "kubeconfig",
                "server",
                "user",
                "as",
                "token",
                "selector",
                "filename",
                "grace-period",
                "timeout",
                "field-selector",
            ],
        },
    );
    if options.operand(0) != Some("delete") || options.has_long("dry-run") {
        return;
    }
    let kinds = options.operand(1).unwrap_or_default();
    let namespace = kinds.split(',').any(|kind| {
        let kind = kind.split('/').next().unwrap_or_default();
        matches!(
            kind,
            "ns" | "namespace" | "namespaces" | "project" | "projects"
        )
    });
    hits.add_if(
        namespace || options.has_long("all"),
        &rules::KUBERNETES_DELETE,
    );
}

/// Programs that run SQL from standard input.
pub(crate) fn reads_sql(program: &str) -> bool {
    matches!(
        program,
        "psql"
            | "mysql"
            | "mariadb"
            | "sqlite3"
            | "sqlite"
            | "duckdb"
            | "clickhouse"
            | "clickhouse-client"
            | "cockroach"
            | "sqlcmd"
    )
}

/// SQL given on the command line.
fn statements<'a>(call: &Call<'a>) -> Vec<&'a str> {
    let (short, long, valued) = match call.program {
        "psql" => ('c', "command", "cdfhopUvFPRTL"),
        "mysql" | "mariadb" => ('e', "execute", "eDhPuS"),
        "clickhouse" | "clickhouse-client" => ('q', "query", "qhud"),
        "cockroach" => ('e', "execute", "ehpud"),
        "sqlcmd" => ('Q', "query", "QqSUPdio"),
        "sqlite3" | "sqlite" | "duckdb" => {
            // Everything after the database, and after -cmd or -c, is SQL or a dot command.
            return call.args.iter().map(|w: &Word| w.text.as_str()).collect();
        }
        _ => return Vec::new(),
    };
    let long_valued: &'static [&'static str] = &[
        "command", "execute", "query", "dbname", "host", "port", "username", "user", "database",
    ];
    let options = Options::parse(
        call.args,
        Valued {
            short: valued,
            long: long_valued,
        },
    );
    options.values(short, long).collect()
}

/// A statement of `sql` drops or truncates tables or databases.
pub(crate) fn drops(sql: &str) -> bool {
    let mut words = SqlWords { rest: sql };
    let mut previous = String::new();
    let mut place = 0usize;
    while let Some(word) = words.next_word() {
        if word == ";" {
            place = 0;
            continue;
        }
        match (place, previous.as_str()) {
            (0, _) if word == "TRUNCATE" => return true,
            (1, "DROP")
                if matches!(
                    word.as_str(),
                    "DATABASE" | "TABLE" | "SCHEMA" | "TABLESPACE"
                ) =>
            {
                return true;
            }
            // `EXPLAIN DROP …` and the like do not exist; `BEGIN` and `DO` open statements of their own.
            (0, _) if matches!(word.as_str(), "BEGIN" | "{" | "EXECUTE") => continue,
            _ => {}
        }
        previous = word;
        place += 1;
    }
    false
}

/// Words of SQL in upper case, without comments and quoted text; `;` stands for itself.
struct SqlWords<'a> {
    rest: &'a str,
}

impl SqlWords<'_> {
    fn next_word(&mut self) -> Option<String> {
        loop {
            self.rest = self.rest.trim_start();
            let first = self.rest.chars().next()?;
            if self.rest.starts_with("--") || first == '#' {
                self.skip_past("\n");
            } else if self.rest.starts_with("/*!") {
                // MySQL runs what stands in such a comment.
                self.rest = self
                    .rest
                    .get(3..)?
                    .trim_start_matches(|c: char| c.is_ascii_digit());
            } else if self.rest.starts_with("/*") {
                self.skip_past("*/");
            } else if matches!(first, '\'' | '"' | '`') {
                self.rest = self.rest.get(1..)?;
                let close = self.rest.find(first)?;
                self.rest = self.rest.get(close + 1..)?;
                return Some(String::from("''"));
            } else if first == ';' {
                self.rest = self.rest.get(1..)?;
                return Some(String::from(";"));
            } else if first == '_' || first.is_alphanumeric() {
                let end = self.rest.find(|c: char| c != '_' && !c.is_alphanumeric());
                let (word, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
                self.rest = rest;
                return Some(word.to_ascii_uppercase());
            } else {
                self.rest = self.rest.get(first.len_utf8()..)?;
            }
        }
    }

    fn skip_past(&mut self, mark: &str) {
        let after = self.rest.find(mark).map(|at| at + mark.len());
        self.rest = after.and_then(|at| self.rest.get(at..)).unwrap_or_default();
    }
}
