import type { OptionSchema } from '../commands/argv-schema.ts';
import type { Word } from './shell-script.ts';

/**
 * The words after the options of a wrapper; null when an option is unknown, because its command may then begin
 * anywhere.
 */
export function afterOptions(args: readonly Word[], schema: OptionSchema): readonly Word[] | null {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as Word;
    if (typeof arg !== 'string') return args.slice(at);
    if (arg === '--') return args.slice(at + 1);
    if (!arg.startsWith('-') || arg === '-') return args.slice(at);
    const values = valuesAfter(arg, schema);
    if (values === null) return null;
    at += values;
  }
  return [];
}

/** How many of the next words belong to an option; null for an unknown one. */
function valuesAfter(arg: string, schema: OptionSchema): 0 | 1 | null {
  const { flags = '', valued = '', longs = [], valuedLongs = [], count } = schema;
  if (arg.startsWith('--')) {
    const name = arg.slice(2).replace(/=.*/s, '');
    if (arg.includes('=')) return valuedLongs.includes(name) ? 0 : null;
    if (valuedLongs.includes(name)) return 1;
    return longs.includes(name) ? 0 : null;
  }
  if (count && /^-\d+$/.test(arg)) return 0;
  for (let at = 1; at < arg.length; at++) {
    const letter = arg[at] as string;
    if (valued.includes(letter)) return at === arg.length - 1 ? 1 : 0;
    if (!flags.includes(letter)) return null;
  }
  return 0;
}
