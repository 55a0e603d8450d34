import { createEndpoint, type EndpointOptions, methodUrl } from '../http/endpoint.ts';
import { createStreamReader } from '../http/stream-reader.ts';
import type { Model } from '../model.ts';
import { createRequestEncoder } from './anthropic-request.ts';
import { createAnthropicDialect } from './anthropic-stream.ts';

/** An `apiKey` is sent as `x-api-key`, an `authToken` as `authorization: Bearer`; `/v1/messages` is added to the URL. */
export type AnthropicOptions = EndpointOptions;

/**
 * The Messages API over HTTP. Sessions share one instance: it keeps connections alive and remembers serialised
 * messages. Throws `invalid_option` for addresses that are not URLs; later failures are yielded as events.
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
