import { expect, test } from 'vitest';
import { remoteRequests } from '../../../src/mcp/remote/remote-requests.ts';

/** Asks once; what was asked for, and what came of it. */
async function ask(answer: (url: string) => Response, url = 'https://h.example/mcp') {
  const sent: string[] = [];
  const requests = remoteRequests(async (address, init) => {
    sent.push(`${init?.method} ${address}`);
    expect(init?.redirect).toBe('manual');
    return answer(String(address));
  });
  const outcome = requests(url, { method: 'POST', headers: { 'x-key': 'secret' }, body: '{}' });
  const response = await outcome.catch((error: Error) => error.message);
  return { sent, response };
}

const redirect = (location: string, status = 307) => new Response(null, { status, headers: { location } });

test('a redirect on the same host is followed with the same request', async () => {
  const moved = (url: string) => (url.endsWith('/') ? Response.json({}) : redirect('/mcp/', 301));
  expect((await ask(moved)).sent).toEqual(['POST https://h.example/mcp', 'POST https://h.example/mcp/']);
  const safer = (url: string) => (url.startsWith('https') ? Response.json({}) : redirect('https://h.example/mcp'));
  expect((await ask(safer, 'http://h.example/mcp')).sent).toHaveLength(2);
});

test.each([
  'https://other.example/mcp',
  'http://h.example/mcp',
  'http://169.254.169.254/latest',
  'https://h.example:8443/',
])('a redirect to %s is not: keys would go along', async (location) => {
  const { sent, response } = await ask(() => redirect(location));
  expect(sent).toEqual(['POST https://h.example/mcp']);
  expect(response).toContain(`it redirects to ${new URL(location).origin}`);
});

test('redirects in a circle end', async () => {
  const { sent, response } = await ask(() => redirect('/mcp'));
  expect([sent.length, response]).toEqual([4, 'it redirects more than 3 times']);
});

test('of a refusal without end only the beginning is read', async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(1000).fill(120));
    },
  });
  const { response } = await ask(() => new Response(endless, { status: 500 }));
  expect(await (response as Response).text()).toBe('x'.repeat(4000));
  expect(pulled).toBeLessThan(20);
});
