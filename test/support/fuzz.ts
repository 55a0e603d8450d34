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
    control({ subtype: 'set_permission_mode', mode: 'acceptEdits' }),
    control({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: 2000 }),
    control({ subtype: 'no_such_request', with: { some: ['body'] } }),
    { type: 'control_response', response: { subtype: 'success', request_id: 'unknown', response: { a: 1 } } },
    { type: 'control_cancel_request', request_id: `fuzz-${at}` },
    { type: 'keep_alive' },
  ];
}

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

/** Each of these has ended some program once. */
export const ODD_LINES: readonly Buffer[] = [
  ...['null', 'true', '0', '-', '""', '[]', '{}', '[[[]]]', '{"type":null}', '{"type":[]}', '{"type":"user"', '"half'],
  ...['{"type":"user"}', '{"type":"user","message":null}', '{"type":"user","message":{"role":"user"}}'],
  ...['{"type":"user","message":{"role":"assistant","content":"x"}}', '{"type":"user","message":"text"}'],
  ...['{"type":"user","message":{"role":"user","content":[null,5]}}', '{"type":"result"}', '{"type":"system"}'],
  ...['{"type":"control_request"}', '{"type":"control_request","request_id":5,"request":{"subtype":"interrupt"}}'],
  ...['{"type":"control_request","request_id":"a"}', '{"type":"control_request","request_id":"b","request":[]}'],
  ...['{"type":"control_request","request_id":"c","request":{}}', '{"type":"control_response","response":null}'],
  ...['{"type":"control_response"}', '{"type":"control_cancel_request"}', '{"__proto__":{"type":"user"}}'],
  ...['{"type":"__proto__"}', '{"type":"constructor"}', '{"type":"control_request","request_id":"d","request":'],
  '{"type":"control_request","request_id":"e","request":{"subtype":"__proto__"}}',
  '{"type":"control_request","request_id":"f","request":{"subtype":"constructor"}}',
  '{"type":"control_request","request_id":"g","request":{"subtype":"set_model","model":{"a":1}}}',
  '{"type":"control_request","request_id":"h","request":{"subtype":"set_permission_mode"}}',
  '\ufeff{"type":"keep_alive"}',
  '\u0000\u0000\u0000',
  '\u2028\u2029',
  `${'['.repeat(20_000)}`,
  `{"type":"user","message":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
]
  .map((text) => Buffer.from(text))
  .concat([Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from([0xed, 0xa0, 0x80])]);

function withoutFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}
