//! What a host calls back: no peer fires these, a plugin hands the handler over for one purpose.

use super::hooks;
use crate::{answers::Reply, extension::commands::CliOutput};

hooks! {
    /// A timer that the plugin set has run out.
    200 Timer TimerView "timer" Host "timer" {
        Observe Ignore OPEN 0 since 1 "host"
        answer ();
        fields {
            /// The timer.
            0 timer_id: int Event 1 "host";
            /// How often it ran out, from 1.
            1 count: int Event 1 "host";
        }
        answers {}
    }

    /// A tool that the plugin offers in its JSON form is called.
    201 ToolExecute ToolExecuteView "tool_execute" Host "tool_execute" {
        Claim Reply OPEN 0 since 1 "host"
        answer Reply;
        fields {
            /// Name of the tool.
            0 tool_name: str Event 1 "host";
            /// What the model passed.
            1 args: object Event 1 "host";
            /// Task.
            2 task_id: id Event 1 "host";
            /// Session.
            3 session_id: id Event 1 "host";
        }
        answers {
            /// The result, normally JSON. A handler answers with bare text.
            0 text: text 1;
        }
    }

    /// The approval that a handler asked for is decided. Called once.
    202 ApprovalResolution ApprovalResolutionView "approval_resolution" Host "approval_resolution" {
        Observe Ignore OPEN 0 since 1 "host"
        answer ();
        fields {
            /// `allow-once`, `allow-session`, `allow-always`, `deny`, `timeout` or `cancelled`.
            0 decision: str Event 1 "host";
        }
        answers {}
    }

    /// A slash command that the plugin offers was typed.
    203 CommandExecute CommandExecuteView "command_execute" Host "command_execute" {
        Claim Reply OPEN 0 since 2 "host"
        answer Reply;
        fields {
            /// The command, without its `/`.
            0 name: str Event 2 "host";
            /// What stood behind it, as it was typed.
            1 raw_args: str Event 2 "host";
        }
        answers {
            /// What the user is told; nothing when it is empty. A handler answers with bare text.
            0 text: text 2;
        }
    }

    /// A sub-command of the terminal program that the plugin offers was typed.
    204 CliExecute CliExecuteView "cli_execute" Host "cli_execute" {
        Claim Output OPEN 0 since 2 "host"
        answer CliOutput;
        fields {
            /// The sub-command.
            0 name: str Event 2 "host";
            /// The words behind it.
            1 argv: list Event 2 "host";
        }
        answers {
            /// What is printed.
            0 text: text 2;
            /// The exit code; 0 unless said otherwise.
            1 code: int 2;
        }
    }

    /// Whether a tool that the plugin offers can be used just now. Asked when tools are listed for the model.
    205 ToolCheck ToolCheckView "tool_check" Host "tool_check" {
        Claim Truth OPEN 0 since 2 "host"
        answer bool;
        fields {
            /// Name of the tool.
            0 tool_name: str Event 2 "host";
        }
        answers {
            /// A handler answers with a bare true or false.
            0 usable: bool 2;
        }
    }
}
