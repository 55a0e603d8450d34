import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { CommandPreview } from '../../../src/wire/control/interface-answers.ts';
import { createHouse } from '../support.ts';

async function previewOf(command: string, fields = { permissionPreviews: true }) {
  const house = createHouse((_request, at) => (at === 0 ? toolUse('Bash', { command }) : 'done'));
  const seen: unknown[] = [];
  const answer = (request: { subtype?: unknown; command_preview?: unknown }) => {
    if (request.subtype !== 'can_use_tool') return {};
    seen.push(request.command_preview);
    return { behavior: 'deny', message: 'no' };
  };
  const client = house.connect({ permissionPromptTool: 'stdio' }, { answer });
  await client.control({ subtype: 'initialize', ...fields });
  await client.ask('go');
  return { preview: seen[0], dir: house.dir };
}

test('a question about a command tells what it writes, deletes and reaches, and where it runs', async () => {
  const { preview, dir } = await previewOf('rm -rf -- old && curl https://example.com/x -o got; echo 1 > out');
  const { directory, sandboxed, effects } = CommandPreview.parse(preview);
  expect({ directory, sandboxed }).toEqual({ directory: dir, sandboxed: false });
  expect(effects).toContainEqual({ what: 'deletes', on: join(dir, 'old') });
  expect(effects).toContainEqual({ what: 'writes', on: join(dir, 'out') });
  expect(effects).toContainEqual({ what: 'reaches', on: 'example.com' });
});

test('what cannot be told is said to be unknown; a host that wants no previews gets none', async () => {
  const { preview } = await previewOf('touch "$(cat name)"; $RUN');
  expect(CommandPreview.parse(preview).unknown).toEqual(expect.any(String));
  expect((await previewOf('touch x', { permissionPreviews: false })).preview).toBeUndefined();
});
