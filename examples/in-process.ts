// The agent inside this process: no child process, sessions in memory. One engine serves any number of sessions.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession, resumeSession, type Session } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';

const cwd = await mkdtemp(join(tmpdir(), 'heddle-example-'));
await writeFile(join(cwd, 'loom.txt'), 'warp\nweft\n');
// The environment is what is given here and nothing else; commands need a PATH.
const engine = createEngine({ cwd, env: { PATH: process.env.PATH }, store: createMemoryStore() });
const options = { model: 'offline', transport: inProcess(engine) };
try {
  const sessionId = await ask(createSession(options), 'find weft');
  // The same session goes on: the store has kept it, nothing is on disk.
  const resumed = await ask(resumeSession(sessionId, options), 'run: wc -l loom.txt');
  console.log(`same session: ${sessionId === resumed}`);
} finally {
  await engine.close();
  await rm(cwd, { recursive: true });
}

/** Asks one question, and resolves with the id of the session. */
async function ask(session: Session, question: string): Promise<string> {
  try {
    console.log((await session.ask(question)).text);
    return session.sessionId;
  } finally {
    await session.close();
  }
}
