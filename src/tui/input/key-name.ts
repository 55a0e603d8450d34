const MODIFIERS = ['ctrl', 'alt', 'shift', 'super'] as const;

const OTHER_MODIFIERS: Readonly<Record<string, string>> = {
  control: 'ctrl',
  opt: 'alt',
  option: 'alt',
  meta: 'alt',
  cmd: 'super',
  command: 'super',
  win: 'super',
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  ins: 'insert',
  pgup: 'pageup',
  pgdn: 'pagedown',
  pgdown: 'pagedown',
  spacebar: 'space',
};

/** Ctrl with these keys is one byte in older terminals, so that they are one key everywhere. */
const UNDO_KEYS: ReadonlySet<string> = new Set(['ctrl+-', 'ctrl+shift+-', 'ctrl+/', 'ctrl+shift+_', 'ctrl+_']);

/**
 * The name of a key as Heddle writes it, whatever the order of its modifiers and the words for it. A capital letter
 * means Shift. Returns the given text where it names no key.
 */
export function keyName(given: string): string {
  const parts = partsOf(given);
  const last = parts.pop() ?? '';
  const modifiers = new Set(parts.map((part) => OTHER_MODIFIERS[part.toLowerCase()] ?? part.toLowerCase()));
  const small = last.toLowerCase();
  if ([...last].length === 1 && small !== last) modifiers.add('shift');
  const name = OTHER_NAMES[small] ?? small;
  const key = [...MODIFIERS.filter((each) => modifiers.has(each)), name].join('+');
  return UNDO_KEYS.has(key) ? 'ctrl+_' : key;
}

/** The parts between the plus signs; the last one may be a plus sign itself. */
function partsOf(given: string): string[] {
  return given.endsWith('++') || given === '+'
    ? [...given.slice(0, -2).split('+').filter(Boolean), '+']
    : given.split('+');
}

/** What is wrong with the name of a key in a file of the user; null for a good one. */
export function keyNameProblem(given: string): string | null {
  const parts = partsOf(given);
  const last = parts.pop() ?? '';
  const odd = parts.find((part) => {
    const small = part.toLowerCase();
    return !Object.hasOwn(OTHER_MODIFIERS, small) && !MODIFIERS.some((each) => each === small);
  });
  if (odd !== undefined) return `'${odd}' is no modifier: ctrl, alt, shift and cmd are`;
  const name = OTHER_NAMES[last.toLowerCase()] ?? last.toLowerCase();
  return [...name].length === 1 || NAMES.has(name) ? null : `'${last}' is no key`;
}

const NAMES: ReadonlySet<string> = new Set([
  ...['escape', 'enter', 'tab', 'space', 'backspace', 'delete', 'insert', 'clear', 'home', 'end', 'pageup', 'pagedown'],
  ...['up', 'down', 'left', 'right'],
  ...Array.from({ length: 12 }, (_, at) => `f${at + 1}`),
]);
