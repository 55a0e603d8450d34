import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Finished, runCli, STREAM_OUT } from './cli.ts';
import { makePlace, type Place } from './place.ts';
import { conversationText } from './requests.ts';
import { sessionFile } from './session-files.ts';

export const sessions = (place: Place, ...args: string[]) => runCli(['sessions', ...args], { place });

export async function json(place: Place, ...args: string[]) {
  const { code, stdout, stderr } = await sessions(place, ...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

export async function ask(place: Place, prompt: string, ...flags: string[]): Promise<Finished & { sessionId: string }> {
  const run = await runCli([...STREAM_OUT, prompt, '--allowedTools', 'Bash', ...flags], { place });
  return { ...run, sessionId: String(run.lines.at(-1)?.session_id) };
}

/** A session with two branches: "plan a trip" → "to Rome" (older) and "to Oslo" (active). */
export async function branched() {
  const place = await makePlace((request) => `You said: ${conversationText(request).slice(-7).trim()}`);
  const { sessionId, lines } = await ask(place, 'plan a trip');
  const at = String(lines.findLast(({ type }) => type === 'assistant')?.uuid);
  await ask(place, 'to Rome', '--resume', sessionId);
  await ask(place, 'to Oslo', '--resume', sessionId, '--resume-session-at', at);
  return { place, sessionId, at, file: sessionFile(place, sessionId) };
}

/** Stores a session file in the project of the place. */
export function put({ home, cwd }: Place, sessionId: string, content: string): string {
  const folder = join(home, 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${sessionId}.jsonl`);
  writeFileSync(file, content);
  return file;
}

export const ID = '11111111-2222-4333-8444-555555555555';
export const said = (uuid: string, parentUuid: string | null, content: string, type = 'user') => {
  const message = { role: type, ...(type === 'assistant' && { id: uuid, type: 'message', model: 'm' }) };
  const blocks = type === 'assistant' ? [{ type: 'text', text: content }] : content;
  const rest = { sessionId: ID, timestamp: `2025-01-01T00:00:0${uuid.slice(1)}Z` };
  return `${JSON.stringify({ parentUuid, type, message: { ...message, content: blocks }, uuid, ...rest })}\n`;
};

/** The example of the seed, as a file. */
export const SEED = [
  said('m1', null, 'Message1'),
  said('m2', 'm1', 'Message2', 'assistant'),
  said('m3', 'm2', 'Message3'),
  said('m4', 'm3', 'Message4', 'assistant'),
  said('m5', 'm1', 'Message5'),
  said('m6', 'm5', 'Message6', 'assistant'),
  '{"type":"summary","leafUuid":"m6","summary":"用户尝试了另一个方案"}\n',
  `{"type":"custom-title","sessionId":"${ID}","customTitle":"实验会话"}\n`,
].join('');
