// What an editor waits for: a session of `heddle acp`, the load of a long one, a cancel, and what 20 sessions hold.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AcpClient } from '../scripts/lib/acp-client.mjs';
import { makeLongSession } from './long-session.mjs';

const SESSIONS = 20;
const SETTLE_MS = 1000;
const PATIENCE_MS = 60_000;
const LONG = '5e2f7a90-1b3c-4d6e-8f70-a1b2c3d4e5f6';
const [home, cwd] = [process.env.HEDDLE_HOME, process.cwd()];
const place = { cwd, mcpServers: [] };

const client = new AcpClient(process.argv.slice(2), { cwd, env: process.env, patienceMs: PATIENCE_MS });
await client.call('initialize', { protocolVersion: 1, clientCapabilities: {} });
await sleep(SETTLE_MS);
await client.call('session/list', {});
await sleep(SETTLE_MS);
const emptyMiB = memoryOf(client.pid);
// The first session loads the code of sessions; what each further one costs is the figure.
const ids = [(await client.call('session/new', place)).sessionId];
const before = cpuMsOf(client.pid);
while (ids.length < SESSIONS) ids.push((await client.call('session/new', place)).sessionId);
const newCpuMs = (cpuMsOf(client.pid) - before) / (SESSIONS - 1);
await sleep(SETTLE_MS);
const manyMiB = memoryOf(client.pid);

const answer = client.call('session/prompt', {
  sessionId: ids[0],
  prompt: [{ type: 'text', text: 'go @scenario:parallel8' }],
});
await client.sees(({ sessionUpdate, status }) => sessionUpdate === 'tool_call_update' && status === 'in_progress');
const cancelled = performance.now();
client.notify('session/cancel', { sessionId: ids[0] });
await answer;
const cancelMs = performance.now() - cancelled;

makeLongSession({ home, cwd, sessionId: LONG, compacted: false, bytes: 100_000_000 });
const loading = performance.now();
await client.call('session/load', { sessionId: LONG, ...place });
const loadMs = performance.now() - loading;
await client.close();
console.log(JSON.stringify({ newCpuMs, cancelMs, loadMs, sessionsMemory: manyMiB / emptyMiB, emptyMiB, manyMiB }));

function memoryOf(pid) {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** User and system time, in the kernel's hundredths of a second. */
function cpuMsOf(pid) {
  const fields = fs
    .readFileSync(path.join('/proc', String(pid), 'stat'), 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
