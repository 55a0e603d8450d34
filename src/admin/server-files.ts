import { join } from 'node:path';
import { type Change, changeJsonFile } from '../config/json-file.ts';
import { withoutSetting, withSetting } from '../config/settings/edit-settings.ts';
import type { SettingsDirectories } from '../config/settings/scopes.ts';
import { readSettingsFile } from '../config/settings/settings-file.ts';
import { changeProjectFile } from '../host/launch/change-project-file.ts';
import { PROJECT_SERVERS, USER_SERVERS } from '../host/mcp/server-files.ts';
import { expandConfig, type Variables } from '../mcp/config/expand-config.ts';
import { readServerConfig, typeOf } from '../mcp/config/server-config.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';

/** The scopes whose servers are defined in a file, the strongest first. */
export const SERVER_SCOPES = ['local', 'project', 'user'] as const;
export type ServerScope = (typeof SERVER_SCOPES)[number];

/** With a home: a command about a user's servers always has one. */
export type ServerLocation = SettingsDirectories & { configHome: string };

/** A server as defined in a file. */
export interface WrittenServer {
  name: string;
  scope: ServerScope;
  file: string;
  raw: JsonObject;
}

/** Every server of the files, the strongest scope's first. Throws `invalid_settings` for a file that cannot be read. */
export function writtenServers(location: ServerLocation): WrittenServer[] {
  return SERVER_SCOPES.flatMap((scope) => {
    const { file, keys } = scopeLocation(scope, location);
    const servers = find(readSettingsFile(file) ?? {}, keys);
    const entries = isObject(servers) ? Object.entries(servers) : [];
    return entries.flatMap(([name, raw]) => (isObject(raw) ? { name, scope, file, raw } : []));
  });
}

/** Only characters that tool names may contain, so that no name looks like another. */
const NAME = /^[a-zA-Z0-9][\w-]{0,63}$/;

/**
 * Writes a server into the file of its scope; resolves with the path of that file. Rejects with `invalid_option` for
 * one that could not be used, or whose name is taken there; everything else in the file stays. A trusted project stays
 * trusted.
 */
export async function addServer(server: Omit<WrittenServer, 'file'>, location: ServerLocation): Promise<string> {
  const { name, scope, raw } = server;
  if (!NAME.test(name)) {
    throw refuse(`'${name}' is no name for a server: use letters, digits, _ and -, beginning with a letter or digit`);
  }
  const { file, keys } = scopeLocation(scope, location);
  await changeFile(scope, location, (values) => {
    if (find(values, [...keys, name]) !== undefined) {
      throw refuse(`There is a server ${name} in the scope ${scope} (${file}) already: remove it first`);
    }
    return withSetting(values, [...keys, name], raw);
  });
  return file;
}

/** Removes a server from the file of its scope. */
export async function removeServer({ name, scope }: WrittenServer, location: ServerLocation): Promise<void> {
  const { keys } = scopeLocation(scope, location);
  await changeFile(scope, location, (values) => withoutSetting(values, [...keys, name]));
}

/**
 * Throws `invalid_option` for a server that could not be used. If the value of a variable is unknown here, it returns a
 * message about that instead.
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

function scopeLocation(scope: ServerScope, { cwd, configHome }: ServerLocation): { file: string; keys: string[] } {
  switch (scope) {
    case 'local':
      return { file: join(configHome, USER_SERVERS), keys: ['projects', cwd, 'mcpServers'] };
    case 'project':
      return { file: join(cwd, PROJECT_SERVERS), keys: ['mcpServers'] };
    case 'user':
      return { file: join(configHome, USER_SERVERS), keys: ['mcpServers'] };
  }
}

async function changeFile(scope: ServerScope, location: ServerLocation, change: Change): Promise<void> {
  const { file } = scopeLocation(scope, location);
  if (scope !== 'project') return changeJsonFile(file, change);
  const keepTrust = await changeProjectFile(file, location, change);
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
