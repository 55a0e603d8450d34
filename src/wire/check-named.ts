import { type Check, kindOf } from '../util/checks.ts';
import { isObject } from '../util/json.ts';
import { nearestWord } from '../util/text/nearest.ts';
import { HeddleError } from './errors.ts';

export interface Wording {
  /** Printed before the name of an option that has a wrong value: `options.`, `createEngine: `. */
  before: string;
  /** The whole sentence for options that are not an object. `kind` is the kind of value that the caller passed. */
  noObject(kind: string): string;
  /** The whole sentence for a name that is not an option; `meant` is the option with nearly that name, or null. */
  unknown(name: string, meant: string | null): string;
}

/** Checks options by their names; undefined counts as left out. Throws `invalid_option` for the first bad option. */
export function checkNamed(options: unknown, checks: Readonly<Record<string, Check>>, wording: Wording): void {
  if (!isObject(options)) throw badOption('options', wording.noObject(kindOf(options)));
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw badOption(name, wording.unknown(name, nearestOption(name, checks)));
    const fault = check(value);
    if (fault) throw badOption(name, `${wording.before}${name}${fault.at} ${fault.says}`);
  }
}

export function badOption(option: string, message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { option }, cause });
}

/** The option that the caller probably meant: `permissionMode` for `permision_mode`. */
function nearestOption(name: string, checks: Readonly<Record<string, Check>>): string | null {
  return nearestWord(name.replaceAll('_', ''), Object.keys(checks));
}
