import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemReason } from '../../util/files/system-reason.ts';
import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';

/**
 * Reads `--mcp-config`: JSON texts and paths of files, each with `mcpServers` by name; of two servers with one name the
 * later one counts. Rejects with `invalid_option` for a text or file that cannot be read.
 */
export async function readMcpConfig(words: readonly string[], cwd: string): Promise<Map<string, JsonObject>> {
  const servers = new Map<string, JsonObject>();
  for (const word of words) {
    const isText = word.trimStart().startsWith('{');
    const parsed = tryParseJson(isText ? word : await readFileOf(word, cwd));
    const raw = isObject(parsed) ? parsed.mcpServers : undefined;
    if (!isObject(raw)) throw refuse(`${isText ? 'the text' : word} is no JSON object with mcpServers`);
    for (const [name, server] of Object.entries(raw)) {
      if (!isObject(server)) throw refuse(`the server ${JSON.stringify(name)} is no object`);
      servers.set(name, server);
    }
  }
  return servers;
}

async function readFileOf(path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (cause) {
    throw refuse(`${path} cannot be read: ${systemReason(cause)} (it takes files, or JSON)`, cause);
  }
}

function refuse(message: string, cause?: unknown): HeddleError {
  return new HeddleError('invalid_option', `--mcp-config: ${message}`, { facts: { option: 'mcpConfig' }, cause });
}
