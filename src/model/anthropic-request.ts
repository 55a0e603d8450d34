import type { ContentBlock } from '../wire/content.ts';
import type { ApiMessage, ApiTool, ModelRequest } from './model.ts';

export type RequestEncoder = (request: ModelRequest) => string;

const MARK = ',"cache_control":{"type":"ephemeral"}';

/**
 * Writes request bodies. A message never changes once sent, so each is serialised once and found again by identity;
 * a request is the concatenation of known pieces. The same holds for the tools and the system prompt.
 *
 * Cache marks (four is the provider's limit): the last tool, the last system block, and the last block of each of the
 * last two messages, so that a request finds what the one before it stored. Apart from the marks every body is a
 * prefix of the next.
 */
export function createRequestEncoder(): RequestEncoder {
  const system = remember(encodeSystem);
  const tools = remember(encodeTools);
  const messages = remember(encodeMessage);

  return (request) => {
    const { messages: all } = request;
    const pieces = all.map((message, at) => {
      const piece = messages(message);
      return at >= all.length - 2 ? marked(piece) : piece.json;
    });
    const settings = JSON.stringify(settingsOf(request)).slice(0, -1);
    return `${settings}${system(request.system)}${tools(request.tools)},"messages":[${pieces.join(',')}]}`;
  };
}

/** A result per argument object, for as long as that object lives. */
function remember<Key extends object, Value>(encode: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = encode(key);
      known.set(key, value);
    }
    return value;
  };
}

function settingsOf({ model, maxOutputTokens, thinking, effort, userId }: ModelRequest): object {
  const thinks = thinking !== undefined && thinking.type !== 'disabled';
  return {
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    // The API refuses a temperature beside thinking.
    ...(thinks ? { thinking } : { temperature: 1 }),
    ...(effort && { output_config: { effort } }),
    ...(userId && { metadata: { user_id: userId } }),
  };
}

function encodeSystem(blocks: readonly string[]): string {
  const texts = blocks.filter((text) => text !== '').map((text) => `{"type":"text","text":${encode(text)}`);
  return texts.length === 0 ? '' : `,"system":[${texts.join('},')}${MARK}}]`;
}

function encodeTools(tools: readonly ApiTool[]): string {
  const objects = tools.map(({ name, description, input_schema }) =>
    encode({ name, description, input_schema }).slice(0, -1),
  );
  return objects.length === 0 ? '' : `,"tools":[${objects.join('},')}${MARK}}]`;
}

interface EncodedMessage {
  json: string;
  /** Where a cache mark goes: before the closing brace of the last block that may carry one. -1: nowhere. */
  markAt: number;
}

function encodeMessage({ role, content }: ApiMessage): EncodedMessage {
  let json = `{"role":"${role}","content":[`;
  let markAt = -1;
  for (const [at, block] of content.entries()) {
    if (at > 0) json += ',';
    json += encode(withoutOwnMark(block));
    if (mayBeMarked(block)) markAt = json.length - 1;
  }
  return { json: `${json}]}`, markAt };
}

function marked({ json, markAt }: EncodedMessage): string {
  return markAt < 0 ? json : json.slice(0, markAt) + MARK + json.slice(markAt);
}

/** The provider refuses marks on thoughts and on empty texts. */
function mayBeMarked(block: ContentBlock): boolean {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.type !== 'text' || block.text !== '';
}

/** Marks that came with a host's message would exceed the provider's limit together with ours. */
function withoutOwnMark(block: ContentBlock): ContentBlock {
  if (!('cache_control' in block)) return block;
  const { cache_control: _, ...rest } = block;
  return rest as ContentBlock;
}

/**
 * JSON that strict parsers accept: half a surrogate pair, as a cut-off tool output may hold, is replaced. JSON.stringify
 * writes such halves, and nothing else, as `\ud…` escapes.
 */
function encode(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd');
}
