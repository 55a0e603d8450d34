import { nearestWord } from '../util/nearest.ts';
import { HeddleError } from '../wire/errors.ts';
import { type Check, flag, word } from './checks.ts';

/** Where a message belongs in the conversation. */
export interface SendOptions {
  /** The message to continue from: its uuid, or null for a new beginning. Left out: where the session stands. */
  parentUuid?: string | null;
  /** The uuid of the prompt that this one replaces: it continues from where that one did. Excludes `parentUuid`. */
  edits?: string;
  /**
   * With `edits`: brings files back to how they were when that prompt was sent. With `parentUuid`: to how the conversation
   * had left them there. Needs `enableFileCheckpointing`.
   */
  restoreFiles?: boolean;
}

export interface EditOptions {
  /** Brings files back to how they were when the old prompt was sent. Needs `enableFileCheckpointing`. */
  restoreFiles?: boolean;
  /** With `restoreFiles`: sends and changes nothing, and says what would become of the files. Not during a turn. */
  dryRun?: boolean;
}

const SEND_CHECKS: Record<keyof SendOptions, Check> = {
  parentUuid: (value) => (value === null || word(value) === null ? null : 'the uuid of a message, or null'),
  edits: word,
  restoreFiles: flag,
};

const EDIT_CHECKS: Record<keyof EditOptions, Check> = { restoreFiles: flag, dryRun: flag };

/** Throws `invalid_option` that names the option. */
export function checkSendOptions(options: SendOptions): void {
  checkEach(options, SEND_CHECKS);
  const { parentUuid, edits, restoreFiles } = options;
  if (edits !== undefined && parentUuid !== undefined) {
    throw refuse(
      'edits',
      'edits and parentUuid exclude each other: an edited prompt continues from where the old one did',
    );
  }
  if (restoreFiles && edits === undefined && parentUuid === undefined) {
    throw refuse('restoreFiles', 'restoreFiles needs edits or parentUuid: the files of which place are wanted?');
  }
}

/** The same, for `edit`. */
export function checkEditOptions(options: EditOptions): void {
  checkEach(options, EDIT_CHECKS);
  if (options.dryRun && !options.restoreFiles) {
    throw refuse('dryRun', 'dryRun needs restoreFiles: true: it says what would become of the files');
  }
}

function checkEach<Options extends object>(options: Options, checks: Record<keyof Options & string, Check>): void {
  if (typeof options !== 'object' || options === null) throw refuse('options', 'The options must be an object');
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check: Check | undefined = Object.hasOwn(checks, name) ? checks[name as keyof Options & string] : undefined;
    if (!check) throw refuse(name, `There is no option '${name}' here${hint(name, Object.keys(checks))}`);
    const expected = check(value);
    if (expected) throw refuse(name, `${name} must be ${expected}`);
  }
}

function hint(name: string, names: readonly string[]): string {
  const match = nearestWord(name.replaceAll('_', ''), names);
  return match ? `; did you mean '${match}'?` : `: there are ${names.join(', ')}`;
}

function refuse(option: string, message: string): HeddleError {
  return new HeddleError('invalid_option', message, { facts: { option } });
}
