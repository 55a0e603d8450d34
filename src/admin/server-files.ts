import { join } from 'node:path';
import { withoutSetting, withSetting } from '../config/edit-settings.ts';
import { type Change, changeJsonFile } from '../config/json-file.ts';
import type { SettingsPlaces } from '../config/scopes.ts';
import { readSettingsFile } from '../config/settings-file.ts';
import { expandConfig, type Variables } from '../mcp/expand-config.ts';
import { readServerConfig, typeOf } from '../mcp/server-config.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import { PROJECT_SERVERS, USER_SERVERS } from './mcp.ts';
import { changeProjectFile } from './project-changes.ts';

/** The scopes whose servers stand in a file, the strongest first. */
export const SERVER_SCOPES = ['local', 'project', 'user'] as const;
export type ServerScope = (typeof SERVER_SCOPES)[number];

/** With a home: a command about a user's servers has one. */
export type ServerPlace = SettingsPlaces & { configHome: string };

/** A server as it stands in a file. */
export interface WrittenServer {
  name: string;
  scope: ServerScope;
  file: string;
  given: JsonObject;
}

/** Every server of the files, the strongest scope's first. Throws `invalid_settings` for one that cannot be read. */
export function writtenServers(place: ServerPlace): WrittenServer[] {
  return SERVER_SCOPES.flatMap((scope) => {
    const { file, keys } = scopePlace(scope, place);
    const servers = find(readSettingsFile(file) ?? {}, keys);
    const entries = isObject(servers) ? Object.entries(servers) : [];
    return entries.flatMap(([name, given]) => (isObject(given) ? { name, scope, file, given } : []));
  });
}

/** What names of tools are made of, and no other name than it looks like. */
const NAME = /^[a-zA-Z0-9][\w-]{0,63}$/;

/**
 * Writes a server into the file of its scope; resolves with that file. Rejects with `invalid_option` for one that could
 * not be used, or whose name is taken there; everything else in the file stays. A project that was trusted stays so.
 */
export async function addServer(server: Omit<WrittenServer, 'file'>, place: ServerPlace): Promise<string> {
  const { name, scope, given } = server;
  if (!NAME.test(name)) {
    throw refuse(`'${name}' is no name for a server: use letters, digits, _ and -, beginning with a letter or digit`);
  }
  const { file, keys } = scopePlace(scope, place);
  await changeFile(scope, place, (values) => {
    if (find(values, [...keys, name]) !== undefined) {
      throw refuse(`There is a server ${name} in the scope ${scope} (${file}) already: remove it first`);
    }
    return withSetting(values, [...keys, name], given);
  });
  return file;
}

/** Takes a server out of the file of its scope. */
export async function removeServer({ name, scope }: WrittenServer, place: ServerPlace): Promise<void> {
  const { keys } = scopePlace(scope, place);
  await changeFile(scope, place, (values) => withoutSetting(values, [...keys, name]));
}

/**
 * Throws `invalid_option` for a server that could not be used. What its variables stand for may not be known here, then
 * that is what is handed back.
 */
export function checkServer(given: JsonObject, variables: Variables): string | null {
  if (typeOf(given) === 'sdk') throw refuse('A server of the type sdk lives in a program, and cannot be in a file');
  let expanded: JsonObject;
  try {
    expanded = expandConfig(given, variables);
  } catch (error) {
    return messageOf(error);
  }
  try {
    readServerConfig(expanded);
    return null;
  } catch (error) {
    throw refuse(`The server cannot be used: ${messageOf(error)}`);
  }
}

function scopePlace(scope: ServerScope, { cwd, configHome }: ServerPlace): { file: string; keys: string[] } {
  switch (scope) {
    case 'local':
      return { file: join(configHome, USER_SERVERS), keys: ['projects', cwd, 'mcpServers'] };
    case 'project':
      return { file: join(cwd, PROJECT_SERVERS), keys: ['mcpServers'] };
    case 'user':
      return { file: join(configHome, USER_SERVERS), keys: ['mcpServers'] };
  }
}

async function changeFile(scope: ServerScope, place: ServerPlace, change: Change): Promise<void> {
  const { file } = scopePlace(scope, place);
  if (scope !== 'project') return changeJsonFile(file, change);
  const keepTrust = await changeProjectFile(file, place, change);
  await keepTrust();
}

function find(values: JsonObject, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    values,
  );
}

function refuse(message: string): HeddleError {
  return new HeddleError('invalid_option', message);
}
