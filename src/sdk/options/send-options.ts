import { type Check, flag, must, word } from '../../util/checks.ts';
import { badOption, checkNamed } from '../../wire/check-named.ts';

/** The position of a message in the conversation. */
export interface SendOptions {
  /** The message to continue from: its uuid, or null for a new root. Left out: the active leaf of the session. */
  parentUuid?: string | null;
  /** The uuid of the prompt that this one replaces. The new prompt has the same parent. Excludes `parentUuid`. */
  edits?: string;
  /**
   * With `edits`: restores files to their state when that prompt was sent. With `parentUuid`: to the state in which the
   * conversation left them there. Needs `enableFileCheckpointing`.
   */
  restoreFiles?: boolean;
}

export interface EditOptions {
  /** Restores files to their state when the old prompt was sent. Needs `enableFileCheckpointing`. */
  restoreFiles?: boolean;
  /**
   * With `restoreFiles`: sends and changes nothing, and describes what would happen to the files. Not during a turn.
   */
  dryRun?: boolean;
}

const SEND_CHECKS: Record<keyof SendOptions, Check> = {
  parentUuid: must('the uuid of a message, or null', (value) => value === null || word(value) === null),
  edits: word,
  restoreFiles: flag,
};

const EDIT_CHECKS: Record<keyof EditOptions, Check> = { restoreFiles: flag, dryRun: flag };

/** Throws `invalid_option` that names the option. */
export function checkSendOptions(options: SendOptions): void {
  checkEach(options, SEND_CHECKS);
  const { parentUuid, edits, restoreFiles } = options;
  if (edits !== undefined && parentUuid !== undefined) {
    throw badOption(
      'edits',
      'edits and parentUuid exclude each other: an edited prompt continues from where the old one did',
    );
  }
  if (restoreFiles && edits === undefined && parentUuid === undefined) {
    throw badOption('restoreFiles', 'restoreFiles needs edits or parentUuid: the files of which place are wanted?');
  }
}

/** Throws `invalid_option` that names the option, for `edit`. */
export function checkEditOptions(options: EditOptions): void {
  checkEach(options, EDIT_CHECKS);
  if (options.dryRun && !options.restoreFiles) {
    throw badOption('dryRun', 'dryRun needs restoreFiles: true: it says what would become of the files');
  }
}

function checkEach(options: SendOptions | EditOptions, checks: Record<string, Check>): void {
  checkNamed(options, checks, {
    before: '',
    noObject: (kind) => `The options must be an object, got ${kind}`,
    unknown: (name, meant) =>
      `There is no option '${name}' here${meant ? `; did you mean '${meant}'?` : `: there are ${Object.keys(checks).join(', ')}`}`,
  });
}
