import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { isMissing, sessionUnreadable } from '../storage-errors.ts';
import { archivedNow, archiveMarkOf } from './archive-mark.ts';
import { linesBackwards } from './reverse-lines.ts';
import { sessionOfFile } from './session-paths.ts';
import { addTailInfo, type HeadInfo, headInfo, isComplete, type TailInfo } from './transcript-ends.ts';

/** The data of a session that is known without reading all of it. */
export interface SessionSummary {
  sessionId: string;
  /** The path of its transcript. */
  path: string;
  /** The text that lists show: the custom title, else the last prompt, else the first; empty without any message. */
  summary: string;
  /** Milliseconds since the epoch. */
  lastModified: number;
  /** Bytes of the transcript. */
  fileSize: number;
  customTitle?: string;
  /** Prompts are cut to the length that a list can show. */
  firstPrompt?: string;
  lastPrompt?: string;
  tag?: string;
  gitBranch?: string;
  /** The working directory in which it was started. */
  cwd?: string;
  /** Milliseconds since the epoch, by its first entry with a time. */
  createdAt?: number;
  /** False when it was archived once and no longer is; absent when it never was. */
  archived?: boolean;
}

/** A transcript as the file system knows it. */
export interface SessionFile {
  sessionId: string;
  path: string;
  lastModified: number;
  fileSize: number;
  /** Whether an archive mark exists for it. */
  isMarked: boolean;
}

const HEAD = 4 * 1024;
/** Bytes to read at the beginning, when the usual number was not enough. */
const MORE = 64 * 1024;
/**
 * Bytes to read at the end: four times as many take a third longer for thousands of sessions (title-and-tag.ts depends
 * on it).
 */
const TAIL = 16 * 1024;

/** Summarises transcripts one after the other, with two reads each where that is enough. */
export interface Summariser {
  /** Bounded: a title or a tag far from the end of a file is not found. Never throws. */
  brief(file: SessionFile): SessionSummary;
  /** Reads backwards until everything is found, if necessary to the beginning. Never throws. */
  thorough(file: SessionFile): SessionSummary;
}

export function createSummariser(): Summariser {
  const buffer = Buffer.allocUnsafe(MORE);
  const summarise = (file: SessionFile, readTail: (fd: number) => TailInfo): SessionSummary => {
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

/**
 * Summarises one session thoroughly. Null when there is no file; throws `session_unreadable` for one that cannot be
 * read.
 */
export function sessionSummary(path: string): SessionSummary | null {
  const file = transcriptAt(path);
  return file && createSummariser().thorough(file);
}

/** Null when there is no file; throws `session_unreadable` for one that cannot be read. */
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

/** The session id from the file's name; a copy under another name contains its id in its entries. */
function sessionOf(path: string, fd: number): string {
  const named = sessionOfFile(basename(path));
  if (named !== null) return named;
  return readHead(fd, Buffer.allocUnsafe(MORE)).sessionId ?? basename(path, '.jsonl');
}

function withFile<T>(path: string, work: (fd: number) => T): T {
  // O_NONBLOCK: opening a FIFO without a writer returns at once instead of blocking.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function toSummary(file: SessionFile, head: HeadInfo, tail: TailInfo): SessionSummary {
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
  // `HEAD` means that there is no branch: outside of a repository, or on a detached commit.
  if (gitBranch && gitBranch !== 'HEAD') summary.gitBranch = gitBranch;
  if (cwd) summary.cwd = cwd;
  if (createdAt) summary.createdAt = createdAt;
  const archived = file.isMarked ? archivedNow(path, file) : undefined;
  if (archived !== undefined) summary.archived = archived;
  summary.summary = customTitle || lastPrompt || firstPrompt || '';
  return summary;
}

function readHead(fd: number, buffer: Buffer): HeadInfo {
  const length = readSync(fd, buffer, 0, HEAD, 0);
  const info = headInfo(buffer.subarray(0, length), { more: length === HEAD });
  if (info.firstPrompt !== undefined || length < HEAD) return info;
  const more = length + readSync(fd, buffer, length, MORE - length, length);
  return headInfo(buffer.subarray(0, more), { more: false });
}

/** Reads once: titles and tags are rare, and while one is missing the whole part would have to be searched. */
function readEnd(fd: number, size: number, buffer: Buffer): TailInfo {
  const info: TailInfo = {};
  const from = Math.max(0, size - TAIL);
  const bytes = buffer.subarray(0, readSync(fd, buffer, 0, size - from, from));
  // The bytes before the first newline belong to a line that begins earlier.
  const start = from === 0 ? 0 : bytes.indexOf(LF) + 1;
  if (from === 0 || start > 0) addTailInfo(info, bytes.subarray(start));
  return info;
}

function readBackwards(fd: number, size: number): TailInfo {
  const info: TailInfo = {};
  for (const { bytes } of linesBackwards(fd, { end: size })) {
    if (bytes !== null) addTailInfo(info, bytes);
    if (isComplete(info)) break;
  }
  return info;
}

const LF = 0x0a;
