import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  archiveSession,
  deleteStored,
  findStored,
  forkSession,
  listSessions,
  renameSession,
  type SessionsLocation,
  type StoredSessionFile,
  sessionSummary,
  withSession,
} from '../admin/sessions.ts';
import type { Engine } from '../host/engine/engine.ts';
import { isSessionId } from '../sessions/files/session-paths.ts';
import type { JsonObject } from '../util/json.ts';
import { printable } from '../util/text/printable.ts';
import { HeddleError } from '../wire/errors.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import { AcpError } from './rpc-link.ts';

/** As many sessions as an editor gets at once. */
const PAGE = 50;

/** The sessions of the config home, also those of other programs. */
export class StoredSessions {
  readonly #engine: Engine;
  readonly #cwd: string;

  constructor(engine: Engine, cwd: string) {
    this.#engine = engine;
    this.#cwd = cwd;
  }

  /** A session by its id. Rejects with `session_not_found`; nothing but an id is looked up. */
  async find(sessionId: string): Promise<StoredSessionFile> {
    if (!isSessionId(sessionId)) {
      throw new HeddleError('session_not_found', `There is no session ${printable(sessionId)}: an id is a UUID`);
    }
    return findStored(sessionId, this.#location());
  }

  /** Whether anything of the session is stored. */
  has(sessionId: string): Promise<boolean> {
    return this.find(sessionId).then(
      () => true,
      (error) => {
        if (HeddleError.isInstance(error) && error.code === 'session_not_found') return false;
        throw error;
      },
    );
  }

  /** What lists call the session; undefined where it has nothing to be called by. */
  async titleOf(sessionId: string): Promise<string | undefined> {
    const { path } = await this.find(sessionId);
    const found = await sessionSummary(path);
    return found?.customTitle ?? found?.summary;
  }

  /** A page of sessions, the newest first. */
  async list(project: string | undefined, cursor: string | undefined): Promise<JsonObject> {
    const offset = cursor === undefined ? 0 : offsetOf(cursor);
    const { home } = this.#location();
    const found = await listSessions({
      ...{ home, limit: PAGE + 1, offset, hideArchived: true },
      ...(project !== undefined && { project: realProject(project) }),
    });
    const sessions = found.slice(0, PAGE).map((each) => ({
      ...{ sessionId: each.sessionId, cwd: each.cwd ?? this.#cwd },
      ...{ title: each.customTitle ?? each.summary, updatedAt: new Date(each.lastModified).toISOString() },
    }));
    return { sessions, ...(found.length > PAGE && { nextCursor: `${CURSOR}${offset + PAGE}` }) };
  }

  async delete(sessionId: string): Promise<void> {
    const { now } = this.#engine.runtime.clock;
    await deleteStored(await this.find(sessionId), { ...this.#location(), now: () => now() });
  }

  /** Resolves with the id of the new session. */
  async fork(sessionId: string): Promise<string> {
    const source = await this.find(sessionId);
    const { ids } = this.#engine.runtime;
    return (await forkSession(source, { ids })).sessionId;
  }

  async rename(sessionId: string, title: string): Promise<void> {
    const found = await this.find(sessionId);
    await withSession(sessionId, this.#location(), () => renameSession(found, title));
  }

  async archive(sessionId: string, mark: { archived: boolean }): Promise<void> {
    const { clock } = this.#engine.runtime;
    await archiveSession(await this.find(sessionId), { ...mark, now: () => clock.now() });
  }

  #location(): SessionsLocation {
    const { log } = this.#engine.runtime;
    return { home: this.#engine.homeOf({ config: {} }), cwd: this.#cwd, log };
  }
}

/** Sessions are stored under the real path; of a directory that is gone, there is no other. */
function realProject(cwd: string): string {
  if (!isAbsolute(cwd)) {
    throw new AcpError(RPC_ERRORS.invalidParams, 'cwd must be an absolute path', { error_code: 'invalid_option' });
  }
  try {
    return realpathSync(cwd);
  } catch {
    return cwd;
  }
}

const CURSOR = 'after-';

function offsetOf(cursor: string): number {
  const offset = cursor.startsWith(CURSOR) ? Number(cursor.slice(CURSOR.length)) : Number.NaN;
  if (Number.isSafeInteger(offset) && offset > 0) return offset;
  throw new AcpError(RPC_ERRORS.invalidParams, 'cursor is none that session/list has returned', {
    error_code: 'invalid_request',
  });
}
