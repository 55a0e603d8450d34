/**
 * The text of `heddle --help`: grouped, with examples. A test checks that it contains every flag of `wire/flags.ts`.
 */
export function helpText(): string {
  return [
    'Usage: heddle [options] [prompt]',
    '       heddle COMMAND … (heddle COMMAND --help says more)',
    '',
    'Runs a coding agent in the current directory: on a prompt, or in a terminal as a conversation (? shows its keys).',
    '',
    'Commands, as the very first word:',
    ...COMMANDS.map(optionLine),
    '',
    ...GROUPS.flatMap(({ title, options }) => [`${title}:`, ...options.map(optionLine), '']),
    'Examples:',
    ...EXAMPLES.flatMap(([what, command]) => [`  # ${what}`, `  ${command}`]),
    '',
    'Models: ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) for the Anthropic API, ANTHROPIC_BASE_URL for another endpoint;',
    '        OPENAI_BASE_URL and OPENAI_API_KEY for openai/NAME; or keys stored with heddle auth login;',
    '        --model offline needs neither network nor key.',
    'Exit codes: 0 done, 1 the last result was an error or the run could not start, 129, 130, 143 after a signal.',
    'State: sessions are kept under $HEDDLE_HOME (default ~/.heddle).',
    '',
  ].join('\n');
}

type Option = readonly [flag: string, text: string];

function optionLine([flag, text]: Option): string {
  const wide = flag.length > 38;
  return wide ? `  ${flag}\n${' '.repeat(42)}${text}` : `  ${flag.padEnd(40)}${text}`;
}

const COMMANDS: readonly Option[] = [
  ['models', 'List the models and providers that can be used here'],
  ['doctor [directory]', 'Check what a run here needs, and say what to do'],
  ['auth status|login|logout', 'Store an API key, and see which credential a run has'],
  ['serve', 'Serve sessions over HTTP to any number of clients'],
  ['acp', 'Serve an editor over the Agent Client Protocol'],
  ['sessions list|show|tree|search|…', 'See, search, export, branch, archive, check and delete stored sessions'],
  ['stats', 'Sum up what sessions cost, by day, model, project and tool'],
  ['attach [HOST:][SESSION]', 'Join a session that runs in another terminal, or without one'],
  ['tasks list|show|stop', 'See and stop what sessions have in the background'],
  ['rewind SESSION MESSAGE', 'Bring files back to how they were when a message was sent'],
  ['config list|get|set|unset|home', 'Show and change settings, with where they stand'],
  ['trust [directory]', 'Let the settings of a project act'],
  ['permissions explain', 'Say what would become of a tool call, and which rule decides'],
  ['plugin install|list|…', 'Install plugins from marketplaces, and let them act'],
  ['mcp add|list|test|login|…', 'Configure, check and sign in to MCP servers'],
  ['hooks list|test', 'Show the hooks of this directory, or try them with an event'],
  ['completion bash|zsh|fish', 'Print a script that completes commands, options, sessions and models'],
  ['shim DIR', 'Write a launcher named claude that starts Heddle'],
  ['help [command]', 'The same as --help'],
];

export const GROUPS: readonly { title: string; options: readonly Option[] }[] = [
  {
    title: 'Run',
    options: [
      ['-p, --print', 'Print the answer when it is there, and ask nobody (implied without a terminal)'],
      ['--output-format <format>', 'text (default), json (one result), stream-json (every message)'],
      ['--input-format <format>', 'text (default), stream-json (messages and control lines on stdin)'],
      ['--verbose', 'With json: all messages; with text: what each agent has cost, on stderr;'],
      ['', 'required with stream-json'],
      ['--plain', 'In a terminal: only add lines, draw nothing again (or --ax-screen-reader)'],
      ['--no-progress', 'With text on a terminal: no line on stderr that says what goes on'],
      ['--include-partial-messages', 'With stream-json: the model’s stream events, too'],
      ['--include-hook-events', 'With stream-json: all hook events, too'],
      ['--forward-subagent-text', 'With stream-json: the text of subagents, too'],
      ['--tool-use-summaries', 'With stream-json: a line that sums up each round of tool calls'],
      ['--replay-user-messages', 'With stream-json both ways: echo each accepted message'],
    ],
  },
  {
    title: 'Model',
    options: [
      ['--model <name>', 'default, sonnet, opus, haiku or a full model id of the Anthropic API;'],
      ['', 'openai/NAME: a model of an OpenAI-compatible server (OPENAI_BASE_URL);'],
      ['', 'offline: built in, no network; replay:FILE: the answers of a recording'],
      ['--fallback-model <names>', 'Models to try in turn when that one cannot answer, separated by commas'],
      ['--effort <level>', 'low, medium, high, xhigh, max'],
      ['--thinking <mode>', 'adaptive, enabled, disabled'],
      ['--max-thinking-tokens <n>', 'Budget for thinking'],
      ['--thinking-display <what>', 'What of it is shown: summarized or omitted'],
      ['--betas <names...>', 'Beta features of the model API'],
      ['--system-prompt <text>', 'Instead of the built-in prompt (or --system-prompt-file <path>)'],
      ['--append-system-prompt <text>', 'After the built-in prompt (or --append-system-prompt-file <path>)'],
      ['--json-schema <json>', 'The answer must match this schema'],
    ],
  },
  {
    title: 'Limits',
    options: [
      ['--max-turns <n>', 'Stop after that many rounds of tool calls'],
      ['--max-budget-usd <amount>', 'Stop when the session has cost that much, agents included'],
      ['--max-duration-ms <ms>', 'Stop a turn that takes longer'],
      ['--autocompact <auto|off|TOKENS>', 'When the conversation is summed up to make room'],
    ],
  },
  {
    title: 'Agents and background work',
    options: [
      ['--agents <json or file>', 'Subagents'],
      ['--agent <name>', 'Run the main thread as this agent'],
      ['--teams', 'Let the model lead a team of agents'],
      ['--on-end <wait|stop>', 'What becomes of background work at the end (default: wait)'],
      ['--background-wait <seconds>', 'How long it is waited for (default: 3600)'],
      ['--allow-detach', 'Let commands outlive the session, where the model asks for it'],
    ],
  },
  {
    title: 'Tools and permissions',
    options: [
      ['--tools <names...>', 'The tools that exist; "" for none, default for all'],
      ['--host-tools <names...>', 'Tools that the host brings along and runs itself (stream-json)'],
      ['--allowedTools <rules...>', 'Run without asking, e.g. "Bash(git log:*)" Edit'],
      ['--disallowedTools <rules...>', 'Remove tools, or deny calls in every mode'],
      ['--permission-mode <mode>', 'default (or manual), acceptEdits, plan, dontAsk, bypassPermissions, auto,'],
      ['', 'delegate'],
      ['--permission-prompt-tool <name>', 'Who is asked: stdio, or an MCP tool'],
      ['--permission-prompts <target>', 'host, or none: what would be asked is denied'],
      ['--dangerously-skip-permissions', 'Same as --permission-mode bypassPermissions'],
      ['--allow-dangerously-skip-permissions', 'Let the host switch to bypassPermissions later'],
      ['--add-dir <directories...>', 'Further directories to work in'],
    ],
  },
  {
    title: 'Sessions',
    options: [
      ['-c, --continue', 'Go on with the newest session of this directory'],
      ['-r, --resume [session]', 'Continue a session: its id, the start of it, its title, or a file;'],
      ['', 'in a terminal without one: a list'],
      ['--fork-session', 'With --resume or --continue: into a new session'],
      ['--resume-session-at <uuid>', 'With --resume: go on from that message'],
      ['--continue-turn', 'With --resume or --continue: continue the turn that was cut off'],
      ['--resume-drops-turn <uuid>', 'With it: refuse to drop more than the turn of that prompt'],
      ['--session-id <uuid>', 'The id of the new session'],
      ['--on-missing <what>', 'A session that is not there: error (default) or fresh'],
      ['--on-busy <what>', 'A session in use by another process: refuse (default), wait or fork'],
      ['--replay-history', 'Print the conversation so far first (stream-json)'],
      ['--session-store host', 'The session is kept by the host, over the connection'],
      ['--session-mirror', 'Print every entry that is stored as a transcript_mirror line, with stream-json'],
      ['--bg, --background', 'Start without a terminal, and print the session id (heddle attach)'],
      ['--no-session-persistence', 'Keep nothing on disk'],
      ['--no-history', 'In the terminal: store no prompts and no draft, and read none'],
      ['-n, --name <title>', 'A title for the session'],
      ['-w, --worktree [name]', 'Work in a git worktree below .claude/worktrees'],
    ],
  },
  {
    title: 'Configuration',
    options: [
      ['--settings <file or json>', 'Settings for this run'],
      ['--setting-sources <list>', 'Settings files to load: user, project, local'],
      ['--bare', 'Only what the flags name: no settings, memory, servers'],
      ['--safe-mode', 'No memory, hooks, servers, skills of files; rules hold'],
      ['--trust', 'Let the settings of this directory act, for this run'],
      ['--managed-settings <json or file>', 'What a parent program forbids; it only narrows'],
      ['--managed-settings-in-initialize', 'The same come with the initialize request, which is the first line'],
      ['--mcp-config <files or json...>', 'MCP servers'],
      ['--strict-mcp-config', 'Only the servers of --mcp-config'],
      ['--plugin-dir <directories...>', 'Plugins: folders, folders of plugins, zip or tar archives'],
      ['--plugin-dir-no-mcp <directories...>', 'Plugins, without their MCP servers'],
      ['--plugin-url <addresses...>', 'Plugins: archives at https addresses, for this run'],
      ['--await-initialize', 'With stream-json input: take plugins from the initialize request'],
      ['--init', 'Run the Setup hooks of the project first'],
      ['--init-only', 'Run them, and nothing else'],
      ['--maintenance', 'Run them for maintenance first'],
      ['--disable-slash-commands', 'Take / at the start of a prompt as text'],
      ['--verbatim-prompts', 'Take prompts as text: no slash commands, no @path'],
    ],
  },
  {
    title: 'Diagnostics',
    options: [
      ['-d, --debug [filter]', 'Details on stderr (also --debug-to-stderr)'],
      ['--debug-file <path>', 'Details into a file'],
      ['--record <file>', 'Record the traffic with the model, for --model replay:FILE'],
      ['-v, --version', 'The version'],
      ['-h, --help', 'This text'],
    ],
  },
];

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['ask about the project; in a terminal you are asked before something runs', 'heddle "what does this project do?"'],
  [
    'in a script: nobody is asked, so say what it may do',
    'heddle -p "fix the typo in notes.txt" --permission-mode acceptEdits',
  ],
  ['let it run the tests', 'heddle -p "run the tests" --allowedTools "Bash(npm test:*)"'],
  ['no network, no key', 'heddle -p --model offline "list files then read README.md"'],
  ['for programs', 'heddle -p "hi" --output-format stream-json --verbose'],
  ['go on with the last session', 'heddle --continue "and now the docs"'],
  ['in a git worktree of its own', 'heddle "rename the function" --worktree rename'],
  ['the same everywhere, for scripts', 'heddle -p "what is in notes.txt?" --bare'],
];
