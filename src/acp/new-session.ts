import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/text/printable.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import type { RunConfig } from '../wire/run-config.ts';
import { AcpError } from './rpc-link.ts';

/** What an editor asks for in a new session, in the terms of a run. Throws for what cannot be meant. */
export function sessionConfig(params: JsonObject, base: RunConfig): { cwd: string; config: RunConfig } {
  const cwd = directory(params.cwd, 'cwd');
  const added = Array.isArray(params.additionalDirectories) ? params.additionalDirectories : [];
  const addDir = [...(base.addDir ?? []), ...added.map((each) => directory(each, 'additionalDirectories'))];
  const servers = serversOf(params.mcpServers);
  return {
    cwd,
    config: {
      ...base,
      ...{ includePartialMessages: true, forwardSubagentText: true, permissionPromptTool: 'stdio' },
      ...{ fileCheckpointing: true, onEnd: 'stop' },
      ...(addDir.length > 0 && { addDir }),
      ...(servers && { mcpConfig: [...(base.mcpConfig ?? []), JSON.stringify({ mcpServers: servers })] }),
    },
  };
}

/** An editor has no working directory that ours could be relative to. */
function directory(path: unknown, name: string): string {
  if (typeof path !== 'string' || !isAbsolute(path)) throw invalid(`${name} must be an absolute path`);
  if (path.includes('\0') || statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw invalid(`${name} is no directory: ${printable(path)}`);
  }
  return path;
}

function serversOf(servers: unknown): JsonObject | null {
  if (servers === undefined || servers === null) return null;
  if (!Array.isArray(servers)) throw invalid('mcpServers must be a list');
  if (servers.length === 0) return null;
  return Object.fromEntries(servers.map(serverOf));
}

function serverOf(server: unknown): [string, JsonObject] {
  const name = stringField(server, 'name');
  if (!isObject(server) || !name) throw invalid('an MCP server needs a name');
  const { type, args, env, headers } = server;
  const [command, url] = [stringField(server, 'command'), stringField(server, 'url')];
  if (type === 'http' || type === 'sse') {
    if (url === undefined) throw invalid(`the MCP server ${printable(name)} needs a url`);
    return [name, { type, url, headers: pairs(headers) }];
  }
  if (command === undefined) throw invalid(`the MCP server ${printable(name)} needs a command, or a type and a url`);
  return [name, { command, args: Array.isArray(args) ? args.map(String) : [], env: pairs(env) }];
}

/** Names and values, as the protocol lists them. */
function pairs(list: unknown): JsonObject {
  const all = Array.isArray(list) ? list.filter(isObject) : [];
  return Object.fromEntries(all.map((each) => [stringField(each, 'name') ?? '', stringField(each, 'value') ?? '']));
}

function invalid(message: string): AcpError {
  return new AcpError(RPC_ERRORS.invalidParams, message, { error_code: 'invalid_option' });
}
