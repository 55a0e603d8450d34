import { expect, test } from 'vitest';
import type { Scope } from '../../../src/config/settings/scopes.ts';
import { sessionClientHandler } from '../../../src/host/mcp/mcp-client-handler.ts';
import type { ServedSession } from '../../../src/host/mcp/served-session.ts';
import { seededRuntime } from '../../../src/util/seeded-runtime.ts';

/** A session in which this scope's settings let these servers use the model. */
function sessionWith(scope: Scope, allowMcpSampling: readonly string[]): ServedSession {
  return {
    id: '',
    runtime: { ...seededRuntime('sampling'), log() {} },
    cwd: '/',
    home: null,
    configuration: { loaded: { layers: [{ scope, path: null, values: { allowMcpSampling } }] } },
    permissions: { policy: { roots: [], deny: [] }, on() {} },
    link: { call: () => Promise.reject(new Error('There is no host')), send: () => undefined },
    hooks: { current: null },
    model: { selected: { id: '' } },
    askModel: () => Promise.reject(new Error('There is no model')),
    hideCredentials: (value) => value,
  };
}

const sampling = { messages: [{ role: 'user', content: { type: 'text', text: '' } }] };

/** What the server is told in the beginning, and what it gets when it asks all the same. */
async function offered(session: ServedSession, server: { name: string; scope: string }): Promise<[boolean, string]> {
  const handler = sessionClientHandler(session, server, { canAskHost: false });
  const refusal = await handler
    .answer('sampling/createMessage', sampling, new AbortController().signal)
    ?.catch((error: Error) => error.message);
  return [handler.capabilities.sampling !== undefined, String(refusal)];
}

const REFUSED = [false, 'The user has not allowed this server to use the model'];
/** It got as far as its question, which is empty. */
const ALLOWED = [true, 'There is no text to answer'];

test.each([
  ['docs', 'user', ALLOWED],
  ['docs', 'local', ALLOWED],
  ['docs', 'dynamic', ALLOWED],
  ['docs', 'project', REFUSED],
  ['docs', 'agent', REFUSED],
  ['project:docs', 'project', ALLOWED],
  ['project:docs', 'user', REFUSED],
  ['agent:docs', 'agent', ALLOWED],
])('allowMcpSampling with %s is about a server docs of the scope %s: %j', async (entry, scope, expected) => {
  expect(await offered(sessionWith('userSettings', [entry]), { name: 'docs', scope })).toEqual(expected);
});

test('the settings of a project allow nothing', async () => {
  const session = sessionWith('projectSettings', ['docs', 'project:docs']);
  expect(await offered(session, { name: 'docs', scope: 'project' })).toEqual(REFUSED);
  expect(await offered(session, { name: 'docs', scope: 'user' })).toEqual(REFUSED);
});
