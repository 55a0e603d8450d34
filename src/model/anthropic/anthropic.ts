import { createRequestEncoder } from './anthropic-request.ts';
import { createAnthropicDialect } from './anthropic-stream.ts';
import { createEndpoint, type EndpointOptions, methodUrl } from './endpoint.ts';
import type { Model } from './model.ts';
import { createStreamReader } from './stream-reader.ts';

/** An `apiKey` is sent as `x-api-key`, an `authToken` as `authorization: Bearer`; `/v1/messages` is added to the URL. */
export type AnthropicOptions = EndpointOptions;

/**
 * The Messages API over HTTP. Made once and shared by sessions: it keeps connections alive and remembers serialised
 * messages. Throws `invalid_option` for addresses that are no URLs; later trouble is told as events.
 */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const url = methodUrl(options.baseUrl, '/v1/messages', 'ANTHROPIC_BASE_URL');
  url.search = '?beta=true';
  const endpoint = createEndpoint(options, url);
  const encode = createRequestEncoder();
  const { log } = options.runtime;
  return {
    provider: 'anthropic',
    stream: (request, signal) =>
      endpoint.ask(
        {
          headers: ({ apiKey, authToken }) => ({
            'anthropic-version': '2023-06-01',
            ...(apiKey && { 'x-api-key': apiKey }),
            ...(authToken && { authorization: `Bearer ${authToken}` }),
            ...(request.betas?.length && { 'anthropic-beta': request.betas.join(',') }),
          }),
          body: () => encode(request),
          read: (requestId) => createStreamReader(createAnthropicDialect({ requestId, log }), requestId),
        },
        signal,
      ),
    close: () => endpoint.close(),
  };
}
