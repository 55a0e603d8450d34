import type { JsonObject } from '../../util/json.ts';
import type { ApiMessage, ApiTool, Failure, ModelRequest } from '../model.ts';
import { familyOf } from '../model-family.ts';
import { encodeJson, remember } from '../request-json.ts';
import { type TranslateOptions, toChatMessages } from './openai-messages.ts';

/** The points in which servers of this API differ. Their refusals show which form they want: see `adaptForm`. */
export interface RequestForm {
  limitField: 'max_tokens' | 'max_completion_tokens';
  asksForUsage: boolean;
  sendsThoughts: boolean;
  signsCalls: boolean;
  sendsImages: boolean;
}

/** The form that most servers accept. */
export const COMMON_FORM: RequestForm = {
  limitField: 'max_tokens',
  asksForUsage: true,
  sendsThoughts: false,
  signsCalls: false,
  sendsImages: true,
};

export type ChatRequestEncoder = (request: ModelRequest, form: RequestForm) => string;

/**
 * Writes request bodies. Each message is serialised once and looked up by identity, and every body is a prefix of the
 * next, so that servers can reuse their caches.
 */
export function createChatRequestEncoder(provider: string): ChatRequestEncoder {
  const system = remember(encodeSystem);
  const tools = remember(encodeTools);
  /** One for each form and family of models: the same message may differ between them. */
  const encoders = new Map<string, (message: ApiMessage) => string>();
  const encoderFor = ({ sendsThoughts, signsCalls, sendsImages }: RequestForm, family: string) => {
    const key = JSON.stringify([sendsThoughts, signsCalls, sendsImages, family]);
    const known = encoders.get(key);
    if (known) return known;
    const options = { sendsThoughts, signsCalls, sendsImages, origin: { provider, family } };
    const encode = remember((message: ApiMessage) => encodeMessage(message, options));
    encoders.set(key, encode);
    return encode;
  };

  return (request, form) => {
    const encodeOne = encoderFor(form, familyOf(serverName(request.model)));
    const told = request.messages.map((message) => encodeOne(message));
    const messages = [system(request.system), ...told].filter((json) => json !== '');
    const settings = encodeJson(settingsOf(request, form)).slice(0, -1);
    return `${settings}${tools(request.tools)},"messages":[${messages.join(',')}]}`;
  };
}

/** The form to try after a refusal that asks for it, or null when the refusal is about something else. */
export function adaptForm(form: RequestForm, { status, message, body = '' }: Failure): RequestForm | null {
  // OpenRouter has no server for a request with an image, and says so with 404.
  if (form.sendsImages && status !== undefined && status < 500 && NO_IMAGES.test(message)) {
    return { ...form, sendsImages: false };
  }
  if (status !== 400 && status !== 422) return null;
  const words = `${message} ${body}`;
  if (form.limitField === 'max_tokens' && words.includes('max_completion_tokens')) {
    return { ...form, limitField: 'max_completion_tokens' };
  }
  if (!form.signsCalls && words.includes('thought_signature')) return { ...form, signsCalls: true };
  if (form.asksForUsage && words.includes('stream_options')) return { ...form, asksForUsage: false };
  // Thinking models of Moonshot and DeepSeek want the thoughts that led to a call sent back with it.
  const wantsThoughts = words.includes('reasoning_content') && /missing|must be passed/i.test(words);
  return wantsThoughts && !form.sendsThoughts ? { ...form, sendsThoughts: true } : null;
}

const NO_IMAGES =
  /(image|vision|multimodal)[^.]{0,40}(not supported|unsupported|not allowed)|(not|n't) support[^.]{0,30}(image|vision|multimodal)|no endpoints[^.]*support image/i;

/** The model's name as its server knows it: without the name of the server, such as `openai/` or `gemini/`. */
export function serverName(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}

function settingsOf({ model, maxOutputTokens, effort }: ModelRequest, form: RequestForm): object {
  return {
    model: serverName(model),
    [form.limitField]: maxOutputTokens,
    stream: true,
    ...(form.asksForUsage && { stream_options: { include_usage: true } }),
    ...(effort && { reasoning_effort: effort }),
  };
}

function encodeSystem(blocks: readonly string[]): string {
  const content = blocks.filter((text) => text !== '').join('\n\n');
  return content === '' ? '' : encodeJson({ role: 'system', content });
}

function encodeTools(tools: readonly ApiTool[]): string {
  if (tools.length === 0) return '';
  const functions = tools.map(({ name, description, input_schema }) => ({
    type: 'function',
    function: { name, description, parameters: parametersOf(input_schema) },
  }));
  return `,"tools":${encodeJson(functions)}`;
}

/** Some servers fail on `$schema`, and on an object whose properties are not listed. */
function parametersOf({ $schema: _, ...schema }: JsonObject): JsonObject {
  return { type: 'object', properties: {}, ...schema };
}

/** None, one or several messages, joined. */
function encodeMessage(message: ApiMessage, options: TranslateOptions): string {
  return toChatMessages(message, options).map(encodeJson).join(',');
}
