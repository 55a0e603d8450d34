import { isObject, type JsonObject } from '../../util/json.ts';
import type { ContentBlock, Source, ToolResultBlock, ToolUseBlock } from '../../wire/api/content.ts';
import type { ProviderMetadata } from '../../wire/provider-metadata.ts';
import type { ApiMessage } from '../model.ts';
import { encodeJson } from '../request-json.ts';

/** A message as chat completions take it. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string | ChatPart[] }
  | ({ role: 'assistant'; content: string | null; reasoning_content?: string; tool_calls?: ChatCall[] } & JsonObject)
  | { role: 'tool'; tool_call_id: string; content: string };

type ChatPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

interface ChatCall extends JsonObject {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface TranslateOptions {
  /** Whether the server wants its own thoughts back. Thoughts of other providers are never sent to it. */
  sendsThoughts: boolean;
  /** Whether the server refuses calls without a signature: those of other models get one that it accepts. */
  signsCalls: boolean;
  /** Whether the model sees images; otherwise a text names each. */
  sendsImages: boolean;
  /** The server and the family of models: what they added to an answer goes back to them. */
  origin: { provider: string; family: string };
}

/** Translates a message into the format of chat completions: none, one or several messages. */
export function toChatMessages(message: ApiMessage, options: TranslateOptions): ChatMessage[] {
  if (message.role === 'assistant') return fromAssistant(message, options);
  return fromUser(options.sendsImages ? message.content : message.content.map(withoutImages));
}

function withoutImages(block: ContentBlock): ContentBlock {
  if (block.type === 'image') return { type: 'text', text: '[An image, which this model cannot see.]' };
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return block;
  return { ...block, content: block.content.map(withoutImages) };
}

function fromAssistant(message: ApiMessage, { sendsThoughts, signsCalls, origin }: TranslateOptions): ChatMessage[] {
  const { content } = message;
  const own = ownMetadata(message, origin);
  const text = textOf(content);
  const calls = content.filter((block) => block.type === 'tool_use').map((call) => toCall(call, own));
  const [first] = calls;
  if (signsCalls && first && !calls.some(isSigned)) first.extra_content = UNSIGNED;
  if (text === '' && calls.length === 0) return [];
  const thoughts = sendsThoughts ? ownThoughts(content) : '';
  // Servers that want thoughts refuse a call without any; they accept a blank where there were none.
  const reasoning = thoughts || (sendsThoughts && calls.length > 0 ? ' ' : '');
  return [
    {
      role: 'assistant',
      content: text || null,
      ...(reasoning && { reasoning_content: reasoning }),
      ...own?.answer,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function ownMetadata(
  { providerMetadata: told }: ApiMessage,
  { provider, family }: TranslateOptions['origin'],
): ProviderMetadata | undefined {
  return told?.provider === provider && told.family === family ? told : undefined;
}

/** What Gemini's documentation names for calls that another model made. */
const UNSIGNED = { google: { thought_signature: 'skip_thought_signature_validator' } };

function isSigned({ extra_content }: ChatCall): boolean {
  return isObject(extra_content) && isObject(extra_content.google) && !!extra_content.google.thought_signature;
}

function textOf(content: readonly ContentBlock[]): string {
  const texts = content.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []));
  return texts.join('\n\n');
}

function ownThoughts(content: readonly ContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'thinking' && 'provider' in block ? [block.thinking] : []))
    .join('\n\n');
}

function toCall({ id, name, input }: ToolUseBlock, own: ProviderMetadata | undefined): ChatCall {
  const added = own?.calls && Object.hasOwn(own.calls, id) ? own.calls[id] : undefined;
  return { id: sharedCallId(id), type: 'function', function: { name, arguments: encodeJson(input) }, ...added };
}

/** OpenAI's limit. The front is cut off, because the ids of all providers differ at their end. */
const MAX_ID_LENGTH = 40;

export function sharedCallId(id: string): string {
  return id.slice(-MAX_ID_LENGTH);
}

/** Results come first: they must follow the calls directly. Their images cannot be part of them, so they come after. */
function fromUser(content: readonly ContentBlock[]): ChatMessage[] {
  const results = content.filter((block) => block.type === 'tool_result');
  const parts = [
    ...results.flatMap(imagesOf),
    ...content.filter((block) => block.type !== 'tool_result').flatMap((block) => toPart(block) ?? []),
  ];
  const messages: ChatMessage[] = results.map((result) => ({
    role: 'tool',
    tool_call_id: sharedCallId(result.tool_use_id),
    content: resultText(result),
  }));
  if (parts.length > 0) messages.push({ role: 'user', content: asPlainAsPossible(parts) });
  return messages;
}

/** Many servers accept only texts; a list of parts is sent only where there is something other than text. */
function asPlainAsPossible(parts: ChatPart[]): string | ChatPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}

function resultText({ content, is_error }: ToolResultBlock): string {
  const blocks = typeof content === 'string' ? [textPart(content)] : (content ?? []).flatMap(toResultPart);
  const text = blocks.map((part) => part.text).join('\n') || '(no output)';
  return is_error ? `The tool call failed:\n${text}` : text;
}

function toResultPart(block: ContentBlock): { text: string }[] {
  const part = toPart(block);
  if (!part) return [];
  return [part.type === 'text' ? part : { text: '[An image: see the next user message.]' }];
}

function imagesOf({ tool_use_id, content }: ToolResultBlock): ChatPart[] {
  if (!Array.isArray(content)) return [];
  const images = content.flatMap((block) => toPart(block) ?? []).filter((part) => part.type === 'image_url');
  return images.length === 0 ? [] : [textPart(`From the result of tool call ${sharedCallId(tool_use_id)}:`), ...images];
}

/**
 * A block of the user as a part, or null for an empty one. A block that cannot be sent is replaced by a text that names
 * it.
 */
function toPart(block: ContentBlock): ChatPart | null {
  switch (block.type) {
    case 'text':
      return block.text === '' ? null : textPart(block.text);
    case 'image': {
      const url = imageUrl(block.source);
      return url === null
        ? textPart('[An image that cannot be shown here.]')
        : { type: 'image_url', image_url: { url } };
    }
    case 'document': {
      const title = block.title ? `${block.title}:\n` : '';
      if (block.source.type === 'text') return textPart(`${title}${block.source.data}`);
      return textPart(`${title}[A document that cannot be shown here: only text and images can.]`);
    }
    default:
      return null;
  }
}

function imageUrl(source: Source): string | null {
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  return source.type === 'url' ? source.url : null;
}

function textPart(text: string): { type: 'text'; text: string } {
  return { type: 'text', text };
}
