import { modelNames } from '../../../admin/model-names.ts';
import { runningSessions } from '../../../admin/running/running-sessions.ts';
import { SERVER_SCOPES, writtenServers } from '../../../admin/server-files.ts';
import { firstWords, shortIds } from '../../../admin/session-views.ts';
import { listSessions, listTrash } from '../../../admin/sessions.ts';
import { settingsThatAct } from '../../../admin/settings.ts';
import { listTasks } from '../../../admin/tasks.ts';
import { configHome } from '../../../host/engine/environment.ts';
import { HOOK_EVENTS } from '../../../wire/hooks/hook-events.ts';
import { BUILTIN_TOOL_NAMES } from '../../../wire/tools/known-tool-names.ts';
import type { Suggested, Suggestion } from './suggest.ts';

/** More are no help in a list. */
const MOST_SESSIONS = 100;
const TITLE_WIDTH = 60;

export interface LineToComplete {
  /** The words behind `heddle`, the one that is being written last. */
  words: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/**
 * What a placeholder of a help text, or the value of an option, can be here; null: any text. Reads files only, and asks a
 * server of this machine only where its name is written.
 */
export async function valuesFor(kind: string, written: string, place: LineToComplete): Promise<Suggested | null> {
  const source = Object.hasOwn(SOURCES, kind) ? SOURCES[kind] : undefined;
  return source === undefined || typeof source === 'string' ? (source ?? null) : source(place, written);
}

type Source = 'files' | 'directories' | ((place: LineToComplete, written: string) => Promise<Suggestion[]>);

const tools: Source = async () => named(BUILTIN_TOOL_NAMES);
const sessions: Source = async (place) => sessionsHere(place);
const models: Source = async ({ env }, written) =>
  (await modelNames(env, written)).map(({ name, meaning }) => ({ value: name, text: meaning }));

/** By the option or the placeholder; an option counts first, because its placeholder may only say `name`. */
const SOURCES: Readonly<Record<string, Source>> = {
  '--model': models,
  '--fallback-model': models,
  '--tools': tools,
  '--tool': tools,
  '--allowedTools': tools,
  '--disallowedTools': tools,
  SESSION: sessions,
  session: sessions,
  'HOST:SESSION': async (place) => sessionsThatRun(place),
  TASK: async ({ env }) =>
    listTasks({ home: configHome(env) }).map(({ task_id, state, description }) => ({
      value: task_id,
      text: `${state} · ${firstWords(description, TITLE_WIDTH)}`,
    })),
  KEY: async () => named(settingsThatAct()),
  NAME: async (place) => serversHere(place),
  SCOPE: async () => named(SERVER_SCOPES),
  EVENT: async () => named(HOOK_EVENTS),
  DIR: 'directories',
  directory: 'directories',
  directories: 'directories',
  FILE: 'files',
  file: 'files',
  path: 'files',
  'file or json': 'files',
  'files or json': 'files',
  'json or file': 'files',
};

const named = (values: readonly string[]): Suggestion[] => values.map((value) => ({ value, text: '' }));

/** The newest first. `restore` lists what is in the trash. */
async function sessionsHere({ words, env, cwd }: LineToComplete): Promise<Suggestion[]> {
  const home = configHome(env);
  if (words[0] === 'sessions' && words[1] === 'restore') {
    return (await listTrash(home)).map(({ sessionId, summary }) => ({
      value: sessionId,
      text: titleOf(summary?.summary ?? ''),
    }));
  }
  const found = await listSessions({ home, project: cwd, limit: MOST_SESSIONS });
  const short = shortIds(found.map(({ sessionId }) => sessionId));
  return found.map(({ sessionId, summary }) => ({ value: short(sessionId), text: titleOf(summary) }));
}

async function sessionsThatRun({ env }: LineToComplete): Promise<Suggestion[]> {
  return runningSessions(configHome(env)).map(({ sessionId, state, record }) => ({
    value: sessionId.slice(0, 8),
    text: [state, ...(record ? [record.cwd] : [])].join(' · '),
  }));
}

/** `mcp add NAME` is a new name. */
async function serversHere({ words, env, cwd }: LineToComplete): Promise<Suggestion[]> {
  if (words[0] !== 'mcp' || words[1]?.startsWith('add')) return [];
  const servers = writtenServers({ cwd, configHome: configHome(env) });
  return servers.map(({ name, scope, file }) => ({ value: name, text: `${scope} · ${file}` }));
}

const titleOf = (summary: string) => firstWords(summary, TITLE_WIDTH);
