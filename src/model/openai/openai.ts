import { isGroup } from '../each-event.ts';
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
}

/**
 * Chat completions over HTTP, as OpenAI and many others serve them. Sessions share one instance: it keeps connections
 * alive, and remembers serialised messages and the request form of each model. Throws `invalid_option` for addresses
 * that are not URLs; later failures are yielded as events.
 */
export function createOpenAiModel(options: OpenAiOptions): Model {
  const url = methodUrl(options.baseUrl, '/chat/completions', 'OPENAI_BASE_URL');
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
    provider: 'openai',
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

/** When a refusal names a change to the request, the request is repeated with that change, once per change. */
async function* streamAnswer(
  server: Server,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelYield, void> {
  for (;;) {
    const form = server.forms.get(request.model) ?? COMMON_FORM;
    let adapted: RequestForm | null = null;
    for await (const item of askOnce(server, request, { form, signal })) {
      const failure = !isGroup(item) && item.type === 'failure' ? item.failure : null;
      adapted = failure && adaptForm(form, failure);
      if (!adapted) yield failure ? { type: 'failure', failure: explain(failure, server.url) } : item;
    }
    if (!adapted) return;
    server.forms.set(request.model, adapted);
  }
}

function askOnce(
  { options: { runtime }, endpoint, name, encode }: Server,
  request: ModelRequest,
  { form, signal }: { form: RequestForm; signal: AbortSignal },
): AsyncIterable<ModelYield> {
  let requestBody = '';
  return endpoint.ask(
    {
      headers: ({ apiKey, authToken }) => bearer(authToken ?? apiKey),
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

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** A 404 that does not mention the model is about the address: most often `/v1` is missing. */
function explain(failure: Failure, url: URL): Failure {
  if (failure.status !== 404 || failure.providerType !== undefined) return failure;
  const { body: _, ...rest } = failure;
  const message =
    `There are no chat completions at ${url.origin}${url.pathname} (HTTP status 404). ` +
    'Check OPENAI_BASE_URL: it usually ends in /v1.';
  return { ...rest, class: 'invalid_request', message };
}
