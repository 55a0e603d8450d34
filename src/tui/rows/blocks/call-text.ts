import { isAbsolute, relative } from 'node:path';
import type { JsonObject } from '../../../util/json.ts';
import type { CallView } from '../../../view/blocks.ts';
import { safeLine } from '../safe-text.ts';

/** What a call is called: the name of its tool, or of the server and its tool. */
export function callName(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return safeLine(server && tool ? `${server}: ${tool}` : name);
}

/** Its main argument on one line; paths below the directory of the session are relative to it. */
export function callSubject(
  { name, subject, input }: Pick<CallView, 'name' | 'subject' | 'input'>,
  cwd: string,
): string {
  const text = name.startsWith('mcp__') ? shortInput(input) || subject : subject;
  const near = isAbsolute(text) && cwd !== '' ? relative(cwd, text) : text;
  return safeLine(near === '' || near.startsWith('..') ? text : near).trim();
}

function shortInput(input: JsonObject): string {
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input).slice(0, 200);
}
