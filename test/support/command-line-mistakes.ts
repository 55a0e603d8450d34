import { join } from 'node:path';
import type { Place } from './place.ts';
import { put } from './put.ts';

/** What somebody gets wrong, and all that is said to it. CWD, HOME and ROOT stand for places that differ with each run. */
export interface Mistake {
  args: string[];
  /** The whole of stderr. */
  says: string[];
  /** Default 1. A warning leaves the run alone: 0. */
  code?: number;
  env?: Record<string, string | undefined>;
  prepare?: (place: Place) => void;
}

const RUN_USAGE = ['', 'Usage: heddle [options] [prompt]', '       heddle COMMAND … (heddle COMMAND --help says more)'];
const OFFLINE = ['-p', 'list files', '--model', 'offline'];
const NO_PROMPT =
  'heddle: There is no prompt. Give it as an argument (heddle "…") or through stdin (echo "…" | heddle)';
const UNKNOWN = '11111111-2222-4333-8444-555555555555';
const NOBODY =
  "heddle: No session has the title 'nobody', or an id that begins so (looked in HOME/projects/PROJECT, HOME/projects)." +
  ' heddle sessions list --all shows those there are';

export const flags: Mistake[] = [
  {
    args: ['--modle', 'haiku', '-p', 'hi'],
    says: ["heddle: unknown option '--modle' (heddle --help lists the options)", 'Did you mean --model?', ...RUN_USAGE],
  },
  { args: ['-p', 'hi', '--model'], says: ["heddle: option '--model' needs a value (heddle --help says which)"] },
  {
    args: ['-p', 'hi', '--allowedTools'],
    says: ["heddle: option '--allowedTools' needs a value (heddle --help says which)"],
  },
  { args: ['-p', 'hi', '--max-turns', 'abc'], says: ["heddle: option '--max-turns' needs a number, not 'abc'"] },
  { args: [...OFFLINE, '--max-turns', '0'], says: ['heddle: --max-turns must be a whole number above 0, not 0'] },
  { args: [...OFFLINE, '--max-turns', '1.5'], says: ['heddle: --max-turns must be a whole number above 0, not 1.5'] },
  {
    args: [...OFFLINE, '--max-budget-usd', '-1'],
    says: ['heddle: --max-budget-usd must be an amount above 0, not -1'],
  },
  {
    args: ['-p', 'hi', '--permission-mode', 'acceptEdit'],
    says: [
      "heddle: option '--permission-mode' argument 'acceptEdit' is invalid. Allowed choices are acceptEdits, auto," +
        ' bypassPermissions, default, delegate, dontAsk, manual, plan.',
    ],
  },
  {
    args: ['-p', 'hi', '--output-format', 'xml'],
    says: ["heddle: option '--output-format' argument 'xml' is invalid. Allowed choices are text, json, stream-json."],
  },
  { args: ['-p', 'hi', '--verbose=yes'], says: ["heddle: option '--verbose' takes no value"] },
  {
    args: ['-p', 'hi', '--output-format', 'stream-json'],
    says: ['Error: When using --print, --output-format=stream-json requires --verbose'], // as programs know it
  },
  {
    args: ['-p', '--input-format', 'stream-json'],
    says: ['heddle: --input-format=stream-json requires --output-format=stream-json'],
  },
  {
    args: [...OFFLINE, '--setting-sources', 'users'],
    says: ["heddle: --setting-sources takes user, project and local, not 'users'"],
  },
  {
    args: [...OFFLINE, '--autocompact', 'never'],
    says: ["heddle: --autocompact takes auto, off or a number of tokens, not 'never'"],
  },
  {
    args: [...OFFLINE, '--permission-prompt-tool', 'nope'],
    says: ["heddle: --permission-prompt-tool takes stdio or mcp__SERVER__TOOL, not 'nope'"],
  },
  {
    args: [...OFFLINE, '--allowedTools', 'Bash(ls'],
    says: ["heddle: --allowedTools: 'Bash(ls' is no permission rule: its parenthesis is never closed."],
  },
  {
    args: [...OFFLINE, '--allowedTools', 'Bsh(ls)'],
    says: ["heddle: --allowedTools names the tool 'Bsh'; did you mean 'Bash'?"],
  },
  {
    args: [...OFFLINE, '--tools', 'Bsh', 'Glob'],
    says: ["heddle: --tools names the tool 'Bsh'; did you mean 'Bash'?"],
  },
  {
    args: [...OFFLINE, '--agent', 'nobody'],
    says: ["heddle: --agent: No agent is called 'nobody'. These exist: Bash, general-purpose, Explore, Plan"],
  },
  {
    args: ['-p', 'hi', '--model', 'sonet'],
    says: [
      'heddle: The context window of sonet is unknown; assuming 200,000 tokens. Did you mean --model sonnet?',
      'heddle: No price is known for the model sonet: its cost is counted as 0 (modelPricing of the settings sets it)',
    ],
    code: 0,
  },
];

export const words: Mistake[] = [
  { args: ['-p'], says: [NO_PROMPT, ...RUN_USAGE] },
  { args: ['-p', '   '], says: [NO_PROMPT, ...RUN_USAGE] },
  {
    args: ['-p', '--allowedTools', 'Bash', 'fix it'],
    says: [NO_PROMPT, '--allowedTools takes all words up to the next option: give the prompt before it', ...RUN_USAGE],
  },
  {
    args: ['fix', 'the', 'bug'],
    says: [
      "heddle: unexpected argument 'the': quote a prompt of several words",
      'As a prompt: heddle -p "fix the bug"',
      ...RUN_USAGE,
    ],
  },
  {
    args: ['sesions', 'list'],
    says: [
      "heddle: unexpected argument 'list': quote a prompt of several words",
      'Did you mean heddle sessions?',
      'As a prompt: heddle -p "sesions list"',
      ...RUN_USAGE,
    ],
  },
  {
    args: ['doctr'],
    says: [
      "heddle: unknown command 'doctr'",
      'Did you mean heddle doctor?',
      'As a prompt: heddle -p "doctr"',
      ...RUN_USAGE,
    ],
  },
  {
    args: ['nothing', '--help'],
    says: ["heddle: unknown command 'nothing' (heddle --help lists the commands)", ...RUN_USAGE],
  },
  {
    args: ['help', 'nothing'],
    says: ["heddle: unknown command 'nothing' (heddle --help lists the commands)", ...RUN_USAGE],
  },
  {
    args: ['update'],
    says: [
      "heddle: heddle has no command 'update'. It does not change itself: install the version that you want the way" +
        ' you installed this one.',
      'As a prompt: heddle -p update',
    ],
  },
  {
    args: ['sessions', 'lst'],
    says: [
      "heddle: unknown command 'sessions lst': use one of list, show, tree, diff, search, export, rename, tag, fork, switch," +
        ' archive, unarchive, delete, restore, fsck',
      'Did you mean list?',
      '',
      'Usage: heddle sessions COMMAND …',
    ],
  },
  {
    args: [...OFFLINE.slice(2), '-p', '/hepl'],
    says: ['heddle: there is no command /hepl; did you mean /help? (/help lists the commands)'],
    code: 0,
  },
  {
    args: ['mcp', 'add', 'x'],
    says: [
      'heddle: COMMAND or URL is missing (--help says how it is used)',
      '',
      'Usage: heddle mcp add [options] NAME [--] COMMAND [ARGUMENT…]',
      '       heddle mcp add [options] -t http|sse NAME URL',
    ],
  },
  {
    args: ['hooks', 'test', 'PreTooluse'],
    says: ['heddle: There is no event PreTooluse. Did you mean PreToolUse?'],
  },
  {
    args: ['permissions', 'explain', '--tool', 'Bsh', '--input', '{}'],
    says: ['heddle: There is no tool Bsh here. Did you mean Bash?'],
  },
  {
    args: ['permissions', 'explain', '--tool', 'Bash', '--input', 'ls'],
    says: [`heddle: option '--input' needs JSON, such as '{"command":"git push"}'`],
  },
];

export const sessions: Mistake[] = [
  {
    args: ['-p', '--resume'],
    says: [
      "heddle: option '--resume' needs a session: its id, the start of it, its title, or a file (heddle sessions list" +
        ' shows them; --continue takes the newest)',
    ],
  },
  {
    args: [...OFFLINE, '--resume', UNKNOWN],
    says: [
      `No conversation found with session ID: ${UNKNOWN}`, // as programs know it
      'heddle: see which sessions there are: heddle sessions list --all',
    ],
  },
  { args: [...OFFLINE, '--resume', 'nobody'], says: [NOBODY] },
  { args: ['sessions', 'show', 'nobody'], says: [NOBODY] },
  {
    args: ['sessions', 'show'],
    says: ['heddle: There are no sessions of CWD in HOME: name one of another directory (heddle sessions list --all)'],
  },
  {
    args: ['sessions', 'restore', 'nobody'],
    says: ["heddle: No deleted session has the id 'nobody' (heddle sessions restore lists them)"],
  },
  {
    args: [...OFFLINE, '--continue'],
    says: ['heddle: There is no session of CWD to continue. A new session was started.'],
    code: 0,
  },
  { args: [...OFFLINE, '--session-id', '5'], says: ["heddle: --session-id must be a UUID, not '5'"] },
  {
    args: [...OFFLINE, '--fork-session'],
    says: ['heddle: --fork-session and --resume-session-at need --resume or --continue'],
  },
  {
    args: ['tasks', 'show', 'b1'],
    says: ["heddle: No task has the id 'b1' in HOME. heddle tasks list shows those there are"],
  },
];

export const files: Mistake[] = [
  {
    args: [...OFFLINE, '--settings', 'nofile.json'],
    says: ['heddle: Settings file not found: nofile.json (--settings takes JSON, or the path of a file)'],
  },
  {
    args: [...OFFLINE, '--settings', '{"model":'],
    says: ['heddle: Settings are not valid JSON (--settings, line 1, column 10): Unexpected end of JSON input'],
  },
  {
    args: [...OFFLINE, '--settings', '{"modle":"haiku"}'],
    says: ['heddle: The setting modle has no effect in this version and was ignored. Did you mean model?'],
    code: 0,
  },
  {
    args: OFFLINE,
    prepare: ({ home }) => put(join(home, 'settings.json'), '{\n  "model": haiku\n}'),
    says: ["heddle: Settings are not valid JSON (HOME/settings.json, line 2, column 12): Unexpected token 'h'"],
  },
  {
    args: [...OFFLINE, '--mcp-config', 'nofile.json'],
    says: [
      'heddle: --mcp-config: nofile.json cannot be read: there is no such file or directory (it takes files, or JSON)',
    ],
  },
  {
    args: [...OFFLINE, '--mcp-config', '{"mcpServers":{"a":{"comand":"x"}}}'],
    says: [
      "heddle: The MCP server a failed: it needs a command (or a url and a type); it has 'comand', did you mean 'command'?",
    ],
    code: 0,
  },
  {
    args: [...OFFLINE, '--json-schema', '{"type":"string"}'],
    says: ['heddle: --json-schema must describe an object, not "string"'],
  },
  {
    args: [...OFFLINE, '--system-prompt-file', 'nofile'],
    says: ['heddle: --system-prompt-file: nofile cannot be read: there is no such file or directory'],
  },
  {
    args: ['-p', 'hi', '--model', 'replay:nofile'],
    says: ['heddle: The recording CWD/nofile cannot be read: there is no such file or directory'],
  },
  {
    args: [...OFFLINE, '--add-dir', 'nowhere'],
    says: ['heddle: --add-dir is not a directory: nowhere. It was left out.'],
    code: 0,
  },
  {
    args: [...OFFLINE, '--plugin-dir', 'nowhere'],
    says: ['heddle: CWD/nowhere: the plugin was left out: there is no such directory'],
    code: 0,
  },
  {
    args: [...OFFLINE, '--worktree', 'x'],
    says: [
      'heddle: CWD is in no git repository that has files checked out: not a git repository (or any of the parent' +
        ' directories): .git',
    ],
  },
  { args: ['trust', '/nowhere'], says: ['heddle: The directory argument is not a directory: /nowhere'] },
  {
    args: ['config', 'home', 'nowhere'],
    says: ['heddle: CWD/nowhere is not a directory. Make it first: mkdir -m 700 CWD/nowhere'],
  },
  {
    args: ['config', 'set', 'modle', 'haiku'],
    says: ['heddle: There is no setting modle that acts in this version. Did you mean model? --force writes it anyway'],
  },
  { args: ['config', 'get', 'modle'], says: ['heddle: modle is not set. Did you mean model?'] },
  {
    args: ['config', 'set', 'permissions.deny', '5'],
    says: [
      'heddle: Settings: permissions.deny must be a list of texts, none of them empty, and is 5 (HOME/settings.json)',
    ],
  },
];

export const unwritable: Mistake[] = [
  {
    args: [...OFFLINE, '--debug-file', '/nowhere/x'],
    says: ['heddle: --debug-file: /nowhere/x cannot be written: ENOENT: no such file or directory'],
  },
  {
    args: [...OFFLINE, '--record', '/nowhere/x'],
    says: ['heddle: --record: /nowhere/x cannot be written: there is no such file or directory'],
  },
  {
    args: OFFLINE,
    env: { HEDDLE_HOME: '/dev/null' },
    says: [
      'heddle: The config home /dev/null cannot be written: it is not a directory. Set HEDDLE_HOME to a directory of' +
        ' yours, or keep nothing on disk with --no-session-persistence.',
    ],
  },
  {
    args: OFFLINE,
    env: { HEDDLE_HOME: '/proc/nowhere' },
    says: [
      'heddle: The config home /proc/nowhere cannot be written: it cannot be made there. Set HEDDLE_HOME to a directory' +
        ' of yours, or keep nothing on disk with --no-session-persistence.',
    ],
  },
  {
    args: ['config', 'set', 'model', 'haiku'],
    env: { HEDDLE_HOME: '/dev/null' },
    says: [
      'heddle: /dev/null/settings.json cannot be written: ENOTDIR: not a directory. Make its directory writable;' +
        ' HEDDLE_HOME names another config home.',
    ],
  },
  {
    args: ['sessions', 'export', '--output', '/nowhere/x'],
    prepare: ({ home, cwd }) => {
      const folder = join(home, 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'));
      const message = { role: 'user', content: 'hi' };
      put(
        join(folder, `${UNKNOWN}.jsonl`),
        `${JSON.stringify({ type: 'user', uuid: UNKNOWN, parentUuid: null, message })}\n`,
      );
    },
    says: ['heddle: /nowhere/x cannot be written: there is no such file or directory'],
  },
];

export const endpoints: Mistake[] = [
  {
    args: ['-p', 'hi'],
    env: { ANTHROPIC_API_KEY: undefined },
    says: [
      'heddle: No model credentials were found: set ANTHROPIC_API_KEY, store a key with heddle auth login, or try' +
        ' --model offline.',
    ],
  },
  {
    args: ['-p', 'hi'],
    env: { ANTHROPIC_BASE_URL: '127.0.0.1:8080' },
    says: [
      'heddle: The base URL of the model API (ANTHROPIC_BASE_URL) is not an http(s) URL: 127.0.0.1:8080. Write it' +
        ' whole, such as https://api.example.com',
    ],
  },
  {
    args: ['-p', 'hi'],
    env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', CLAUDE_CODE_MAX_RETRIES: '0' },
    says: [
      'heddle: Could not connect to 127.0.0.1:1: connection refused (ECONNREFUSED). Check the network, and' +
        ' ANTHROPIC_BASE_URL or OPENAI_BASE_URL where one is set; heddle doctor tells what is used.',
    ],
  },
];
