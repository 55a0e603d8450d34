import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { smallText } from '../../util/files/small-file.ts';
import { isObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { instantOf } from '../entry-fields.ts';
import { promptOf } from '../entry-texts.ts';
import { linesBackwards } from './reverse-lines.ts';

/** `<session id>.archived.json`, next to the transcript, which stays unchanged. */
const SUFFIX = '.archived.json';
const MAX_BYTES = 8192;

export function archiveMarkOf(transcript: string): string {
  return transcript.replace(/\.jsonl$/, '') + SUFFIX;
}

/** The transcripts, by file name, that have a mark among these files of their folder. */
export function markedTranscripts(names: readonly string[]): ReadonlySet<string> {
  const marks = names.filter((name) => name.endsWith(SUFFIX));
  return new Set(marks.map((name) => `${name.slice(0, -SUFFIX.length)}.jsonl`));
}

/**
 * Writes a separate file, replaced as a whole, so that neither a running session nor another archiver can interfere.
 */
export async function writeArchiveMark(transcript: string, mark: { archived: boolean; at: number }): Promise<void> {
  const text = `${JSON.stringify({ archived: mark.archived, at: new Date(mark.at).toISOString() })}\n`;
  await replacePrivateText(archiveMarkOf(transcript), text);
}

/**
 * Whether a session is archived: false when it was once, undefined when it never was. A later prompt cancels the mark
 * without a write. Never throws: an unreadable mark counts as absent.
 */
export function archivedNow(path: string, { lastModified }: { lastModified: number }): boolean | undefined {
  try {
    const mark = tryParseJson(smallText(archiveMarkOf(path), MAX_BYTES) ?? '');
    if (!isObject(mark)) return undefined;
    const at = Date.parse(stringField(mark, 'at') ?? '');
    if (mark.archived !== true || Number.isNaN(at)) return false;
    return lastModified <= at || !isPromptedSince(path, at);
  } catch {
    return undefined;
  }
}

/** Reads backwards to the time of the archiving: usually a line or two. */
function isPromptedSince(path: string, at: number): boolean {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe must not hold it up
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
