import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isObject, stringField, tryParseJson } from '../util/json.ts';
import { replaceFile } from '../util/replace-file.ts';
import type { Entry } from '../wire/entries.ts';
import { instantOf } from './entry-fields.ts';
import { promptOf } from './entry-text.ts';
import { linesBackwards } from './reverse-lines.ts';

/** `<session id>.archived.json`, beside the transcript, which stays as it is. */
const SUFFIX = '.archived.json';

export function archiveMarkOf(transcript: string): string {
  return transcript.replace(/\.jsonl$/, '') + SUFFIX;
}

/** The transcripts, by file name, that have a mark among these files of their folder. */
export function markedTranscripts(names: readonly string[]): ReadonlySet<string> {
  const marks = names.filter((name) => name.endsWith(SUFFIX));
  return new Set(marks.map((name) => `${name.slice(0, -SUFFIX.length)}.jsonl`));
}

/** An own file, replaced as a whole: neither a run that is at work nor another archiver can come in between. */
export async function writeArchiveMark(transcript: string, mark: { archived: boolean; at: number }): Promise<void> {
  const text = `${JSON.stringify({ archived: mark.archived, at: new Date(mark.at).toISOString() })}\n`;
  await replaceFile(archiveMarkOf(transcript), (temporary) => writeFile(temporary, text, { flag: 'wx', mode: 0o600 }));
}

/**
 * Whether a session is archived: false when it was once, undefined when it never was. A prompt that was sent since takes
 * the mark away without anybody having to write it. Never throws: a mark that cannot be read is none.
 */
export function archivedNow(path: string, { lastModified }: { lastModified: number }): boolean | undefined {
  try {
    const mark = tryParseJson(readFileSync(archiveMarkOf(path), 'utf8'));
    if (!isObject(mark)) return undefined;
    const at = Date.parse(stringField(mark, 'at') ?? '');
    if (mark.archived !== true || Number.isNaN(at)) return false;
    return lastModified <= at || !isPromptedSince(path, at);
  } catch {
    return undefined;
  }
}

/** Reads back to what was there when the session was archived: usually a line or two. */
function isPromptedSince(path: string, at: number): boolean {
  const fd = openSync(path, 'r');
  try {
    for (const { bytes } of linesBackwards(fd, { end: fstatSync(fd).size })) {
      const entry = tryParseJson(bytes?.toString() ?? '');
      const time = isObject(entry) ? instantOf(entry as Entry) : 0;
      if (time === 0) continue;
      if (time <= at) return false;
      if (isOwnPrompt(entry as Entry)) return true;
    }
    return false;
  } finally {
    closeSync(fd);
  }
}

function isOwnPrompt(entry: Entry): boolean {
  return entry.isSidechain !== true && promptOf(entry) !== null;
}
