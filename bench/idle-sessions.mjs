// Ten sessions in one process, each after a turn, waiting for the next message: what they hold and what they do.
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSession } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';

const SETTLE_MS = 3000;
const WATCHED_MS = 3000;

const engine = createEngine({ cwd: process.cwd(), env: process.env });
const options = { env: process.env, transport: inProcess(engine) };
const sessions = Array.from({ length: 10 }, () => createSession(options));
for (const session of sessions) {
  await session.send('hi @scenario:hello');
  for await (const _message of session.stream());
}
await sleep(SETTLE_MS);
const before = process.cpuUsage();
await sleep(WATCHED_MS);
const { user, system } = process.cpuUsage(before);
const pss = /^Pss:\s+(\d+) kB/m.exec(fs.readFileSync('/proc/self/smaps_rollup', 'utf8'))?.[1];
console.log(JSON.stringify({ pssMiB: Number(pss) / 1024, idleMsPerS: (user + system) / WATCHED_MS }));
for (const session of sessions) await session.close();
await engine.close();
