import { join } from 'node:path';
import { HeddleError } from '../../wire/errors.ts';
import type { SessionKey } from '../store.ts';
import { projectSlug, projectSlugs } from './project-slug.ts';

const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9@_-]{0,127}$/;

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** The possible paths of a transcript: first the path of a new one, then those that older versions used. */
export function transcriptPaths(home: string, key: SessionKey): [string, ...string[]] {
  checkKey(key);
  const [own, ...older] = projectFolders(home, key.project);
  return [inFolder(own, key), ...older.map((folder) => inFolder(folder, key))];
}

/** The folders that may hold a project's sessions, Heddle's own first. */
export function projectFolders(home: string, project: string): [string, ...string[]] {
  const older = projectSlugs(project).slice(1);
  const folder = (slug: string) => join(home, 'projects', slug);
  return [folder(projectSlug(project)), ...older.map(folder)];
}

/** The folder of a session's own files; its subagents' transcripts are in `subagents` below. */
export function subagentsFolder(transcript: string): string {
  return join(transcript.replace(/\.jsonl$/, ''), 'subagents');
}

export function isSubagentFile(name: string): boolean {
  return name.startsWith('agent-') && name.endsWith('.jsonl');
}

/** The session whose transcript has this file name, or null. */
export function sessionOfFile(name: string): string | null {
  if (!name.endsWith('.jsonl')) return null;
  const sessionId = name.slice(0, -'.jsonl'.length);
  return isSessionId(sessionId) ? sessionId : null;
}

function inFolder(folder: string, key: SessionKey): string {
  const transcript = join(folder, `${key.sessionId}.jsonl`);
  return key.agentId === undefined ? transcript : join(subagentsFolder(transcript), `agent-${key.agentId}.jsonl`);
}

/** Throws `invalid_option` for ids that must not become file names. */
export function checkKey(key: SessionKey): void {
  if (!isSessionId(key.sessionId)) {
    throw new HeddleError('invalid_option', `Not a session id: ${JSON.stringify(key.sessionId)}. It must be a UUID.`);
  }
  if (key.agentId !== undefined && !AGENT_ID.test(key.agentId)) {
    const rule = 'It may hold letters, digits, @, _ and -.';
    throw new HeddleError('invalid_option', `Not an agent id: ${JSON.stringify(key.agentId)}. ${rule}`);
  }
}
