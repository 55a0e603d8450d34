import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hang, toolUse } from '../../src/testing/index.ts';
import { type RunningCli, STREAM_BOTH, startCli } from './cli.ts';
import { ORPHAN_LOADS, type OrphanLoad, pidOfLoad } from './orphan-loads.ts';
import { makePlace, type Place } from './place.ts';
import { descendantsOf, eventually, isAlive } from './processes.ts';
import { ROOT } from './root.ts';

/** What may run when an agent ends: commands of each kind, a server with a child of its own, a hook. */
export const RUNNING = [...(Object.keys(ORPHAN_LOADS) as OrphanLoad[]), 'mcp', 'hook'] as const;
export type Running = (typeof RUNNING)[number];

export interface RunningLoad {
  cli: RunningCli;
  /** All that the agent has started, be it its child or not. */
  pids: number[];
}

/** An agent in the middle of a turn, with one of them running. */
export async function startRunning(running: Running): Promise<RunningLoad> {
  if (running === 'mcp') return startWithServer(await makePlace([hang()]));
  const isHook = running === 'hook';
  const load = isHook ? 'deaf' : running;
  const place = await makePlace([toolUse('Bash', { command: isHook ? 'true' : ORPHAN_LOADS[load] })]);
  const hook = { type: 'command', command: ORPHAN_LOADS[load], timeout: 600 };
  const settings = JSON.stringify(isHook ? { hooks: { PreToolUse: [{ hooks: [hook] }] } } : {});
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash', '--settings', settings], { place });
  cli.say('go');
  const pid = await pidOfLoad(place.cwd, load);
  return { cli, pids: [pid, ...descendantsOf(cli.pid)] };
}

/** A server that ignores signals and the end of its input, as does a child that it has put into a group of its own. */
export function stubbornServer(place: Place): string[] {
  const server = join(ROOT, 'test/support/odd-mcp-server.mjs');
  const odd = { command: process.execPath, args: [server, 'family'], env: { PID_FILE: join(place.cwd, 'pids') } };
  return ['--mcp-config', JSON.stringify({ mcpServers: { odd } })];
}

/** The pids of that server and of its child. */
export async function serverPids({ cwd }: Place): Promise<number[]> {
  const read = () => (existsSync(join(cwd, 'pids')) ? readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n') : []);
  await eventually(() => read().length === 2);
  return read().map(Number);
}

async function startWithServer(place: Place): Promise<RunningLoad> {
  const cli = startCli([...STREAM_BOTH, ...stubbornServer(place)], { place });
  cli.say('go');
  const pids = await serverPids(place);
  await eventually(() => place.api.requests.length === 1);
  return { cli, pids: [...pids, ...descendantsOf(cli.pid)] };
}

/** How an agent ended after a signal: how long it took, and what lives on six seconds after the signal. */
export async function endBySignal(
  { cli, pids }: RunningLoad,
  signal: NodeJS.Signals,
): Promise<{ wasRunning: boolean; ms: number; left: number[] }> {
  const wasRunning = isAlive(pids[0] ?? 0);
  const started = Date.now();
  cli.kill(signal);
  await cli.finished;
  const ms = Date.now() - started;
  await eventually(() => !pids.some(isAlive), Math.max(0, 6000 - ms)).catch(() => {});
  return { wasRunning, ms, left: pids.filter(isAlive) };
}
