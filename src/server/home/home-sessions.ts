import { join } from 'node:path';
import { sessionFiles } from '../../sessions/files/session-files.ts';
import { subagentsFolder } from '../../sessions/files/session-paths.ts';
import { createSummariser, type SessionFile, type SessionSummary } from '../../sessions/files/transcript-summary.ts';
import { findSession } from '../../sessions/stored/list-sessions.ts';
import { listSubagents } from '../../sessions/stored/messages.ts';
import { type SessionFigures, sessionFigures } from '../../sessions/stored/session-figures.ts';
import { HeddleError } from '../../wire/errors.ts';
import { SessionBook } from './session-book.ts';

/** How many sessions are kept open. */
const MAX_BOOKS = 12;

interface Known<T> {
  mark: string;
  value: T;
}

/** The stored sessions of a config home, for reading: what was read is kept until the file changes. */
export class HomeSessions {
  readonly home: string;
  readonly #now: () => number;
  readonly #books = new Map<string, SessionBook>();
  readonly #summaries = new Map<string, Known<SessionSummary>>();
  readonly #figures = new Map<string, Known<SessionFigures | null>>();

  constructor(home: string, now: () => number) {
    this.home = home;
    this.#now = now;
  }

  /** All sessions, newest first; a session that continued in another folder once. */
  list(): SessionSummary[] {
    const summariser = createSummariser();
    const seen = new Set<string>();
    const files = sessionFiles(this.home).filter(({ sessionId }) => {
      const isFirst = !seen.has(sessionId);
      seen.add(sessionId);
      return isFirst;
    });
    return files.map((file) => remembered(this.#summaries, file, () => summariser.brief(file)));
  }

  /** Turns and cost. They need the whole file, so they are asked for apart. */
  figures(sessionId: string): SessionFigures | null {
    const file = sessionFiles(this.home).find((each) => each.sessionId === sessionId);
    return file ? remembered(this.#figures, file, () => sessionFigures(file)) : null;
  }

  /** Rejects with `session_not_found`. */
  async find(sessionId: string): Promise<{ sessionId: string; path: string }> {
    return findSession({ home: this.home, name: sessionId });
  }

  /** The rows of a session, or of one of its agents. Rejects with `session_not_found`. */
  async open(sessionId: string, agentId?: string): Promise<SessionBook> {
    const found = await this.find(sessionId);
    if (agentId === undefined) return this.#book(found);
    if (!listSubagents(found.path).includes(agentId)) throw noAgent(agentId);
    const path = join(subagentsFolder(found.path), `agent-${agentId}.jsonl`);
    return this.#book({ sessionId: agentId, path });
  }

  #book(found: { sessionId: string; path: string }): SessionBook {
    const book = this.#books.get(found.path) ?? new SessionBook(found, this.#now);
    // The one that was used last stands at the end.
    this.#books.delete(found.path);
    this.#books.set(found.path, book);
    for (const path of [...this.#books.keys()].slice(0, -MAX_BOOKS)) this.#books.delete(path);
    return book;
  }
}

function remembered<T>(known: Map<string, Known<T>>, file: SessionFile, make: () => T): T {
  const mark = `${file.lastModified} ${file.fileSize} ${file.isMarked}`;
  const found = known.get(file.path);
  if (found?.mark === mark) return found.value;
  const value = make();
  known.set(file.path, { mark, value });
  return value;
}

function noAgent(agentId: string): HeddleError {
  return new HeddleError('session_not_found', `The session has no agent ${agentId}`, { facts: { agentId } });
}
