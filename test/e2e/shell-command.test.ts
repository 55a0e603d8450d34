import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

test('a command of the person runs without a question, and the model reads it with the next prompt', async () => {
  const place = await makePlace(() => 'I see.');
  const cli = startCli(STREAM_BOTH, { place });
  expect(
    await cli.control({ subtype: 'shell_command', command: 'echo made > made; echo out; echo err >&2' }),
  ).toMatchObject({
    response: { stdout: 'out', stderr: 'err', is_error: false },
  });
  expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  expect(await cli.control({ subtype: 'shell_command', command: 'exit 3' })).toMatchObject({
    response: { stdout: '', stderr: 'Exit code 3', is_error: true },
  });
  expect(place.api.requests).toEqual([]);
  cli.say('and now?');
  await cli.next(({ type }) => type === 'result');
  const messages = JSON.stringify(place.api.requests[0]?.body.messages);
  expect(messages).toContain('<bash-input>exit 3</bash-input>');
  expect(messages).toMatch(/<bash-stdout>out<\/bash-stdout><bash-stderr>err<\/bash-stderr>.*and now\?/);
  expect(await cli.control({ subtype: 'shell_command', command: 'echo asked', should_query: true })).toMatchObject({
    response: { stdout: 'asked' },
  });
  await cli.next(({ type }) => type === 'result');
  expect(JSON.stringify(place.api.requests[1]?.body.messages)).toContain('<bash-stdout>asked</bash-stdout>');
  cli.endInput();
  expect((await cli.finished).code).toBe(0);
});

test('deny rules and hooks hold for a command of the person', async () => {
  const place = await makePlace(() => 'never');
  const hooks = {
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'grep -q hooked && exit 2 || exit 0' }] }],
  };
  mkdirSync(join(place.home, '.heddle'), { recursive: true });
  const settings = join(place.cwd, 'own-settings.json');
  writeFileSync(settings, JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] }, hooks }));
  const cli = startCli([...STREAM_BOTH, '--settings', settings], { place });
  const denied = { error_code: 'permission_denied' };
  expect(await cli.control({ subtype: 'shell_command', command: 'touch made' })).toMatchObject(denied);
  expect(await cli.control({ subtype: 'shell_command', command: 'echo hooked > made' })).toMatchObject(denied);
  expect(await cli.control({ subtype: 'shell_command', command: ' ' })).toMatchObject({
    error_code: 'invalid_request',
  });
  expect(existsSync(join(place.cwd, 'made'))).toBe(false);
  cli.endInput();
  await cli.finished;
});
