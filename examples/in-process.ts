// The agent inside this process: no child process, sessions in memory. One engine serves any number of sessions.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, query } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';

const cwd = await mkdtemp(join(tmpdir(), 'heddle-example-'));
await writeFile(join(cwd, 'loom.txt'), 'warp\nweft\n');
// The environment is what is given here and nothing else; commands need a PATH.
const engine = createEngine({ cwd, env: { PATH: process.env.PATH }, store: createMemoryStore() });
try {
  const sessionId = await ask('find weft', {});
  // The same session goes on: the store has kept it, nothing is on disk.
  const resumed = await ask('run: wc -l loom.txt', { resume: sessionId });
  console.log(`same session: ${sessionId === resumed}`);
} finally {
  await engine.close();
  await rm(cwd, { recursive: true });
}

async function ask(prompt: string, options: Options): Promise<string> {
  let sessionId = '';
  for await (const message of query({
    prompt,
    options: { model: 'offline', transport: inProcess(engine), ...options },
  })) {
    if (message.type !== 'result') continue;
    sessionId = message.session_id;
    console.log(message.subtype === 'success' ? message.result : message.errors.join('\n'));
  }
  return sessionId;
}
