/** Keys by what a person wants. The table of docs/terminal.md is the same. */
const KEYS: readonly [keys: string, what: string][] = [
  ['enter', 'send; while a turn runs: add to it'],
  ['ctrl+j, shift+enter, \\ enter', 'new line'],
  ['esc', 'interrupt; what waits comes back to the editor'],
  ['ctrl+c', 'interrupt; else clear the editor; twice: leave'],
  ['ctrl+d twice', 'leave'],
  ['shift+tab', 'next permission mode'],
  ['up, down', 'earlier prompts; take back what waits'],
  ['ctrl+r', 'search earlier prompts'],
  ['ctrl+l', 'draw the screen again'],
  ['ctrl+z', 'back to the shell; fg continues'],
];

const COMMANDS: readonly [command: string, what: string][] = [
  ['/help', 'this'],
  ['/model [NAME]', 'see or choose the model'],
  ['/mode [NAME]', 'see or choose the permission mode'],
  ['/clear', 'begin a new conversation; the old one is saved'],
  ['/compact [WHAT]', 'replace the conversation by its summary'],
  ['/context', 'what fills the window of the model'],
  ['/cost', 'what the session has cost'],
  ['/exit', 'leave'],
];

/** The text of /help: keys, commands of the terminal, commands of the session. */
export function helpLines(commands: readonly { name: string; description: string }[]): string[] {
  const own = new Set(COMMANDS.map(([command]) => command.slice(1).split(' ')[0]));
  const others = commands.filter(({ name }) => !own.has(name));
  return [
    ...KEYS.map(row),
    '',
    ...COMMANDS.map(row),
    ...(others.length > 0 ? ['', 'Of this session:'] : []),
    ...others.slice(0, 30).map(({ name, description }) => row([`/${name}`, description.split('\n')[0] ?? ''])),
  ];
}

function row([left, right]: readonly [string, string]): string {
  return `  ${left.padEnd(32)} ${right}`;
}
