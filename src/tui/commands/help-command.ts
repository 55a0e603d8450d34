/** Keys by what a person wants. The table of docs/terminal.md is the same. */
const KEYS: readonly [keys: string, what: string][] = [
  ['enter', 'send; while a turn runs: add to it'],
  ['ctrl+j, shift+enter, \\ enter', 'new line'],
  ['esc', 'interrupt; what waits comes back to the editor'],
  ['ctrl+c', 'interrupt; else clear the editor; twice: leave'],
  ['ctrl+d twice', 'leave; asks while something runs'],
  ['shift+tab', 'next permission mode'],
  ['up, down', 'earlier prompts; take back what waits'],
  ['ctrl+r', 'search earlier prompts'],
  ['ctrl+o', 'the whole conversation, in a pager'],
  ['alt+p', 'choose the model and its effort'],
  ['ctrl+t', 'the todo list over the editor, or not'],
  ['alt+t', 'thinking on or off'],
  ['ctrl+l', 'draw the screen again'],
  ['ctrl+z', 'back to the shell; fg continues'],
];

/** What the session answers, or the terminal before it looks for a command. */
export const ELSEWHERE: readonly Listed[] = [
  { name: 'clear', description: 'Begin a new conversation; the old one is saved' },
  { name: 'compact', argumentHint: '[what]', description: 'Replace the conversation by its summary' },
  { name: 'exit', aliases: ['quit'], description: 'Leave' },
];

interface Listed {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly argumentHint?: string;
}

/** The text of /help: keys, commands of the terminal, commands of the session. */
export function helpLines(own: readonly Listed[], ofSession: readonly Listed[]): string[] {
  const listed = [...own, ...ELSEWHERE];
  const names = new Set(listed.map(({ name }) => name));
  const others = ofSession.filter(({ name }) => !names.has(name));
  return [
    ...KEYS.map(row),
    '',
    ...listed.map((each) => row([`/${each.name} ${each.argumentHint ?? ''}`.trimEnd(), each.description])),
    ...(others.length > 0 ? ['', 'Of this session:'] : []),
    ...others.slice(0, 30).map(({ name, description }) => row([`/${name}`, description.split('\n')[0] ?? ''])),
  ];
}

function row([left, right]: readonly [string, string]): string {
  return `  ${left.padEnd(32)} ${right}`;
}
