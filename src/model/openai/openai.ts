import { askingAgain, type Forms } from '../asking-again.ts';
import { explainNoTools, explainServer, withAdvice } from '../explain-failure.ts';
import type { Credential } from '../http/credential.ts';
import { createEndpoint, type Endpoint, type EndpointOptions, methodUrl } from '../http/endpoint.ts';
import { createStreamReader } from '../http/stream-reader.ts';
import type { Failure, Model, ModelRequest, ModelYield } from '../model.ts';
import { familyOf } from '../model-family.ts';
import {
  adaptForm,
  type ChatRequestEncoder,
  COMMON_FORM,
  createChatRequestEncoder,
  type RequestForm,
  serverName,
} from './openai-request.ts';
import { createChatDialect } from './openai-stream.ts';

/** A key or token, if there is one, is sent as `authorization: Bearer`; `/chat/completions` is added to the URL. */
export interface OpenAiOptions extends EndpointOptions {
  /** The server's name, for what it alone gets back. Default: `openai`, or the host of another address. */
  name?: string;
  /** The setting or variable with the address, for texts about it. Default: `OPENAI_BASE_URL`. */
  addressFrom?: string;
  /** The variable with the key, for texts about it. */
  keyFrom?: string;
  /** The header for the key. Default: a bearer token. */
  keyHeader?: string;
}

/**
 * Chat completions over HTTP, as OpenAI and many others serve them. Sessions share one instance: it keeps connections
 * alive, and remembers serialised messages and the request form of each model. Throws `invalid_option` for addresses
 * that are not URLs; later failures are yielded as events.
 */
export function createOpenAiModel(options: OpenAiOptions): Model {
  const { addressFrom = 'OPENAI_BASE_URL' } = options;
  const url = methodUrl(options.baseUrl, '/chat/completions', addressFrom);
  const name = options.name ?? (url.host === 'api.openai.com' ? 'openai' : url.host);
  const server: Server = {
    options,
    url,
    endpoint: createEndpoint(options, url),
    name,
    encode: createChatRequestEncoder(name),
    forms: new Map(),
  };
  return {
    provider: options.name ?? 'openai',
    stream: (request, signal) => streamAnswer(server, request, signal),
    close: () => server.endpoint.close(),
  };
}

interface Server {
  options: OpenAiOptions;
  url: URL;
  endpoint: Endpoint;
  name: string;
  encode: ChatRequestEncoder;
  /** The request form of each model, where it differs from the common form. */
  forms: Map<string, RequestForm>;
}

function streamAnswer(server: Server, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelYield, void> {
  const forms: Forms<RequestForm> = {
    current: () => server.forms.get(request.model) ?? COMMON_FORM,
    adapt: adaptForm,
    remember(form) {
      const { sendsImages = true } = server.forms.get(request.model) ?? COMMON_FORM;
      if (sendsImages && !form.sendsImages) {
        server.options.runtime.log('warn', `${request.model} sees no images: it gets a text in their place`);
      }
      server.forms.set(request.model, form);
    },
    explain: (failure) => explainOpenAi(failure, { ...server, what: 'API for chat completions' }),
  };
  return askingAgain(forms, (form) => askOnce(server, request, { form, signal }));
}

function askOnce(
  { options: { runtime, keyHeader }, endpoint, name, encode }: Server,
  request: ModelRequest,
  { form, signal }: { form: RequestForm; signal: AbortSignal },
): AsyncIterable<ModelYield> {
  let requestBody = '';
  return endpoint.ask(
    {
      headers: (credential) => authorizationOf(credential, keyHeader),
      body: () => {
        requestBody = encode(request, form);
        return requestBody;
      },
      read: (requestId) => {
        const { model } = request;
        const origin = { provider: name, family: familyOf(serverName(model)) };
        return createStreamReader(createChatDialect({ model, requestId, runtime, origin, requestBody }), requestId);
      },
    },
    signal,
  );
}

/** The header with the key or the token; a token is never sent under the name of a key. */
export function authorizationOf(
  { apiKey, authToken }: Credential,
  keyHeader: string | undefined,
): Record<string, string> {
  if (authToken === undefined && apiKey !== undefined && keyHeader !== undefined) return { [keyHeader]: apiKey };
  const token = authToken ?? apiKey;
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The failure with what to do about it. A 404 that does not mention the model is about the address. */
export function explainOpenAi(
  failure: Failure,
  { url, what, options }: { url: URL; what: string; options: OpenAiOptions },
): Failure {
  const { name, addressFrom = 'OPENAI_BASE_URL', keyFrom } = options;
  const known =
    explainNoTools(failure) ?? (name === undefined ? null : explainServer(failure, { keyFrom, addressFrom }));
  if (known) return known;
  if (failure.status !== 404 || failure.providerType !== undefined) return failure;
  const message = `There is no ${what} at ${url.origin}${url.pathname} (HTTP status 404)`;
  return {
    ...withAdvice({ ...failure, message }, `Check ${addressFrom}: it usually ends in /v1.`),
    class: 'invalid_request',
  };
}
