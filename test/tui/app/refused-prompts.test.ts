import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from './open-terminal.ts';

/** A picture of one point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

test('[TUI-32] a prompt that the session refuses comes back to the editor, with its image', async () => {
  const { terminal, send, sees, received } = await openTerminal({ size: { columns: 80, rows: 20 } });
  const file = join(mkdtempSync(join(tmpdir(), 'heddle-image-')), 'a.png');
  writeFileSync(file, Buffer.from(PNG, 'base64'));
  terminal.type(`look at \x1b[200~${file}\x1b[201~`);
  await sees('[Image #1');
  terminal.type('\r');
  const prompts = () => received.filter(({ type }) => type === 'user');
  await vi.waitFor(() => expect(prompts()).toHaveLength(1));
  const { uuid } = prompts()[0] as JsonObject;
  await send({ type: 'system', subtype: 'input_error', error: 'the session is full', input_uuid: uuid });
  await sees(/the session is full[\s\S]*❯ look at \s*\[Image #1/);
  terminal.type('\r');
  await vi.waitFor(() => expect(prompts()).toHaveLength(2));
  const { message } = prompts()[1] as { message: JsonObject };
  const image = expect.objectContaining({ type: 'image', source: expect.objectContaining({ data: PNG }) });
  expect(message.content).toEqual(expect.arrayContaining([image]));
});
