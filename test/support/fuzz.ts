import { ODD_LINES } from './odd-lines.ts';

/** Numbers between 0 and 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Lines as no host should send them: random bytes, and good lines with something broken. Without line feeds. */
export function fuzzLine(random: () => number, at: number): Buffer {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const kind = pick(['bytes', 'value', 'cut', 'flip', 'swap', 'swap', 'odd'] as const);
  const good = JSON.stringify(pick(goodLines(at)));
  switch (kind) {
    case 'bytes':
      return withoutFeeds(Buffer.from(Array.from({ length: random() * 200 }, () => Math.floor(random() * 256))));
    case 'value':
      return Buffer.from(JSON.stringify(randomValue(random, 4)) ?? 'undefined');
    case 'cut':
      return Buffer.from(good.slice(0, Math.floor(random() * good.length)));
    case 'flip': {
      const bytes = Buffer.from(good);
      for (let flips = 0; flips < 3; flips++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      return withoutFeeds(bytes);
    }
    case 'swap':
      return Buffer.from(JSON.stringify(swapped(JSON.parse(good), random)));
    case 'odd':
      return pick(ODD_LINES);
    default:
      return kind satisfies never;
  }
}

/** `end_input` is left out: the process would rightly end. */
function goodLines(at: number): object[] {
  const control = (request: object) => ({ type: 'control_request', request_id: `fuzz-${at}`, request });
  return [
    { type: 'user', message: { role: 'user', content: 'hello' } },
    { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'hi' }] }, parent_tool_use_id: null },
    control({ subtype: 'initialize', systemPrompt: 'short', hooks: {} }),
    control({ subtype: 'interrupt' }),
    // A few at a time, so that there is enough of the others.
    ...REQUESTS.filter((_, n) => n % 8 === at % 8).map(control),
    { type: 'control_response', response: { subtype: 'success', request_id: 'unknown', response: { a: 1 } } },
    { type: 'control_cancel_request', request_id: `fuzz-${at}` },
    { type: 'keep_alive' },
  ];
}

/** All kinds of request that leave the session able to answer; those that start servers of their own are left out. */
export const REQUESTS: readonly { subtype: string; [field: string]: unknown }[] = [
  { subtype: 'set_permission_mode', mode: 'acceptEdits' },
  { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 2000 },
  { subtype: 'set_model', model: 'haiku' },
  { subtype: 'cancel_async_message', message_uuid: '33333333-3333-4333-8333-333333333333' },
  { subtype: 'stop_task', task_id: 'b123456' },
  { subtype: 'get_task_output', task_id: 'b123456' },
  { subtype: 'background_tasks', tool_use_id: 'toolu_1' },
  { subtype: 'read_file', path: 'a.txt' },
  { subtype: 'seed_read_state', path: 'a.txt', mtime: 1_700_000_000_000 },
  { subtype: 'get_context_usage', detail: 'full' },
  { subtype: 'list_models' },
  { subtype: 'list_permission_rules' },
  { subtype: 'get_hooks_listing' },
  { subtype: 'get_session_cost' },
  { subtype: 'get_usage' },
  { subtype: 'get_binary_version' },
  { subtype: 'reload_output_styles' },
  { subtype: 'reload_plugins' },
  { subtype: 'reload_skills' },
  { subtype: 'get_settings' },
  { subtype: 'apply_flag_settings', settings: { permissions: { allow: ['Read'], deny: ['Bash(rm:*)'] } } },
  { subtype: 'update_settings', source: 'userSettings', settings: { permissions: { ask: ['Write'] } } },
  { subtype: 'explain_permission', tool_name: 'Bash', input: { command: 'ls | wc -l' } },
  { subtype: 'rewind_files', user_message_id: 'nobody', dry_run: true },
  { subtype: 'session_tree', offset: 0, limit: 10 },
  { subtype: 'branches' },
  { subtype: 'switch_leaf', leaf_uuid: 'nobody', restore_files: true, dry_run: true },
  { subtype: 'rename_session', title: 'A title', source: 'host' },
  { subtype: 'mcp_status' },
  { subtype: 'mcp_toggle', serverName: 'nobody', enabled: false },
  { subtype: 'mcp_reconnect', serverName: 'nobody' },
  { subtype: 'mcp_message', server_name: 'nobody', message: { jsonrpc: '2.0', method: 'x' } },
  { subtype: 'no_such_request', with: { some: ['body'] } },
];

/** One value somewhere inside is replaced, or a key is renamed. */
function swapped(value: unknown, random: () => number): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.2) return randomValue(random, 2);
  const entries = Object.entries(value);
  const chosen = Math.floor(random() * entries.length);
  const result = entries.map(([key, inner], index) => {
    if (index !== chosen) return [key, inner];
    return random() < 0.15 ? [`${key}x`, inner] : [key, swapped(inner, random)];
  });
  return Array.isArray(value) ? result.map(([, inner]) => inner) : Object.fromEntries(result);
}

const KEYS = ['type', 'subtype', 'message', 'content', 'request_id', '__proto__', 'constructor', 'toString', 'uuid'];
const TEXTS = ['', 'user', 'control_request', 'initialize', '\u0000', '\ud800', '\u2028', '💥', 'x'.repeat(5000)];

function randomValue(random: () => number, depth: number): unknown {
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const leaf = [null, true, -1, 0, 1e308, one(TEXTS), one(KEYS)];
  if (depth === 0 || random() < 0.5) return one(leaf);
  const inner = Array.from({ length: random() * 4 }, () => randomValue(random, depth - 1));
  return random() < 0.5 ? inner : Object.fromEntries(inner.map((value) => [one(KEYS), value]));
}

function withoutFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}
