import type { JsonObject } from '../../util/json.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { ApiMessage, ApiTool, Failure, ModelRequest } from '../model.ts';
import { type ChatMessage, sharedCallId, toChatMessages } from '../openai/openai-messages.ts';
import { serverName } from '../openai/openai-request.ts';
import { encodeJson, remember } from '../request-json.ts';

/** What a server takes of the fields that requests can do without. */
export interface ResponsesForm {
  asksForSummaries: boolean;
  asksForEncrypted: boolean;
  sendsEffort: boolean;
}

export const FULL_RESPONSES_FORM: ResponsesForm = { asksForSummaries: true, asksForEncrypted: true, sendsEffort: true };

/** The form to try after a refusal that names a field, or null when the refusal is about something else. */
export function adaptResponsesForm(form: ResponsesForm, { status, message }: Failure): ResponsesForm | null {
  if (status !== 400) return null;
  if (form.asksForSummaries && /summar(y|ies)/i.test(message)) return { ...form, asksForSummaries: false };
  if (form.asksForEncrypted && /encrypted/i.test(message)) return { ...form, asksForEncrypted: false };
  const isRefused = /unsupported|not supported|unknown parameter/i.test(message);
  if (isRefused && /reasoning/.test(message) && (form.sendsEffort || form.asksForSummaries)) {
    return { ...form, sendsEffort: false, asksForSummaries: false };
  }
  return null;
}

export type ResponsesEncoder = (request: ModelRequest, form: ResponsesForm) => string;

/**
 * Writes request bodies. The server stores nothing, so every request has the whole conversation; each message is
 * serialised once, and every body begins with the one before it. `provider`: whose encrypted thoughts are sent back.
 */
export function createResponsesEncoder(provider: string): ResponsesEncoder {
  const tools = remember(encodeTools);
  const items = remember((message: ApiMessage) => itemsOf(message, provider).map(encodeJson).join(','));
  return (request, form) => {
    const settings = encodeJson(settingsOf(request, form)).slice(0, -1);
    const input = request.messages.map((message) => items(message)).filter((json) => json !== '');
    return `${settings}${tools(request.tools)},"input":[${input.join(',')}]}`;
  };
}

function settingsOf({ model, maxOutputTokens, effort, system }: ModelRequest, form: ResponsesForm): JsonObject {
  const instructions = system.filter((text) => text !== '').join('\n\n');
  const reasoning = {
    ...(effort && form.sendsEffort && { effort }),
    ...(form.asksForSummaries && { summary: 'auto' }),
  };
  return {
    model: serverName(model),
    stream: true,
    store: false,
    max_output_tokens: maxOutputTokens,
    ...(form.asksForEncrypted && { include: ['reasoning.encrypted_content'] }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(instructions !== '' && { instructions }),
  };
}

function encodeTools(tools: readonly ApiTool[]): string {
  if (tools.length === 0) return '';
  const functions = tools.map(({ name, description, input_schema }) => {
    const { $schema: _, ...schema } = input_schema;
    const parameters = { type: 'object', properties: {}, ...schema };
    return { type: 'function', name, description, parameters, strict: false };
  });
  return `,"tools":${encodeJson(functions)}`;
}

function itemsOf(message: ApiMessage, provider: string): JsonObject[] {
  if (message.role === 'assistant') {
    return message.content.map((block) => ofAnswer(block, provider)).filter((item) => item !== null);
  }
  return toChatMessages(message, PLAIN).map(ofUser);
}

/** What the translation of answers would need; those of users have none of it. */
const PLAIN = { sendsThoughts: false, signsCalls: false, sendsImages: true, origin: { provider: '', family: '' } };

function ofAnswer(block: ContentBlock, provider: string): JsonObject | null {
  switch (block.type) {
    case 'text':
      return block.text === ''
        ? null
        : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: block.text }] };
    case 'tool_use':
      return {
        type: 'function_call',
        call_id: sharedCallId(block.id),
        name: block.name,
        arguments: encodeJson(block.input),
      };
    case 'thinking':
      return ownThought(block, provider);
    default:
      return null;
  }
}

/** The encrypted content is the signature of the thought: only the server that wrote it can read it. */
function ownThought(block: ContentBlock & { type: 'thinking' }, provider: string): JsonObject | null {
  const { thinking, signature, provider: writer, id } = block as typeof block & { provider?: unknown; id?: unknown };
  if (writer !== provider || !signature) return null;
  const summary = thinking === '' ? [] : [{ type: 'summary_text', text: thinking }];
  return { type: 'reasoning', ...(typeof id === 'string' && { id }), summary, encrypted_content: signature };
}

function ofUser(message: ChatMessage): JsonObject {
  if (message.role === 'tool') {
    return { type: 'function_call_output', call_id: message.tool_call_id, output: message.content };
  }
  const { content } = message as Extract<ChatMessage, { role: 'user' | 'system' }>;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return {
    type: 'message',
    role: 'user',
    content: parts.map((part) =>
      part.type === 'text'
        ? { type: 'input_text', text: part.text }
        : { type: 'input_image', image_url: part.image_url.url, detail: 'auto' },
    ),
  };
}
