// Scene 3: a prompt is edited and sent again. Files are as they were when it was sent first, and the old branch stays.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSession } from '../../dist/index.js';
import { check, paint, say, scene } from './paint.mjs';

const CLI = fileURLToPath(new URL('../../dist/heddle.cjs', import.meta.url));

/** Resolves with what went wrong; nothing, if the promise was kept. */
export async function showEdit(folder) {
  const project = join(folder, 'edit');
  mkdirSync(project, { recursive: true });
  const env = { ...process.env, HEDDLE_HOME: join(folder, 'home') };
  scene(3, 'A session is a tree', 'A slip in a prompt. It is edited and sent again; the file comes back with it.');

  const session = createSession({
    model: 'offline',
    cwd: project,
    env,
    permissionMode: 'acceptEdits',
    enableFileCheckpointing: true,
  });
  const poem = () => readFileSync(join(project, 'loom.txt'), 'utf8').trim();
  const seen = [];
  const ask = async (text, send) => {
    const result = await send(text);
    seen.push(poem());
    say(`   ${paint.tool('>')} ${text.padEnd(42)} ${paint.dim('loom.txt:')} ${paint.hint(poem())}`);
    return result;
  };
  try {
    await ask('write loom.txt: warp and weft', (text) => session.ask(text));
    const slip = await ask('replace weft with wfet in loom.txt', (text) => session.ask(text));
    say(`   ${paint.dim('Edited, with the files of that moment:')}`);
    await ask('replace weft with yarn in loom.txt', async (text) => {
      await session.edit(slip.uuid, text, { restoreFiles: true });
      for await (const _ of session.stream().textStream); // to its end
    });
    say(`\n   ${paint.dim('$ heddle sessions tree')}`);
    for (const line of drawTree(session.sessionId, project, env)) say(`   ${line}`);
    const [old] = await session.branches();
    await session.switch(old.leafUuid, { restoreFiles: true });
    seen.push(poem());
  } finally {
    await session.close();
  }
  const isKept = seen.join('; ') === 'warp and weft; warp and wfet; warp and yarn; warp and wfet';
  check(isKept, `back on the old branch, loom.txt is "${seen.at(-1)}" again: nothing is lost`);
  return isKept ? [] : [`loom.txt was: ${seen.join('; ')}`];
}

/** What `heddle sessions tree` draws, without the figures behind each branch. */
function drawTree(sessionId, cwd, env) {
  const options = { cwd, env: { ...env, FORCE_COLOR: '0' }, encoding: 'utf8' };
  const drawn = execFileSync(process.execPath, [CLI, 'sessions', 'tree', sessionId], options);
  return drawn
    .split('\n')
    .filter((line) => /[●○]/.test(line))
    .map((line) => line.replace(/ · .*?( ◀ active)?$/, '$1').replace(/.*◀ active/, (text) => paint.good(text)));
}
