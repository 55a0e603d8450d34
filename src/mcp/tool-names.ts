import { createHash } from 'node:crypto';

/** The limit of model APIs. */
const MAX_NAME = 128;
const HASH_LENGTH = 8;

/**
 * The name under which the model calls a tool of a server: `mcp__server__tool`, with `_` for characters that APIs
 * refuse. A name that is too long is cut and ends in a hash of the whole, so that it stays stable and unique.
 */
export function mcpToolName(server: string, tool: string): string {
  const name = `mcp__${sanitised(server)}__${sanitised(tool)}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(`${server}\n${tool}`).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hash}`;
}

function sanitised(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}
