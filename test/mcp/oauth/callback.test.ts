import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenForCallback } from '../../../src/mcp/oauth/callback.ts';

const never = new AbortController().signal;

async function listen() {
  const listener = await listenForCallback();
  onTestFinished(() => listener.close());
  return listener;
}

test('listens on 127.0.0.1 only', async () => {
  const { redirectUri } = await listen();
  const { hostname, port } = new URL(redirectUri);
  expect(hostname).toBe('127.0.0.1');
  await expect(fetch(`http://[::1]:${port}/callback`)).rejects.toThrow();
});

test('takes the one answer with its state; what was asked for is not in the page', async () => {
  const listener = await listen();
  const answer = listener.answer('right', never);
  const get = async (search: string) => fetch(`${listener.redirectUri}${search}`);
  expect((await get('?code=c&state=wrong')).status).toBe(400);
  expect((await get('?code=c')).status).toBe(400);
  expect((await get('?state=right')).status).toBe(400);
  expect((await fetch(new URL('/other?code=c&state=right', listener.redirectUri))).status).toBe(404);
  expect((await fetch(`${listener.redirectUri}?code=c&state=right`, { method: 'POST' })).status).toBe(404);
  const page = await get('?code=%3Cscript%3E&state=right&iss=https%3A%2F%2Fa.example');
  expect(page.status).toBe(200);
  expect(await page.text()).not.toContain('script');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(await answer).toEqual({ code: '<script>', issuer: 'https://a.example' });
});

test('a refusal is told without what would move a cursor', async () => {
  const listener = await listen();
  const answer = listener.answer('right', never);
  const page = fetch(`${listener.redirectUri}?error=access_denied&error_description=a%1b%5b2Kb&state=right`);
  await expect(answer).rejects.toMatchObject({ code: 'sign_in_failed', facts: { reason: 'refused' } });
  await expect(answer).rejects.toThrow('access_denied a\\u{1b}[2Kb');
  expect((await page).status).toBe(200);
});

test('a name that leads here is not the address that was given out', async () => {
  const listener = await listen();
  listener.answer('right', never).catch(() => {});
  const url = new URL(`${listener.redirectUri}?code=c&state=right`);
  const status = await new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host: `rebound.example:${url.port}` } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
  expect(status).toBe(404);
});

test('a path that is no address ends nothing', async () => {
  const listener = await listen();
  const answer = listener.answer('right', never);
  const { port, host } = new URL(listener.redirectUri);
  const status = await new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '//', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
  expect(status).toBe(404);
  await fetch(`${listener.redirectUri}?code=c&state=right`);
  expect(await answer).toEqual({ code: 'c' });
});
