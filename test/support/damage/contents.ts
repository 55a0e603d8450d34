import type { Entry } from '../../../src/wire/entries.ts';
import {
  ALL,
  answer,
  block,
  call,
  changed,
  type DamageCase,
  file,
  lineOf,
  outcome,
  prompt,
  story,
  text,
  thought,
  until,
  without,
  wordsOf,
} from './story.ts';

const LONE = '\ud83d';
/** A call that cannot be sent leaves its result behind as a text, after the other one. */
const RESULT_AS_TEXT = [...wordsOf(1), 'ask-2', 'say-2', 'out-b2', 'out-a2', 'done-2', ...wordsOf(3)];

/** The tree is whole, but there are things in the messages that an API would refuse, or that nobody knows. */
export const ODD_CONTENTS: readonly DamageCase[] = [
  odd('entries of unknown kinds', [
    { type: 'hologram', sessionId: 's' },
    { type: 'from-tomorrow', uuid: 'k1', parentUuid: 'z3', message: { role: 'user', content: 'aside' } },
    { type: '' },
    { type: '__proto__', uuid: 'k2', parentUuid: 'p1' },
  ]),
  {
    name: 'a chain that passes through an entry of an unknown kind',
    make: () =>
      file([
        ...until('z2'),
        { type: 'from-tomorrow', uuid: 'k1', parentUuid: 'z2', payload: [1] },
        ...changed({ p3: { parentUuid: 'k1' } }).slice(until('z2').length),
      ]),
    kept: ALL,
  },
  mapped('unknown fields in entries', (entry) => ({ ...entry, hologram: { depth: 3 }, mood: null, seq: 1e300 })),
  mapped('unknown fields in messages and blocks', (entry) => withBlocks(entry, (each) => ({ ...each, mood: 'blue' }))),
  mapped('__proto__ as a key, everywhere', (entry) => {
    const spoilt = `"__proto__":{"type":"user","polluted":true}`;
    return JSON.parse(`{${spoilt},${lineOf(entry).slice(1).replace('"input":{', `"input":{${spoilt},`)}`) as Entry;
  }),
  said('blocks of unknown kinds', {
    p2: [{ type: 'hologram', depth: 3 }, text('ask-2')],
    z2: [{ type: 'smell' }, text('done-2')],
  }),
  said('blocks that are no objects', { p2: ['x', null, 5, [], text('ask-2')], z2: [null, text('done-2'), 'x'] }),
  said('blocks without a type', { p2: [{}, { text: 'x' }, { type: 7 }, text('ask-2')] }),
  said('empty texts', {
    p2: [text(''), text('ask-2'), text('')],
    s2: [text(''), text('say-2')],
    z2: [text('done-2'), text(' \n')],
  }),
  said('messages without content', { h2: [], h3: null, h1: undefined }),
  said('an answer of nothing but blanks', { z2: [text('\n\n')] }, without('done-2')),
  said('a prompt of nothing', { p2: '' }, without('ask-2')),
  said('content that is an object or a number', { h2: { type: 'text' }, h3: 5 }),
  mapped(
    'messages that are null',
    (entry) => (entry.uuid === 's2' ? { ...entry, message: null } : entry),
    without('say-2'),
  ),
  mapped(
    'messages that are strings',
    (entry) => (entry.uuid === 's2' ? { ...entry, message: 'x' } : entry),
    without('say-2'),
  ),
  mapped('roles that contradict the entry', (entry) => ({
    ...entry,
    message: { ...(entry.message as object), role: 'system' },
  })),

  said('lone surrogates in texts', { p2: `ask-2 ${LONE}`, z2: [text(`${LONE} done-2`)] }),
  said('a lone surrogate in a result', {
    ra2: [{ type: 'tool_result', tool_use_id: 'toolu_a2', content: `out-a2${LONE}` }],
  }),
  said('lone surrogates in the input of a call', { a2: [call('toolu_a2', { [`k${LONE}`]: [LONE, { deep: LONE }] })] }),
  said('a lone surrogate in the id of a call', {
    a2: [call(`toolu_${LONE}`)],
    ra2: [{ type: 'tool_result', tool_use_id: `toolu_${LONE}`, content: 'out-a2' }],
  }),
  raw('an escaped half of a character', (bytes) => bytes.replace('done-2', '\\udc00done-2\\ud800')),

  said('a thought without a signature', { h2: [thought({})] }),
  said('a thought with an empty signature', { h2: [thought({ signature: '' })] }),
  said('a thought that is null', { h2: [{ type: 'thinking', thinking: null, signature: 'x' }] }),
  said('hidden thoughts without data', {
    h2: [{ type: 'redacted_thinking' }, { type: 'redacted_thinking', data: '' }],
  }),
  said('the thought of another provider', { h2: [thought({ signature: '', provider: 'openai' })] }),
  said('an answer of nothing but a thought', { z2: [thought()] }, without('done-2')),

  said('a call without an id', { a2: [{ type: 'tool_use', name: 'Bash', input: {} }] }, RESULT_AS_TEXT),
  said('a call without a name', { a2: [{ type: 'tool_use', id: 'toolu_a2', input: {} }] }, RESULT_AS_TEXT),
  said('a call with a name that no tool can have', { a2: [{ ...call('toolu_a2'), name: `a b.c/${'x'.repeat(200)}` }] }),
  said('calls with inputs that are no objects', {
    a1: [call('toolu_a1', 'ls')],
    a2: [call('toolu_a2', [1])],
    a3: [call('toolu_a3', null)],
  }),
  said('ids with characters that no id can have', {
    a2: [call('functions.Bash:0')],
    ra2: [{ type: 'tool_result', tool_use_id: 'functions.Bash:0', content: 'out-a2' }],
  }),
  said('the same call twice in one answer', { a2: [call('toolu_a2'), call('toolu_a2')] }),
  said('the same result twice', { ra2: [...resultOf('a2'), ...resultOf('a2')] }),
  said('a result without the id of its call', { h2: [{ type: 'tool_result', content: 'aside' }] }),
  said('results without content', { ra2: [{ type: 'tool_result', tool_use_id: 'toolu_a2' }] }, without('out-a2')),
  said(
    'a failed call without a word',
    { ra2: [{ ...resultOf('a2')[0], content: [], is_error: true }] },
    without('out-a2'),
  ),
  said('a result whose content is a number', { ra2: [{ ...resultOf('a2')[0], content: 5 }] }, without('out-a2')),
  said('a result with blocks of unknown kinds', {
    ra2: [{ ...resultOf('a2')[0], content: [{ type: 'hologram' }, text(''), null, text('out-a2')] }],
  }),
  said('a call in a prompt, and a result in an answer', {
    p2: [text('ask-2'), call('toolu_p2')],
    z2: [text('done-2'), { type: 'tool_result', tool_use_id: 'toolu_z2', content: 'aside' }],
  }),
  said('images without bytes', {
    p2: [
      { type: 'image' },
      { type: 'image', source: {} },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } },
      { type: 'document', source: { type: 'base64', data: 'eA==' } },
      { type: 'image', source: { type: 'url' } },
      text('ask-2'),
    ],
  }),
  said('a search of the provider without its result', {
    h2: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }],
  }),
  said('a result of the provider without its search', {
    h2: [{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }],
  }),
  said(
    'many cache marks of a host',
    Object.fromEntries(['p1', 'p2', 'p3', 'z1', 'z2', 'z3'].map((uuid) => [uuid, markedText(uuid)])),
  ),

  mapped(
    'errors in the place of answers',
    (entry) => (entry.uuid === 'z2' ? { ...entry, isApiErrorMessage: true, error: 'server_error' } : entry),
    without('done-2'),
  ),
  odd('costs, modes, plans and snapshots that make no sense', [
    {
      type: 'cost-state',
      modelUsage: { m: { inputTokens: 'x', outputTokens: -5, costUSD: null } },
      totalAPIDuration: 'x',
    },
    { type: 'cost-state', modelUsage: 5 },
    { type: 'mode', mode: { deep: 1 } },
    { type: 'mode' },
    { type: 'file-history-snapshot', messageId: 'p1', snapshot: { messageId: 'p1', trackedFileBackups: [] } },
    { type: 'file-history-snapshot', messageId: 5, snapshot: null },
    { type: 'file-history-snapshot', messageId: 'p1', snapshot: { messageId: 'p1', trackedFileBackups: { a: 5 } } },
    { type: 'custom-title', customTitle: 5 },
    { type: 'summary', leafUuid: 7 },
    { type: 'last-prompt', leafUuid: 7 },
    { type: 'queue-operation', operation: 9 },
  ]),
  odd('attachments that make no sense', [
    { type: 'attachment', uuid: 'k1', parentUuid: 'z3' },
    { type: 'attachment', uuid: 'k2', parentUuid: 'k1', attachment: 'x' },
    { type: 'attachment', uuid: 'k3', parentUuid: 'k2', attachment: { type: 'environment', content: { a: 1 } } },
    { type: 'attachment', uuid: 'k4', parentUuid: 'k3', attachment: { type: 'environment', content: '' } },
  ]),
  mapped('slugs, versions and directories of other types', (entry) => ({
    ...entry,
    slug: 5,
    version: [],
    cwd: null,
    sessionId: 7,
  })),
  mapped('usage that makes no sense', (entry) => ({
    ...entry,
    message: {
      ...(entry.message as object),
      usage: { input_tokens: 'many', output_tokens: -1, cache_read_input_tokens: null },
    },
  })),
  laterVersion(),
];

function odd(name: string, entries: readonly Entry[]): DamageCase {
  return { name, make: () => file([...story(), ...entries]), kept: ALL, left: ['aside'] };
}

function mapped(name: string, change: (entry: Entry) => Entry, kept: readonly string[] = ALL): DamageCase {
  return { name, make: () => file(story().map(change)), kept };
}

/** The contents of some messages are others. */
function said(name: string, contents: Record<string, unknown>, kept: readonly string[] = ALL): DamageCase {
  const change = (entry: Entry): Entry => {
    if (!Object.hasOwn(contents, String(entry.uuid))) return entry;
    return { ...entry, message: { ...(entry.message as object), content: contents[String(entry.uuid)] } };
  };
  return { name, make: () => file(story().map(change)), kept, left: ['aside'] };
}

function raw(name: string, change: (bytes: string) => string): DamageCase {
  return { name, make: () => Buffer.from(change(file(story()).toString())), kept: ALL };
}

function withBlocks(entry: Entry, change: (block: object) => object): Entry {
  const message = entry.message as { content: string | object[] };
  const content = Array.isArray(message.content) ? message.content.map(change) : message.content;
  return { ...entry, message: { ...message, content, mood: 'blue' } };
}

function resultOf(name: string): object[] {
  return [{ type: 'tool_result', tool_use_id: `toolu_${name}`, content: `out-${name}` }];
}

function markedText(uuid: string): object[] {
  const word = uuid.startsWith('p') ? 'ask' : 'done';
  return [{ ...text(`${word}-${uuid.slice(1)}`), cache_control: { type: 'ephemeral' } }];
}

/** As the later version of the reference writes: attachments in the chain, records of other kinds between. */
function laterVersion(): DamageCase {
  const attached = (uuid: string, parentUuid: string | null, type: string, fields: object = {}): Entry => {
    return { parentUuid, isSidechain: false, type: 'attachment', attachment: { type, ...fields }, uuid };
  };
  const facts = { promptId: 'x', promptSource: 'sdk', turnOrigin: 'user', turnPosition: 0, entrypoint: 'sdk-cli' };
  return {
    name: 'a file of the later version',
    make: () =>
      file([
        { type: 'queue-operation', operation: 'enqueue', content: 'ask-1', sessionId: 's' },
        { type: 'queue-operation', operation: 'dequeue', sessionId: 's' },
        attached('k1', null, 'environment', { cwd: '/w/loom', snapshot: [] }),
        attached('k2', 'k1', 'deferred_tools_delta', { addedNames: [] }),
        prompt('p1', 'k2', 'ask-1', facts),
        attached('k3', 'p1', 'date', { date: '2026-01-01' }),
        { type: 'api-request-shape', shape: {}, uuid: 'k9', sessionId: 's' },
        block('s1', 'k3', 'm1', text('say-1'), { apiBlockIndex: 0, requestRef: 'r', madeBy: 'x' }),
        block('a1', 's1', 'm1', { ...call('toolu_a1'), caller: { type: 'direct' } }, { apiBlockIndex: 1 }),
        outcome('ra1', 'a1', 'toolu_a1', 'out-a1', { permissionDecision: 'allow' }),
        { type: 'tools-used', tools: ['Bash'] },
        answer('z1', 'ra1', 'done-1', { effort: 'high' }),
        { type: 'cost-state', modelUsage: {}, totalAPIDuration: 5 },
        { type: 'last-prompt', lastPrompt: 'ask-1', leafUuid: 'z1', sessionId: 's' },
        { type: 'mode', mode: 'default' },
        { type: 'atis-latch', value: true },
      ]),
    kept: ['ask-1', 'say-1', 'out-a1', 'done-1'],
  };
}
