import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { descendantsOf } from '../support/processes.ts';
import { put } from '../support/put.ts';
import { ROOT } from '../support/root.ts';
import { tally } from './tally.ts';

const SECRETS = {
  ANTHROPIC_API_KEY: 'secret-api-key-0123456789',
  ANTHROPIC_AUTH_TOKEN: 'secret-token-0123456789',
  ANTHROPIC_CUSTOM_HEADERS: 'X-Key: secret-header-0123456789',
  CLAUDE_CODE_OAUTH_TOKEN: 'secret-oauth-0123456789',
  OPENAI_API_KEY: 'secret-openai-0123456789',
};
const SECRET = /secret-(api-key|token|header|oauth|openai)/;
const BYPASS = ['--permission-mode', 'bypassPermissions'];
const mcpConfig = JSON.stringify({
  mcpServers: { odd: { command: process.execPath, args: [join(ROOT, 'test/support/odd-mcp-server.mjs')] } },
});

/** A place in which tools, hooks and a server write down the environment that they got, next to all that is kept. */
async function busyPlace(): Promise<Place> {
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'];
  const hook = (event: string) => [{ hooks: [{ type: 'command', command: `env > ${event}.env; exit 0` }] }];
  const place = await makePlace([
    toolUse('Bash', { command: 'env > tool.env; cat /proc/self/environ > tool2.env' }),
    toolUse('Bash', { command: 'env > background.env; sleep 600', run_in_background: true }),
    toolUse('mcp__odd__env', {}),
    toolUse('Bash', { command: 'seq 1 40000' }),
    toolUse('Write', { file_path: 'written', content: 'x' }),
    'Done.',
    fail(401, 'authentication_error', `not ${SECRETS.ANTHROPIC_API_KEY}`),
  ]);
  put(join(place.home, 'settings.json'), { hooks: Object.fromEntries(events.map((event) => [event, hook(event)])) });
  return place;
}

describe('credentials of the runtime', () => {
  const checkEnv = tally(['R-15'], 'environments of tools, hooks and servers', 'with a key');
  const checkFiles = tally(['R-16'], 'files and streams', 'with a key');

  test('[R-15, R-16] reach no tool, hook or server, and no file, log or stream', async () => {
    const place = await busyPlace();
    const flags = [
      ...BYPASS,
      '--mcp-config',
      mcpConfig,
      '--debug',
      '--debug-file',
      'debug.log',
      '--record',
      'calls.jsonl',
    ];
    const cli = startCli([...STREAM_BOTH, ...flags, '--on-end', 'stop'], { place, env: SECRETS });
    cli.say('go');
    expect(await cli.nextResult()).toMatchObject({ result: 'Done.' });
    const children = descendantsOf(cli.pid);
    const environments = children.map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(children.length).toBeGreaterThanOrEqual(2);
    cli.say('again');
    await cli.nextResult();
    cli.endInput();
    const { stdout, stderr } = await cli.finished;
    const written = readdirSync(place.cwd).filter((name) => name.endsWith('.env'));
    expect(written.length).toBeGreaterThanOrEqual(8);
    environments.push(...written.map((name) => readFileSync(join(place.cwd, name), 'utf8')));
    checkEnv(
      environments.filter((text) => SECRET.test(text)).map((text) => SECRET.exec(text)?.[0]),
      environments.length,
    );

    const texts = [stdout, stderr, ...filesBelow(place.root).map((path) => readFileSync(path, 'utf8'))];
    expect(texts.length).toBeGreaterThan(10);
    checkFiles(
      texts.filter((text) => SECRET.test(text)).map((text) => text.match(/.{40}secret-.{20}/)?.[0]),
      texts.length,
    );
  });
});

describe('files of the config home', () => {
  const check = tally(['R-17'], 'files and directories', 'open to others');

  test('[R-17] are for the user alone, whatever the umask', async () => {
    const place = await busyPlace();
    const before = process.umask(0);
    try {
      await runCli(['config', 'set', 'env.A', 'x'], { place });
      await runCli(['mcp', 'add', '--scope', 'user', 'one', '--', 'true'], { place });
      put(join(place.cwd, '.claude/settings.json'), { permissions: { allow: ['Bash(ls)'] } });
      await runCli(['trust', '--yes'], { place });
      const flags = [...BYPASS, '--mcp-config', mcpConfig, '--on-end', 'stop', '--debug'];
      const first = await runCli([...STREAM_OUT, 'go', ...flags], { place });
      await runCli([...STREAM_OUT, 'on', '--continue', '--fork-session'], { place });
      await runCli(['sessions', 'rename', String(first.lines.at(-1)?.session_id), 'A title'], { place });
    } finally {
      process.umask(before);
    }
    const paths = [place.home, ...everythingBelow(place.home)];
    expect(paths.length).toBeGreaterThan(10);
    const isRight = (path: string) => (statSync(path).mode & 0o777) === (statSync(path).isDirectory() ? 0o700 : 0o600);
    // The settings file was put there by the test, before the umask and before us.
    check(
      paths.filter((path) => path !== join(place.home, 'settings.json') && path !== place.home && !isRight(path)),
      paths.length,
    );
  });
});

function everythingBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

function filesBelow(folder: string): string[] {
  return everythingBelow(folder).filter((path) => statSync(path).isFile());
}
