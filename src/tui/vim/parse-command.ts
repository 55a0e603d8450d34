import type { VimCommand, VimTarget } from '../editor/vim-state.ts';

/** More would only hold the terminal up. */
const MOST = 1000;

/** Reads the keys of a command of normal or visual mode: `incomplete` needs more of them, `unknown` is none. */
export function parseCommand(keys: string, { isVisual }: { isVisual: boolean }): VimCommand | 'incomplete' | 'unknown' {
  const [, registers = '', digits = '', behind = ''] = /^((?:"[^"]|"")?)((?:[1-9]\d*)?)(.*)$/su.exec(keys) ?? [];
  const register = registers === '' ? null : registers.slice(1);
  const rest = behind;
  if (rest === '' || rest === '"') return 'incomplete';
  const command = { register, count: countOf(digits), character: null, target: null };
  const [operator = ''] = OPERATOR.exec(rest) ?? [];
  if (operator !== '' && !isVisual) return withTarget(rest.slice(operator.length), operator, command);
  if (operator !== '') return rest === operator ? { ...command, verb: operator } : 'unknown';
  if (rest === 'r') return 'incomplete';
  if (/^r.$/su.test(rest)) return { ...command, verb: 'r', character: rest.slice(1) };
  const isObject = isVisual && /^[ia]/.test(rest);
  if ((isVisual ? VISUAL_KEYS : NORMAL_KEYS).has(rest) && !isObject) return { ...command, verb: rest };
  const target = parseTarget(rest, { hasObjects: isVisual });
  return typeof target === 'string' ? target : { ...command, verb: 'move', target };
}

const OPERATOR = /^(?:g[~uU]|[dcy<>])/;
const NORMAL_KEYS = new Set([...'iIaAoOxXsSDCYpPuJ~.vV/'].concat('redo'));
const VISUAL_KEYS = new Set([...'xXsSDCYpPuUJ~vVo']);

function withTarget(
  rest: string,
  operator: string,
  command: Omit<VimCommand, 'verb'>,
): ReturnType<typeof parseCommand> {
  const [, digits = '', keys = ''] = /^((?:[1-9]\d*)?)(.*)$/su.exec(rest) ?? [];
  if (keys === '') return 'incomplete';
  const count = digits === '' ? command.count : Math.min(MOST, (command.count ?? 1) * (countOf(digits) ?? 1));
  const whole = { ...command, count, verb: operator };
  // `dd`, `g~~` and `g~g~` are the line.
  if (keys === operator || (operator.length > 1 && keys === operator[1])) {
    return { ...whole, target: { kind: 'line', key: operator } };
  }
  if (operator.length > 1 && keys === 'g') return 'incomplete';
  const target = parseTarget(keys, { hasObjects: true });
  return typeof target === 'string' ? target : { ...whole, target };
}

function countOf(digits: string): number | null {
  return digits === '' ? null : Math.min(MOST, Number(digits.slice(0, 6)));
}

const MOTIONS = new Set([...'hjklwWbBeE0^$G{}%;,'].concat('gg', 'ge', 'gE'));

function parseTarget(keys: string, { hasObjects }: { hasObjects: boolean }): VimTarget | 'incomplete' | 'unknown' {
  if (MOTIONS.has(keys)) return { kind: 'motion', key: keys };
  if (keys === 'g' || /^[fFtT]$/.test(keys)) return 'incomplete';
  const [, find, character] = /^([fFtT])(.)$/su.exec(keys) ?? [];
  if (find !== undefined) return { kind: 'motion', key: find, character: character ?? '' };
  if (!hasObjects || !/^[ia]/.test(keys)) return 'unknown';
  if (keys.length === 1) return 'incomplete';
  return /^[ia][wW"'`()[\]{}bBp]$/.test(keys) ? { kind: 'object', key: keys } : 'unknown';
}
