import { askingAgain, type Forms } from '../asking-again.ts';
import { createEndpoint, methodUrl } from '../http/endpoint.ts';
import { createStreamReader } from '../http/stream-reader.ts';
import type { Model, ModelRequest, ModelYield } from '../model.ts';
import { authorizationOf, createOpenAiModel, explainOpenAi, type OpenAiOptions } from '../openai/openai.ts';
import { serverName } from '../openai/openai-request.ts';
import {
  adaptResponsesForm,
  createResponsesEncoder,
  FULL_RESPONSES_FORM,
  type ResponsesForm,
} from './responses-request.ts';
import { createResponsesDialect } from './responses-stream.ts';

export interface OpenAiApiOptions extends OpenAiOptions {
  /** Default: Responses for the reasoning models of OpenAI's own API, else chat completions. */
  wire?: 'chat' | 'responses';
}

/**
 * OpenAI's API, and those made after it: chat completions, or Responses, where a model's reasoning survives between the
 * calls of a turn. Throws `invalid_option` for addresses that are not URLs.
 */
export function createOpenAiApi(options: OpenAiApiOptions): Model {
  const chat = createOpenAiModel(options);
  const url = methodUrl(options.baseUrl, '/responses', options.addressFrom ?? 'OPENAI_BASE_URL');
  const responses = createResponsesModel(options, url);
  const wireOf = (model: string) => options.wire ?? usualWire(serverName(model), url.host);
  return {
    provider: chat.provider,
    stream: (request, signal) => (wireOf(request.model) === 'responses' ? responses : chat).stream(request, signal),
    close() {
      chat.close?.();
      responses.close?.();
    },
  };
}

/** Without Responses, these models forget between two calls what they have thought. */
const REASONING_MODELS = /^(o\d|gpt-[5-9]|codex-)/;

export function usualWire(model: string, host: string): 'chat' | 'responses' {
  return host === 'api.openai.com' && REASONING_MODELS.test(model) ? 'responses' : 'chat';
}

function createResponsesModel(options: OpenAiOptions, url: URL): Model {
  const { runtime, keyHeader } = options;
  const endpoint = createEndpoint(options, url);
  const provider = `${options.name ?? url.host} responses`;
  const encode = createResponsesEncoder(provider);
  const forms = new Map<string, ResponsesForm>();

  function ask(request: ModelRequest, form: ResponsesForm, signal: AbortSignal): AsyncIterable<ModelYield> {
    const { model } = request;
    return endpoint.ask(
      {
        headers: (credential) => authorizationOf(credential, keyHeader),
        body: () => encode(request, form),
        read: (requestId) =>
          createStreamReader(createResponsesDialect({ model, requestId, runtime, provider }), requestId),
      },
      signal,
    );
  }

  return {
    provider: options.name ?? 'openai',
    stream(request, signal) {
      const asked: Forms<ResponsesForm> = {
        current: () => forms.get(request.model) ?? FULL_RESPONSES_FORM,
        adapt: adaptResponsesForm,
        remember(form) {
          runtime.log('warn', `${request.model} refuses a part of its settings for reasoning: requests go without it`);
          forms.set(request.model, form);
        },
        explain: (failure) => explainOpenAi(failure, { url, what: 'Responses API', options }),
      };
      return askingAgain(asked, (form) => ask(request, form, signal));
    },
    close: () => endpoint.close(),
  };
}
