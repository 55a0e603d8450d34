// What an editor does when somebody edits a message: the new text hangs where the old one hung, the files are as they
// were at that moment, and the conversation goes on there. The old branch stays. No restart, no other session.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSession } from 'heddle';

const cwd = await mkdtemp(join(tmpdir(), 'heddle-example-'));
const session = createSession({
  cwd,
  model: 'offline',
  permissionMode: 'acceptEdits',
  enableFileCheckpointing: true,
});
try {
  await session.ask('write loom.txt: warp');
  const mistaken = await session.ask('replace warp with wfet in loom.txt');
  console.log(`before: ${await loom()}`);

  // What would become of the files? Nothing is sent, nothing is changed.
  const edited = 'replace warp with weft in loom.txt';
  const { files } = await session.edit(mistaken.uuid, edited, { restoreFiles: true, dryRun: true });
  console.log(`would change ${files.filesChanged?.length} file`);

  // Without `restoreFiles` the edited prompt would find `wfet` in the file, and nothing to replace.
  await session.edit(mistaken.uuid, edited, { restoreFiles: true });
  for await (const text of session.stream().textStream) if (text.includes('not found')) console.log(text);
  console.log(`after: ${await loom()}`);

  for (const { preview, active } of await session.branches()) console.log(`${active ? '*' : ' '} ${preview}`);
  const [old] = await session.branches();
  if (old) await session.switch(old.leafUuid, { restoreFiles: true });
  console.log(`and back: ${await loom()}`);
} finally {
  await session.close();
  await rm(cwd, { recursive: true });
}

function loom(): Promise<string> {
  return readFile(join(cwd, 'loom.txt'), 'utf8');
}
