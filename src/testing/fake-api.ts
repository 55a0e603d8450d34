import { type FakeApi, type FakeApiRequest, type FakeDialect, startFakeServer } from './fake-server.ts';
import { errorBody, type Script, sseText } from './script.ts';

/**
 * A Messages API on a loopback port; set ANTHROPIC_BASE_URL to its `url`.
 *
 * @example
 * ```ts
 * import { query } from 'heddle';
 *
 * const api = await startFakeApi([toolUse('Bash', { command: 'ls' }), 'There are three files.']);
 * const env = { ...process.env, ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: api.url };
 * for await (const message of query({ prompt: 'What is here?', options: { env, allowedTools: ['Bash'] } })) {
 *   if (message.type === 'result') console.log(message.is_error, api.requests.length);
 * }
 * await api.close();
 * ```
 */
export function startFakeApi(script: Script<FakeApiRequest>): Promise<FakeApi> {
  return startFakeServer(script, MESSAGES_API);
}

const MESSAGES_API: FakeDialect = {
  path: '/v1/messages',
  basePath: '',
  requestIdHeader: 'request-id',
  keepAlive: sseText({ type: 'ping' }),
  writer: () => sseText,
  whole: ({ head, model, content, stopReason, stopSequence, usage }) => ({
    id: head.id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage,
  }),
  error: errorBody,
  streamedError: (error) => `event: error\ndata: ${errorBody(error)}\n\n`,
  other: (path, { text }) => (path.endsWith('/count_tokens') ? { input_tokens: Math.ceil(text.length / 4) } : null),
};
