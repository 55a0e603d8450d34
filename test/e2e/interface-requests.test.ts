import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

test('[TUI-52] files are suggested, messages come in pages and rules are changed, over stdio', async () => {
  const place = await makePlace(() => 'Hi');
  mkdirSync(join(place.cwd, 'src'));
  writeFileSync(join(place.cwd, 'src/parser.ts'), '');
  const cli = startCli(STREAM_BOTH, { place });
  expect(await cli.control({ subtype: 'file_suggestions', query: 'pars' })).toMatchObject({
    subtype: 'success',
    response: { suggestions: [{ path: 'src/parser.ts', is_directory: false }], total: 1, truncated: false },
  });
  expect(await cli.control({ subtype: 'file_suggestions' })).toMatchObject({ error_code: 'invalid_request' });
  cli.say('hello');
  await cli.next(({ type }) => type === 'result');
  expect(await cli.control({ subtype: 'session_messages', limit: 1 })).toMatchObject({
    response: { messages: [{ type: 'assistant' }], total: 2, before: expect.any(String) },
  });
  const updates = [
    { type: 'addRules', rules: [{ toolName: 'Write' }], behavior: 'deny', destination: 'localSettings' },
  ];
  expect(await cli.control({ subtype: 'update_permissions', updates })).toMatchObject({
    response: { mode: 'default' },
  });
  expect(readFileSync(join(place.cwd, '.claude/settings.local.json'), 'utf8')).toContain('"Write"');
  cli.endInput();
  expect((await cli.finished).code).toBe(0);
});

test('a question about a change shows the change, over stdio', async () => {
  const place = await makePlace((_request, at) =>
    at === 0 ? toolUse('Write', { file_path: 'new.txt', content: 'a\nb\n' }) : 'done',
  );
  const cli = startCli([...STREAM_BOTH, '--permission-prompt-tool', 'stdio'], { place });
  await cli.control({ subtype: 'initialize', permissionPreviews: true });
  cli.say('go');
  const { request_id, request } = await cli.next(({ type }) => type === 'control_request');
  expect(request).toMatchObject({ preview: { kind: 'file', content: 'a\nb\n', added: 2, is_new: true } });
  expect(existsSync(join(place.cwd, 'new.txt'))).toBe(false);
  const response = { subtype: 'success', request_id, response: { behavior: 'deny', message: 'no' } };
  cli.send({ type: 'control_response', response });
  await cli.next(({ type }) => type === 'result');
  cli.endInput();
  await cli.finished;
});
