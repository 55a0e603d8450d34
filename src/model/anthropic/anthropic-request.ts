import type { JsonObject } from '../../util/json.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { ApiMessage, ModelRequest } from '../model.ts';
import { encodeJson, remember } from '../request-json.ts';

export type RequestEncoder = (request: ModelRequest) => string;

const MARK = ',"cache_control":{"type":"ephemeral"}';

/**
 * Writes request bodies. A message never changes once sent, so each is serialised once and looked up by identity; a
 * request is the concatenation of known pieces. The tools and the system prompt are handled in the same way.
 *
 * Cache marks (four is the provider's limit): the last tool, the last system block (of those that all sessions share,
 * where their number is known), and the last block of each of the last two messages, so that a request finds what the
 * one before it stored. Apart from the marks every body is a prefix of the next.
 */
export function createRequestEncoder(settings: SettingsOf = settingsOf): RequestEncoder {
  const system = remember(encodeSystem);
  const tools = remember(encodeTools);
  const messages = remember(encodeMessage);

  return (request) => {
    const { messages: all } = request;
    const pieces = all.map((message, at) => {
      const piece = messages(message);
      return at >= all.length - 2 ? marked(piece) : piece.json;
    });
    const head = JSON.stringify(settings(request)).slice(0, -1);
    return `${head}${system(request.system, request.sharedBlocks)}${tools(allTools(request))},"messages":[${pieces.join(',')}]}`;
  };
}

/** What a body has besides the conversation. */
export type SettingsOf = (request: ModelRequest) => JsonObject;

export function settingsOf({ model, maxOutputTokens, thinking, effort, userId }: ModelRequest): JsonObject {
  const thinks = thinking !== undefined && thinking.type !== 'disabled';
  return {
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    // The API refuses a temperature together with thinking.
    ...(thinks ? { thinking } : { temperature: 1 }),
    ...(effort && { output_config: { effort } }),
    ...(userId && { metadata: { user_id: userId } }),
  };
}

function encodeSystem(blocks: readonly string[], shared = blocks.length): string {
  const markAt = blocks.findLastIndex((text, at) => text !== '' && at < shared);
  const objects = blocks.flatMap((text, at) =>
    text === '' ? [] : `{"type":"text","text":${encodeJson(text)}${at === markAt ? MARK : ''}}`,
  );
  return objects.length === 0 ? '' : `,"system":[${objects.join(',')}]`;
}

/** Returns the same array where there are no server tools: `remember` looks the tools up by identity. */
function allTools({ tools, serverTools }: ModelRequest): readonly JsonObject[] {
  return (serverTools ? [...tools, ...serverTools] : tools) as readonly JsonObject[];
}

function encodeTools(tools: readonly JsonObject[]): string {
  const objects = tools.map((tool) => encodeJson(tool).slice(0, -1));
  return objects.length === 0 ? '' : `,"tools":[${objects.join('},')}${MARK}}]`;
}

interface EncodedMessage {
  json: string;
  /** The position of a cache mark: before the closing brace of the last block that may carry one. -1: no such block. */
  markAt: number;
}

function encodeMessage({ role, content }: ApiMessage): EncodedMessage {
  let json = `{"role":"${role}","content":[`;
  let markAt = -1;
  for (const [at, block] of content.filter(isTaken).entries()) {
    if (at > 0) json += ',';
    json += encodeJson(withValidNames(withoutOwnMark(block)));
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

/** Thoughts of another provider, from before the model was changed, are left out; this provider would refuse them. */
function isTaken(block: ContentBlock): boolean {
  return block.type !== 'thinking' || !('provider' in block);
}

/** Marks in a host's message would exceed the provider's limit together with Heddle's own. */
function withoutOwnMark(block: ContentBlock): ContentBlock {
  if (!('cache_control' in block)) return block;
  const { cache_control: _, ...rest } = block;
  return rest as ContentBlock;
}

/**
 * Other providers use characters in their ids that this one refuses, and any model may call a tool by an invalid name.
 * Such a call was answered with an error, but it must not make every later request fail.
 */
function withValidNames(block: ContentBlock): ContentBlock {
  if (block.type === 'tool_use' && !(VALID.test(block.id) && VALID.test(block.name))) {
    return { ...block, id: valid(block.id), name: valid(block.name) };
  }
  if (block.type !== 'tool_result' || VALID.test(block.tool_use_id)) return block;
  return { ...block, tool_use_id: valid(block.tool_use_id) };
}

const VALID = /^[\w-]{1,128}$/;

function valid(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 128);
}
