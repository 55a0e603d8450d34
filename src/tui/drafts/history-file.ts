import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { endOfFile } from '../../util/files/end-of-file.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Attachment } from '../editor/attachments.ts';
import type { Draft } from '../editor/editor.ts';
import type { EarlierPrompt } from '../focus/focus-state.ts';
import { displayOf, fromDisplay, pastesOf, readPastes } from './stored-draft.ts';

export interface PromptOrigin {
  /** The config home. */
  readonly home: string;
  readonly project: string;
  readonly sessionId: string;
  readonly now: number;
}

/** As far back as a start reads. */
const READ_BYTES = 4 * 1024 * 1024;
/** Longer pastes are in files of their own, named by their digest. */
const INLINE = 1024;
const MAX_PASTE = 64 * 1024 * 1024;

/**
 * Adds a prompt to `history.jsonl` of the config home, in the reference's shape. It is in the file when this returns:
 * one write at the end of the file, so that processes do not mix their lines. Throws the system's error.
 */
export function appendHistory(draft: Draft, { home, project, sessionId, now }: PromptOrigin): void {
  const pastedContents = pastesOf(draft, (text) => storePaste(home, text));
  const entry = { display: displayOf(draft), pastedContents, timestamp: now, project, sessionId };
  makeDirectory(home, 0o700);
  const file = openSync(join(home, 'history.jsonl'), 'a+', 0o600);
  try {
    // The end of a line may be missing where a process died.
    writeSync(file, `${endsWithLine(file) ? '' : '\n'}${JSON.stringify(entry)}\n`);
  } finally {
    closeSync(file);
  }
}

function endsWithLine(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || readSync(file, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}

function storePaste(home: string, text: string): JsonObject {
  if (text.length <= INLINE) return { content: text };
  const contentHash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  makeDirectory(join(home, 'paste-cache'), 0o700);
  try {
    writeFileSync(pastePath(home, contentHash), text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return { contentHash };
}

function pastePath(home: string, hash: string): string {
  return join(home, 'paste-cache', `${hash}.txt`);
}

/**
 * The newest prompts of all projects, oldest first. Reads the end of the file only; lines that are no prompts are
 * passed over. Empty where there is no file.
 */
export async function readHistory(home: string): Promise<EarlierPrompt[]> {
  const load = (hash: string) => (/^[0-9a-f]{1,64}$/.test(hash) ? smallText(pastePath(home, hash), MAX_PASTE) : null);
  const text = await readEnd(join(home, 'history.jsonl'));
  return text.split('\n').flatMap((line) => toPrompt(tryParseJson(line), load));
}

function toPrompt(entry: unknown, load: (hash: string) => string | null): EarlierPrompt[] {
  const display = stringField(entry, 'display');
  if (!isObject(entry) || display === undefined || display === '') return [];
  const { pastedContents } = entry;
  const where = { project: stringField(entry, 'project') ?? '', sessionId: stringField(entry, 'sessionId') ?? '' };
  if (!isObject(pastedContents) || Object.keys(pastedContents).length === 0) {
    return [{ ...fromDisplay(display, []), ...where }];
  }
  return [new PromptWithPastes(display, where, () => readPastes(pastedContents, load))];
}

/** Reads pastes only for the prompt that the user takes. */
class PromptWithPastes implements EarlierPrompt {
  readonly project: string;
  readonly sessionId: string;
  readonly #display: string;
  readonly #load: () => Attachment[];
  #draft: Draft | null = null;

  constructor(display: string, where: { project: string; sessionId: string }, load: () => Attachment[]) {
    this.#display = display;
    this.#load = load;
    this.project = where.project;
    this.sessionId = where.sessionId;
  }

  get text(): string {
    return this.#read().text;
  }

  get attachments(): readonly Attachment[] {
    return this.#read().attachments;
  }

  #read(): Draft {
    this.#draft ??= fromDisplay(this.#display, this.#load());
    return this.#draft;
  }
}

/** The end of a file from the first whole line on. Empty where there is none, or something else is in its place. */
async function readEnd(path: string): Promise<string> {
  try {
    const { text, isCut } = await endOfFile(path, READ_BYTES);
    return isCut ? text.slice(text.indexOf('\n') + 1) : text;
  } catch {
    return '';
  }
}
