import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { type CliOptions, type RunningCli, runCli, startCli } from './cli.ts';
import type { Line } from './lines.ts';
import type { Place } from './place.ts';

/** A session without a terminal; it ends with the test. */
export async function inBackground(place: Place, args: string[], options: Partial<CliOptions> = {}): Promise<string> {
  onTestFinished(() => endThose(place));
  const { stdout, code } = await runCli(['--bg', ...args], { place, ...options });
  expect(code).toBe(0);
  return stdout.trim();
}

/** Another host of the session; resolves when it is in. */
export async function attachTo(place: Place, words: string[], options: Partial<CliOptions> = {}): Promise<RunningCli> {
  const cli = startCli(['attach', '--stdio', ...words], { place, ...options });
  await cli.until(() => cli.lines.some(({ type }) => type === 'control_response'));
  return cli;
}

/** The processes that have sessions of a place. */
export function ownersIn({ home }: Place): number[] {
  const folder = join(home, 'locks');
  if (!existsSync(folder)) return [];
  const leases = readdirSync(folder).filter((name) => /^[0-9a-f-]{36}\.json$/.test(name));
  return leases.map((name) => Number(JSON.parse(readFileSync(join(folder, name), 'utf8')).pid));
}

async function endThose(place: Place): Promise<void> {
  for (const pid of ownersIn(place)) process.kill(pid, 'SIGKILL');
}

export const isQuestion = ({ type, request }: Line): boolean =>
  type === 'control_request' && (request as { subtype?: string }).subtype === 'can_use_tool';

export function answer(cli: RunningCli, question: Line, response: object): void {
  const { request_id } = question;
  cli.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
}

export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000, interval: 50 });
}
