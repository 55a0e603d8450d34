import { expect, test } from 'vitest';
import { sessionFace } from '../../src/host/mcp-face.ts';
import type { Parts } from '../../src/host/parts.ts';

/** A session in which this scope's settings let these servers use the model. */
function partsWith(scope: string, allowMcpSampling: readonly string[]): Parts {
  const layers = [{ scope, values: { allowMcpSampling } }];
  return { runtime: {}, configuration: { loaded: { layers } } } as unknown as Parts;
}

const sampling = { messages: [{ role: 'user', content: { type: 'text', text: '' } }] };

/** What the server is told in the beginning, and what it gets when it asks all the same. */
async function offered(parts: Parts, server: { name: string; scope: string }): Promise<[boolean, string]> {
  const face = sessionFace(() => parts, server, { canAskHost: false });
  const refusal = await face
    .answer('sampling/createMessage', sampling, new AbortController().signal)
    ?.catch((error: Error) => error.message);
  return [face.capabilities.sampling !== undefined, String(refusal)];
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
  expect(await offered(partsWith('userSettings', [entry]), { name: 'docs', scope })).toEqual(expected);
});

test('the settings of a project allow nothing', async () => {
  const parts = partsWith('projectSettings', ['docs', 'project:docs']);
  expect(await offered(parts, { name: 'docs', scope: 'project' })).toEqual(REFUSED);
  expect(await offered(parts, { name: 'docs', scope: 'user' })).toEqual(REFUSED);
});
