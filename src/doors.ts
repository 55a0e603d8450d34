/** A file that is loaded late, with `import()`. Paths are below `src`. */
export interface Door {
  target: string;
  /** The files that load it late. */
  from: readonly string[];
  /** What a run saves that does not need it. */
  why: string;
}

/** Every larger command, with its help, is one door: a start runs one command. */
const COMMANDS = ['cli/commands/commands.ts', 'cli/commands/all-help.ts'];
const ONE_COMMAND = 'a start runs one command, and must not pay for the others';

/**
 * All doors. Everything else is imported plainly. A door is worth its row when a plain import would make most runs load a
 * package, a module of Node, or a part of Heddle that few runs use; measure that before you add one.
 */
export const DOORS: readonly Door[] = [
  {
    target: 'cli/commands/commands.ts',
    from: ['cli/main.ts', 'cli/end-with.ts'],
    why: 'the commands, with help and advice after mistakes; a start with a prompt needs none of it',
  },
  { target: 'cli/interactive.ts', from: ['cli/main.ts'], why: 'the terminal; programs and scripts never draw one' },
  {
    target: 'cli/run/terminal-session.ts',
    from: ['cli/interactive.ts'],
    why: 'the engine, 12 ms; the terminal paints before it is read',
  },
  {
    target: 'cli/run/background.ts',
    from: ['cli/main.ts', 'cli/run/own-session.ts'],
    why: 'a session without a terminal, which reads all of the program, 2 MB, so that it outlives an upgrade',
  },
  {
    target: 'tui/plain/run-plain.ts',
    from: ['cli/interactive.ts', 'cli/commands/attach.ts'],
    why: 'the terminal that only adds lines; most terminals are drawn',
  },
  { target: 'cli/commands/attach.ts', from: COMMANDS, why: ONE_COMMAND },
  {
    target: 'tui/rows/markdown/answer-rows.ts',
    from: ['tui/app/late-rows.ts'],
    why: 'loads marked and the languages of code; the first answer needs them, the first frame does not',
  },
  {
    target: 'tui/typing/typing.ts',
    from: ['tui/app/late-typing.ts', 'tui/app/late-look.ts'],
    why: 'history, drafts, menus, images and how the terminal looks, with node:crypto and node:child_process; they are read behind the first frame',
  },
  {
    target: 'tui/commands/run-command.ts',
    from: ['tui/app/prompt-sender.ts', 'tui/app/late-typing.ts', 'tui/app/leaving.ts'],
    why: 'commands of the terminal, lists and the pager; the first prompt is painted and answered without them',
  },
  { target: 'cli/commands/acp.ts', from: ['cli/main.ts', ...COMMANDS], why: ONE_COMMAND },
  { target: 'cli/commands/serve.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/web.ts', from: COMMANDS, why: ONE_COMMAND },
  {
    target: 'acp/acp-agent.ts',
    from: ['acp/handshake.ts'],
    why: 'sessions, stored sessions and the view; editors start an agent to ask what it can, and may open nothing',
  },
  {
    target: 'cli/run/terminal-trust.ts',
    from: ['cli/interactive.ts'],
    why: 'what of a project needs trust, with the code of settings; most projects bring nothing',
  },
  {
    target: 'tui/questions/open-dialog.ts',
    from: ['tui/app/late-questions.ts'],
    why: 'the code of questions; it is read when a turn begins, the first frame does not need it',
  },
  { target: 'cli/commands/completion/completion-command.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/auth/auth.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/doctor.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/hooks.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/mcp/mcp.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/models.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/permissions.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/plugin/plugin.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/rewind.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/sessions/sessions-command.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/stats/stats-command.ts', from: COMMANDS, why: ONE_COMMAND },
  { target: 'cli/commands/tasks/tasks-command.ts', from: COMMANDS, why: ONE_COMMAND },
  {
    target: 'cli/terminal/person.ts',
    from: ['cli/run/run.ts', 'cli/run/print.ts'],
    why: 'loads node:readline and the view; programs read JSON instead',
  },

  { target: 'define/zod-3.ts', from: ['define/zod-schema.ts'], why: 'loads zod 3, which a program may not have' },
  { target: 'define/zod-4.ts', from: ['define/zod-schema.ts'], why: 'loads zod 4, which a program may not have' },

  {
    target: 'host/telemetry/engine-telemetry.ts',
    from: ['host/create-engine.ts', 'cli/run/run.ts'],
    why: 'loads OpenTelemetry, which is off unless somebody asks for it',
  },
  {
    target: 'host/engine/elsewhere.ts',
    from: ['host/engine/engine-models.ts'],
    why: 'the code of clouds and of named servers, 60 KB; a session has one kind of model',
  },
  {
    target: 'model/responses/openai-api.ts',
    from: ['host/engine/engine-models.ts'],
    why: 'a session has one kind of model',
  },
  {
    target: 'model/offline/offline.ts',
    from: ['host/engine/engine-models.ts'],
    why: 'a session has one kind of model',
  },
  {
    target: 'host/models/model-catalog.ts',
    from: ['host/models/choose-model.ts'],
    why: 'what servers have said about their models; models of the built-in table need none of it',
  },
  {
    target: 'host/models/recordings.ts',
    from: ['host/models/choose-model.ts'],
    why: 'recording and replay of model calls, 20 KB; most sessions do neither',
  },
  { target: 'util/process/process.ts', from: ['host/engine/engine.ts'], why: 'loads node:child_process' },
  {
    target: 'host/launch/load-settings.ts',
    from: ['host/launch/configuration.ts'],
    why: 'checks managed hooks, so it loads the code of hooks; many runs have no settings',
  },
  {
    target: 'host/extensions/load-plugins.ts',
    from: ['host/extensions/load-extensions.ts'],
    why: 'reads plugins and checks their content with node:crypto; most sessions have none',
  },
  {
    target: 'host/hooks/open-session-hooks.ts',
    from: ['host/session/connect-session.ts'],
    why: 'the code of hooks; most sessions have none',
  },
  {
    target: 'host/mcp/open-session-mcp.ts',
    from: ['host/mcp/open-servers.ts'],
    why: 'the code of MCP servers; most sessions have none',
  },
  {
    target: 'mcp/mcp-package.ts',
    from: [
      'host/mcp/define-server.ts',
      'mcp/oauth/authorized-fetch.ts',
      'mcp/oauth/discover.ts',
      'mcp/oauth/program-sign-in.ts',
      'mcp/oauth/sign-in.ts',
      'mcp/oauth/sign-out.ts',
      'mcp/oauth/tokens.ts',
    ],
    why: 'loads the MCP package, which only remote servers need',
  },
  {
    target: 'host/agents/start-agent.ts',
    from: ['host/session/open-main-thread.ts'],
    why: 'the code of agents, with hooks, MCP and worktrees; most turns start none',
  },
  {
    target: 'host/agents/ask-agent.ts',
    from: ['host/session/connect-session.ts'],
    why: 'the code of agents; only a hook that asks an agent needs it',
  },
  {
    target: 'host/agents/main-thread-role.ts',
    from: ['host/session/connect-session.ts'],
    why: 'the code of agents and MCP; only `--agent` needs it',
  },
  {
    target: 'host/agents/session-team.ts',
    from: ['host/session/connect-session.ts'],
    why: 'the code of teams, which are off unless the environment switches them on',
  },
  {
    target: 'host/worktrees/session-worktree.ts',
    from: ['host/session/open-session.ts'],
    why: 'the code of worktrees and hooks; only `--worktree` needs it',
  },
  {
    target: 'host/checkpoints/checkpoints.ts',
    from: ['host/checkpoints/open-checkpoints.ts'],
    why: 'the first change of a file needs it; many turns change none',
  },
  {
    target: 'host/resume/stored-history.ts',
    from: ['host/resume/open-transcript.ts'],
    why: 'a new session has no history to read',
  },
  {
    target: 'host/permissions/start-sandbox.ts',
    from: ['host/permissions/session-sandbox.ts', 'host/permissions/session-path-guard.ts'],
    why: 'loads node:http and node:dns for its proxy; the sandbox is off unless settings switch it on, and most sessions have no path rules',
  },
  {
    target: 'host/control/control-table.ts',
    from: ['host/control/control.ts', 'cli/run/background.ts'],
    why: 'all rare control requests, with hooks and MCP',
  },
  { target: 'host/control/host-tools.ts', from: ['host/control/initialize.ts'], why: 'loads zod for the schemas' },
  {
    target: 'host/link/read-permission-answer.ts',
    from: [
      'host/link/permission-question.ts',
      'host/link/permission-prompt-tool.ts',
      'host/thread/make-turn.ts',
      'cli/run/background.ts',
    ],
    why: 'loads zod for the schemas; few runs ask a question',
  },
  { target: 'host/serve/parse-user-line.ts', from: ['host/serve/serve.ts'], why: 'loads zod for the schemas' },

  {
    target: 'permissions/commands/read-shell.ts',
    from: ['permissions/commands/shell-reader.ts'],
    why: 'the grammars of all programs, web-tree-sitter and the grammar of bash; only shell commands need them',
  },
  { target: 'tools/files/read-pdf.ts', from: ['tools/files/read.ts'], why: 'loads node:zlib; few files are PDF' },
  {
    target: 'tools/shell/detached-shells.ts',
    from: ['host/thread/tool-services.ts'],
    why: 'loads node:child_process; hardly any command outlives its session',
  },
  {
    target: 'tools/web/fetch-page.ts',
    from: ['tools/web/web-fetch.ts'],
    why: 'loads node:https, node:dns, node:zlib and worker threads',
  },

  {
    target: 'sdk/host-callbacks.ts',
    from: ['sdk/connection.ts'],
    why: 'a program that only imports Heddle calls nobody',
  },
  {
    target: 'sdk/remote/remote-transport.ts',
    from: ['sdk/remote/remote.ts'],
    why: 'loads ws; most programs talk to no server',
  },
  { target: 'sdk/subprocess/subprocess.ts', from: ['sdk/connection.ts'], why: 'loads node:child_process' },
  { target: 'wire/messages/parse.ts', from: ['sdk/connection.ts'], why: 'loads zod for the schemas of all messages' },
  {
    target: 'sdk/options/resolve-settings.ts',
    from: ['sdk/subprocess/settings-files.ts'],
    why: 'the code of settings files; most programs read none, and it would exceed the size of `import "heddle"`',
  },
  {
    target: 'sdk/stored/stored-sessions.ts',
    from: ['sdk/stored/sessions.ts'],
    why: 'the code of session files; most programs read none',
  },
  {
    target: 'sdk/tools/serve-tools.ts',
    from: ['sdk/tools/program-tools.ts', 'sdk/tools/sdk-mcp.ts'],
    why: 'reads schemas and answers calls; many programs bring no tools',
  },

  // What follows computes what it loads; the target is the expression.
  {
    target: 'name',
    from: ['cli/start.ts', 'tools/optional-package.ts'],
    why: 'packages that a bundle asks for by name, and packages that may not be installed',
  },
  { target: 'href', from: ['tools/search/ripgrep-path.ts'], why: 'the package of ripgrep, found at run time' },
];
