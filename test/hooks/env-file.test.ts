import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import { createHouse, resultsOf } from '../host/support.ts';
import { command, settingsWith } from './support.ts';

const BYPASS = { permissionMode: 'bypassPermissions' };
const show = (text: string) => toolUse('Bash', { command: `printf '%s' "${text}"` });

test('[HK-06] what SessionStart hooks export is there for the commands of the session', async () => {
  const house = createHouse([show('$ONE|$TWO|$KEPT|$PATH'), 'done', show('$ONE'), 'done']);
  const settings = settingsWith({
    SessionStart: [
      command('echo "$CLAUDE_ENV_FILE" > file; echo "export ONE=\'1 one\'" > "$CLAUDE_ENV_FILE"'),
      command('printf \'TWO="$ONE and two"\\nexport PATH="$PATH:/my/bin"\\nunset KEPT\\n\' > "$CLAUDE_ENV_FILE"'),
    ],
  });
  const env = { HOME: dirname(house.dir), PATH: process.env.PATH, KEPT: 'kept' };
  const client = house.connect({ ...BYPASS, settings }, { env });
  await client.ask('go');
  expect(resultsOf(client.lines)[0]?.content).toBe(`1 one|1 one and two||${process.env.PATH}:/my/bin`);
  await client.ask('on');
  expect(resultsOf(client.lines)[1]?.content).toBe('1 one');
  const file = readFileSync(join(house.dir, 'file'), 'utf8').trim();
  expect(existsSync(file)).toBe(true);
  await client.end();
  expect(existsSync(dirname(file))).toBe(false);
});

test('[B-187] CwdChanged hooks may change it, other hooks have no such file', async () => {
  const house = createHouse([toolUse('Bash', { command: 'cd sub' }), show('$WHERE'), 'done']);
  mkdirSync(join(house.dir, 'sub'));
  const settings = settingsWith({
    PreToolUse: [command('echo "[$CLAUDE_ENV_FILE]" > "$CLAUDE_PROJECT_DIR/none"')],
    CwdChanged: [command('echo "export WHERE=sub" >> "$CLAUDE_ENV_FILE"')],
  });
  const client = house.connect({ ...BYPASS, settings });
  await client.ask('go');
  expect(resultsOf(client.lines)[1]?.content).toBe('sub');
  expect(readFileSync(join(house.dir, 'none'), 'utf8')).toBe('[]\n');
});

test('[K-2] a file that is broken spoils neither the others nor the session', async () => {
  const house = createHouse([show('$GOOD|$BAD'), 'done']);
  const settings = settingsWith({
    SessionStart: [
      command('echo "export BAD=(((" > "$CLAUDE_ENV_FILE"'),
      command('echo "echo noise; export GOOD=good" > "$CLAUDE_ENV_FILE"'),
    ],
  });
  const client = house.connect({ ...BYPASS, settings });
  await client.ask('go');
  expect(resultsOf(client.lines)[0]?.content).toBe('good|');
});

test('[G4] it cannot bring back the key of the model', async () => {
  const house = createHouse([show('[$COPY]'), 'done']);
  const settings = settingsWith({
    SessionStart: [command(`echo 'export COPY="$ANTHROPIC_API_KEY"' > "$CLAUDE_ENV_FILE"`)],
  });
  const env = { HOME: dirname(house.dir), PATH: process.env.PATH, ANTHROPIC_API_KEY: 'sk-secret-secret' };
  const client = house.connect({ ...BYPASS, settings }, { env });
  await client.ask('go');
  expect(resultsOf(client.lines)[0]?.content).toBe('[]');
});
