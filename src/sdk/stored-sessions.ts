import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type FoundSession,
  findSession,
  listSessions,
  type SessionSummary,
  sessionSummary,
} from '../sessions/catalog.ts';
import { configHome } from '../sessions/config-home.ts';
import { isSessionId } from '../sessions/layout.ts';
import { createLeases } from '../sessions/leases.ts';
import { getSessionMessages, getSubagentMessages, listSubagents, type SessionMessage } from '../sessions/messages.ts';
import { deleteSession, forkSession, renameSession, tagSession } from '../sessions/session-admin.ts';
import { withWorktrees } from '../sessions/worktrees.ts';
import { thisProcess } from '../util/process-alive.ts';
import { randomIds, silentLogger } from '../util/system-runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import type {
  ForkSessionOptions,
  ListSessionsOptions,
  SessionMessagesOptions,
  SessionPlaceOptions,
} from './sessions.ts';
import { ownEnv } from './subprocess-env.ts';

/** The bodies of the functions in `sessions.ts`. */
export async function list(options: ListSessionsOptions): Promise<SessionSummary[]> {
  const { dir, includeWorktrees = true, limit, offset } = options;
  const project = dir === undefined ? undefined : realPath(dir);
  return listSessions({
    home: homeOf(options),
    ...(project !== undefined && { project: includeWorktrees ? withWorktrees(project) : project }),
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
  });
}

export async function info(sessionId: string, options: SessionPlaceOptions): Promise<SessionSummary | undefined> {
  try {
    return sessionSummary((await find(sessionId, options)).path) ?? undefined;
  } catch (error) {
    if (HeddleError.isInstance(error) && error.code === 'session_not_found') return undefined;
    throw error;
  }
}

export async function messages(sessionId: string, options: SessionMessagesOptions): Promise<SessionMessage[]> {
  return getSessionMessages((await find(sessionId, options)).path, options);
}

export async function subagents(sessionId: string, options: SessionPlaceOptions): Promise<string[]> {
  return listSubagents((await find(sessionId, options)).path);
}

export async function subagentMessages(
  sessionId: string,
  agentId: string,
  options: SessionMessagesOptions,
): Promise<SessionMessage[]> {
  return getSubagentMessages((await find(sessionId, options)).path, agentId, options);
}

export async function rename(sessionId: string, title: string, options: SessionPlaceOptions): Promise<void> {
  return renameSession(await find(sessionId, options), title);
}

export async function tag(sessionId: string, name: string | null, options: SessionPlaceOptions): Promise<void> {
  return tagSession(await find(sessionId, options), name);
}

export async function fork(sessionId: string, options: ForkSessionOptions): Promise<{ sessionId: string }> {
  const { upToMessageId, title } = options;
  const copy = await forkSession(await find(sessionId, options), {
    ids: randomIds(),
    ...(upToMessageId !== undefined && { upToMessageId }),
    ...(title !== undefined && { title }),
  });
  return { sessionId: copy.sessionId };
}

export async function remove(sessionId: string, options: SessionPlaceOptions): Promise<{ movedTo: string }> {
  const home = homeOf(options);
  const found = await find(sessionId, options);
  const leases = createLeases({ home, log: silentLogger });
  await leases.take(sessionId, thisProcess());
  try {
    return await deleteSession(found, { home, now: Date.now });
  } finally {
    leases.close();
  }
}

/** Programs name sessions by their ids; titles and beginnings of ids are for people. */
function find(sessionId: string, options: SessionPlaceOptions): Promise<FoundSession> {
  if (!isSessionId(sessionId)) {
    throw new HeddleError('invalid_option', `Not a session id: ${JSON.stringify(sessionId)}. It must be a UUID.`);
  }
  const { dir } = options;
  return findSession({
    home: homeOf(options),
    name: sessionId,
    ...(dir !== undefined && { project: realPath(dir) }),
  });
}

function homeOf({ home }: SessionPlaceOptions): string {
  return home ?? configHome(ownEnv());
}

/** A directory that is gone still has its sessions. */
function realPath(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return resolve(dir);
  }
}
