import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplayMessage } from '../../src/sessions/replay/replay.ts';
import type { Loaded, SessionStore } from '../../src/sessions/store.ts';
import { buildTree, type Tree } from '../../src/sessions/tree/build-tree.ts';
import type { Entry } from '../../src/wire/entries.ts';
import { afterTest } from '../support/after-test.ts';

const SHARED = new URL('../golden/wire/', import.meta.url);
const OWN = new URL('./golden/', import.meta.url);

/** The entries of a recorded session file, e.g. `multi.2.1.44.session`. */
export function golden(name: string): Entry[] {
  const own = new URL(`${name}.ndjson`, OWN);
  const lines = readFileSync(existsSync(own) ? own : new URL(`${name}.ndjson`, SHARED), 'utf8')
    .trim()
    .split('\n');
  return lines.slice(1).map((line) => JSON.parse(line) as Entry);
}

export function loadedFrom(entries: readonly Entry[]): Loaded[] {
  return entries.map((entry, i) => ({ entry, line: i + 1 }));
}

export function treeOf(entries: readonly Entry[]): Tree {
  return buildTree(loadedFrom(entries));
}

export function uuids(entries: readonly Entry[]): unknown[] {
  return entries.map(({ uuid }) => uuid);
}

/** The directory goes after the test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'heddle-sessions-'));
  afterTest(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export async function collect(
  loaded: ReturnType<SessionStore['load']>,
): Promise<{ entries: Entry[]; damage: string[] }> {
  const entries: Entry[] = [];
  const damage: string[] = [];
  for await (const item of loaded) {
    if ('entry' in item) entries.push(item.entry);
    else damage.push(item.damage.reason);
  }
  return { entries, damage };
}

interface Place {
  parent?: string | null;
  at?: unknown;
  [key: string]: unknown;
}

export function user(uuid: string, text: unknown, { parent = null, at, ...rest }: Place = {}): Entry {
  return { parentUuid: parent, type: 'user', message: { role: 'user', content: text }, uuid, timestamp: at, ...rest };
}

export function assistant(
  uuid: string,
  content: unknown,
  { parent = null, at, id = uuid, ...rest }: Place = {},
): Entry {
  const message = { id, type: 'message', role: 'assistant', model: 'm', content: blocks(content) };
  return { parentUuid: parent, message, type: 'assistant', uuid, timestamp: at, ...rest };
}

export function result(uuid: string, toolUseId: string, { parent = null, ...rest }: Place = {}): Entry {
  const block = { type: 'tool_result', tool_use_id: toolUseId, content: `out of ${toolUseId}` };
  return user(uuid, [block], { parent, sourceToolAssistantUUID: parent, ...rest });
}

export function call(id: string): object {
  return { type: 'tool_use', id, name: 'Bash', input: { command: id } };
}

function blocks(content: unknown): unknown {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Why a model API would refuse these messages; written apart from the code that makes them. */
export function apiFaults(messages: readonly ReplayMessage[]): string[] {
  const faults: string[] = [];
  const called = new Set<string>();
  messages.forEach((message, i) => {
    const next = messages[i + 1];
    if (i === 0 && message.role !== 'user') faults.push('starts with the assistant');
    if (next && next.role === message.role) faults.push(`${i}: two messages of the ${message.role}`);
    if (message.content.length === 0) faults.push(`${i}: empty message`);
    if (/\\ud[89a-f]/i.test(JSON.stringify(message))) faults.push(`${i}: lone surrogate`);
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() === '') faults.push(`${i}: empty text`);
    }
    if (message.role === 'assistant') {
      const ids = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      for (const id of ids) {
        if (called.has(id)) faults.push(`${i}: ${id} called twice`);
        called.add(id);
      }
      const head = next?.content.slice(0, ids.length).map((block) => block.type === 'tool_result' && block.tool_use_id);
      if (ids.length > 0 && JSON.stringify(head) !== JSON.stringify(ids))
        faults.push(`${i}: calls not answered in order`);
      const allResults = next?.content.filter((block) => block.type === 'tool_result') ?? [];
      if (next && allResults.length !== ids.length) faults.push(`${i + 1}: results without calls`);
      if (['thinking', 'redacted_thinking'].includes(message.content.at(-1)?.type ?? ''))
        faults.push(`${i}: ends in a thought`);
    }
  });
  if (messages[0]?.content.some((block) => block.type === 'tool_result')) faults.push('0: results without calls');
  return faults;
}
