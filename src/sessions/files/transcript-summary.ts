import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { archivedNow, archiveMarkOf } from './archive-mark.ts';
import { sessionOfFile } from './layout.ts';
import { linesBackwards } from './reverse-lines.ts';
import { isMissing, sessionUnreadable } from './storage-errors.ts';
import { addTailFacts, type HeadFacts, headFacts, isComplete, type TailFacts } from './transcript-ends.ts';

/** What is known of a session without reading all of it. */
export interface SessionSummary {
  sessionId: string;
  /** Of its transcript. */
  path: string;
  /** What to show for it: the custom title, else the last prompt, else the first; empty without any message. */
  summary: string;
  /** Milliseconds since the epoch. */
  lastModified: number;
  /** Bytes of the transcript. */
  fileSize: number;
  customTitle?: string;
  /** Prompts are cut to what a list can show. */
  firstPrompt?: string;
  lastPrompt?: string;
  tag?: string;
  gitBranch?: string;
  /** The working directory in which it was started. */
  cwd?: string;
  /** Milliseconds since the epoch, by its first entry with a time. */
  createdAt?: number;
  /** False when it was archived once and is not any more; absent when it never was. */
  archived?: boolean;
}

/** A transcript as the file system knows it. */
export interface SessionFile {
  sessionId: string;
  path: string;
  lastModified: number;
  fileSize: number;
  /** Whether it has been archived once. */
  isMarked: boolean;
}

const HEAD = 4 * 1024;
/** Read at the beginning, when the usual was not enough. */
const MORE = 64 * 1024;
/** Read at the end: four times as much takes a third longer for thousands of sessions (session-marks.ts keeps to it). */
const TAIL = 16 * 1024;

/** Summarises transcripts one after the other, with two reads each where that is enough. */
export interface Summariser {
  /** Bounded: a title or a tag far from the end of a file is not found. Never throws. */
  brief(file: SessionFile): SessionSummary;
  /** Reads back until everything is found, if need be to the beginning. Never throws. */
  thorough(file: SessionFile): SessionSummary;
}

export function createSummariser(): Summariser {
  const buffer = Buffer.allocUnsafe(MORE);
  const summarise = (file: SessionFile, readTail: (fd: number) => TailFacts): SessionSummary => {
    try {
      return withFile(file.path, (fd) => toSummary(file, readHead(fd, buffer), readTail(fd)));
    } catch {
      return toSummary(file, {}, {});
    }
  };
  return {
    brief: (file) => summarise(file, (fd) => readEnd(fd, file.fileSize, buffer)),
    thorough: (file) => summarise(file, (fd) => readBackwards(fd, file.fileSize)),
  };
}

/** One session, thoroughly. Null when nothing is there; throws `session_unreadable` for what cannot be read. */
export function sessionSummary(path: string): SessionSummary | null {
  const file = transcriptAt(path);
  return file && createSummariser().thorough(file);
}

/** Null when nothing is there; throws `session_unreadable` for what cannot be read. */
export function transcriptAt(path: string): SessionFile | null {
  try {
    return withFile(path, (fd) => {
      const stats = fstatSync(fd);
      if (!stats.isFile()) throw new Error('it is not a regular file');
      const isMarked = existsSync(archiveMarkOf(path));
      return { sessionId: sessionOf(path, fd), path, lastModified: stats.mtimeMs, fileSize: stats.size, isMarked };
    });
  } catch (error) {
    if (isMissing(error)) return null;
    throw sessionUnreadable(path, error);
  }
}

/** By its name; a file that was copied to another name says itself which session it is. */
function sessionOf(path: string, fd: number): string {
  const named = sessionOfFile(basename(path));
  if (named !== null) return named;
  return readHead(fd, Buffer.allocUnsafe(MORE)).sessionId ?? basename(path, '.jsonl');
}

function withFile<T>(path: string, work: (fd: number) => T): T {
  // O_NONBLOCK: a FIFO without a writer opens at once instead of never.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function toSummary(file: SessionFile, head: HeadFacts, tail: TailFacts): SessionSummary {
  const { sessionId, path, lastModified, fileSize } = file;
  const { firstPrompt, cwd, createdAt } = head;
  const { customTitle, tag, lastPrompt } = tail;
  const gitBranch = tail.gitBranch ?? head.gitBranch;
  const summary: SessionSummary = { sessionId, path, summary: '', lastModified: Math.floor(lastModified), fileSize };
  // Field by field: spreading seven objects for each of thousands of sessions costs more than reading their files.
  if (customTitle) summary.customTitle = customTitle;
  if (firstPrompt) summary.firstPrompt = firstPrompt;
  if (lastPrompt) summary.lastPrompt = lastPrompt;
  if (tag) summary.tag = tag;
  // `HEAD` stands for no branch at all: outside of a repository, or on a commit.
  if (gitBranch && gitBranch !== 'HEAD') summary.gitBranch = gitBranch;
  if (cwd) summary.cwd = cwd;
  if (createdAt) summary.createdAt = createdAt;
  const archived = file.isMarked ? archivedNow(path, file) : undefined;
  if (archived !== undefined) summary.archived = archived;
  summary.summary = customTitle || lastPrompt || firstPrompt || '';
  return summary;
}

function readHead(fd: number, buffer: Buffer): HeadFacts {
  const length = readSync(fd, buffer, 0, HEAD, 0);
  const facts = headFacts(buffer.subarray(0, length), { more: length === HEAD });
  if (facts.firstPrompt !== undefined || length < HEAD) return facts;
  const more = length + readSync(fd, buffer, length, MORE - length, length);
  return headFacts(buffer.subarray(0, more), { more: false });
}

/** Once: titles and tags are rare, and as long as one is missing all of it has to be looked at. */
function readEnd(fd: number, size: number, buffer: Buffer): TailFacts {
  const facts: TailFacts = {};
  const from = Math.max(0, size - TAIL);
  const bytes = buffer.subarray(0, readSync(fd, buffer, 0, size - from, from));
  // What stands before the first newline is the end of a line that begins further up.
  const start = from === 0 ? 0 : bytes.indexOf(LF) + 1;
  if (from === 0 || start > 0) addTailFacts(facts, bytes.subarray(start));
  return facts;
}

function readBackwards(fd: number, size: number): TailFacts {
  const facts: TailFacts = {};
  for (const { bytes } of linesBackwards(fd, { end: size })) {
    if (bytes !== null) addTailFacts(facts, bytes);
    if (isComplete(facts)) break;
  }
  return facts;
}

const LF = 0x0a;
