import type { FakeApiRequest } from '../../src/testing/index.ts';
import { type Block, blocksOf } from './lines.ts';
import { type Body, bodyOf } from './requests.ts';

/**
 * Why the real Messages API would refuse a request: trust S-6, S-25, M-15. An empty list is a valid request. Written from
 * the provider's documentation, independently of what Heddle does to keep to it.
 */
export function apiFaults(body: Body, { isPaused = false } = {}): string[] {
  const { messages } = body;
  const last = messages.at(-1);
  return [
    ...messages.flatMap((message, at) => [
      ...roleFaults(message, at),
      ...blocksOf(message).flatMap((block) => blockFaults(block).map((fault) => `message ${at}: ${fault}`)),
      ...pairingFaults(messages[at - 1], message).map((fault) => `message ${at}: ${fault}`),
      ...(isPaused && message === last ? [] : providerFaults(message)),
    ]),
    // Only an answer that the provider itself has paused may be the last message.
    ...(last?.role === 'user' || isPaused ? [] : ['the last message is not the user’s']),
    ...repeated(messages.flatMap(callIds)).map((id) => `the call ${id} was made twice`),
    ...repeated((body.tools ?? []).map(({ name }) => name)).map((name) => `there are two tools ${name}`),
    ...settingFaults(body),
    ...textFaults(body),
  ];
}

/** The faults of all requests of a run. Answers that end with `pause` were paused by the provider. */
export function apiFaultsOf(requests: readonly FakeApiRequest[], { pause }: { pause?: string } = {}): string[] {
  return requests.flatMap((request, at) => {
    const body = bodyOf(request);
    const isPaused = pause !== undefined && JSON.stringify(body.messages.at(-1)?.content).includes(pause);
    return apiFaults(body, { isPaused }).map((fault) => `request ${at + 1}: ${fault}`);
  });
}

interface ApiMessage {
  role: string;
  content: string | Block[];
}

function roleFaults(message: ApiMessage, at: number): string[] {
  const faults: string[] = [];
  const blocks = blocksOf(message);
  if (message.role !== (at % 2 === 0 ? 'user' : 'assistant')) faults.push(`message ${at} is of ${message.role}`);
  if (blocks.length === 0) faults.push(`message ${at} is empty`);
  if (message.role === 'assistant' && isThought(blocks.at(-1))) faults.push(`message ${at} ends with a thought`);
  return faults;
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const ID = /^[a-zA-Z0-9_-]+$/;

/** What the API takes in the blocks that are not signed; anything else in them it refuses. */
const FIELDS: Record<string, string[]> = {
  text: ['text', 'citations'],
  image: ['source'],
  document: ['source', 'title', 'context', 'citations'],
  tool_use: ['id', 'name', 'input', 'caller'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
};

function fieldFaults(block: Block): string[] {
  const known = FIELDS[block.type];
  const odd = known ? Object.keys(block).filter((key) => ![...known, 'type', 'cache_control'].includes(key)) : [];
  return odd.map((key) => `a ${block.type} with the field '${key}'`);
}

function blockFaults(block: Block): string[] {
  return [...fieldFaults(block), ...kindFaults(block)];
}

function kindFaults(block: Block): string[] {
  switch (block.type) {
    case 'text':
      return block.text?.trim() ? [] : ['an empty text'];
    case 'tool_use': {
      const isObject = typeof block.input === 'object' && block.input !== null && !Array.isArray(block.input);
      return [
        ...(NAME.test(block.name ?? '') ? [] : [`a call of '${block.name}'`]),
        ...(ID.test(block.id ?? '') ? [] : [`a call with the id '${block.id}'`]),
        ...(isObject ? [] : ['a call with an input that is no object']),
      ];
    }
    case 'tool_result': {
      const inner = blocksOf({ content: block.content ?? [] });
      const isEmpty = inner.every(({ type, text }) => type === 'text' && text === '');
      return [
        ...(block.is_error && isEmpty ? ['an error without a text'] : []),
        ...(Array.isArray(block.content) ? inner.flatMap(blockFaults) : []),
      ];
    }
    case 'thinking':
      return typeof block.signature === 'string' && block.signature !== '' ? [] : ['a thought without a signature'];
    case 'redacted_thinking':
      return block.data ? [] : ['a hidden thought without data'];
    case 'image':
    case 'document':
      return isSource(block.source) ? [] : [`a ${block.type} without a source`];
    default:
      return [];
  }
}

function isSource(source: unknown): boolean {
  const { type, data, media_type, url, file_id } = (source ?? {}) as Record<string, unknown>;
  return Boolean(type === 'url' ? url : type === 'file' ? file_id : type && data && media_type);
}

/** What the provider runs itself is answered in the same message. */
function providerFaults(message: ApiMessage): string[] {
  const blocks = blocksOf(message);
  const called = blocks.flatMap(({ type, id }) => (/^(server|mcp)_tool_use$/.test(type) ? [id] : []));
  const answered = blocks.flatMap(({ type, tool_use_id }) => (/_tool_result$/.test(type) ? [tool_use_id] : []));
  return called.toSorted().join() === answered.toSorted().join() ? [] : [`[${called}] was answered by [${answered}]`];
}

/** Every call is answered once, in the very next message, before anything else is said there. */
function pairingFaults(before: ApiMessage | undefined, message: ApiMessage): string[] {
  const asked = callIds(before);
  const isResult = ({ type }: Block) => type === 'tool_result';
  const blocks = blocksOf(message);
  const answered = blocks.filter(isResult).map(({ tool_use_id = '' }) => tool_use_id);
  const faults: string[] = [];
  if (asked.toSorted().join() !== answered.toSorted().join()) {
    faults.push(`answers [${answered}], asked was [${asked}]`);
  }
  if (blocks.findLastIndex(isResult) !== answered.length - 1) faults.push('a result behind something else');
  return faults;
}

const MAX_MARKS = 4;

function settingFaults({ model, max_tokens, thinking, messages, system, tools }: Body): string[] {
  const faults: string[] = [];
  const budget = (thinking as { budget_tokens?: number } | undefined)?.budget_tokens ?? 0;
  if (!model) faults.push('no model');
  if (!(Number(max_tokens) > budget)) faults.push(`max_tokens ${max_tokens} for a thinking budget of ${budget}`);
  const marks = JSON.stringify({ messages, system, tools }).split('"cache_control"').length - 1;
  if (marks > MAX_MARKS) faults.push(`${marks} cache marks`);
  return faults;
}

/** JSON.stringify writes nothing but lone surrogates as `\ud…`. */
function textFaults(body: Body): string[] {
  const lone = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.exec(JSON.stringify(body));
  return lone ? [`a lone surrogate ${lone[0]}`] : [];
}

function isThought(block: Block | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

function callIds(message: ApiMessage | undefined): string[] {
  return blocksOf(message).flatMap(({ type, id = '' }) => (type === 'tool_use' ? [id] : []));
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(names.filter((name) => seen.has(name) || !seen.add(name)))];
}
