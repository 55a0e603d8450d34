// Runs the built command line as its users will, so that the code of the ways that all of them take is compiled and kept
// (src/cli/start.ts). Against a model in this process, in a folder that is removed again.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const LIMIT_MS = 20_000;
const STREAM = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];

/** Resolves with null, or with what went wrong. Never rejects: a command line that is not warm still runs. */
export async function warmUp(dist) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-build-'));
  try {
    return await takeTheWays(dist, base);
  } catch (error) {
    return error.message;
  } finally {
    fs.rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function takeTheWays(dist, base) {
  const { startFakeApi, text, toolUse } = await import(pathToFileURL(path.join(dist, 'testing.js')).href);
  const api = await startFakeApi((_request, index) =>
    index === 0 ? toolUse('Bash', { command: 'echo' }) : text('Hi'),
  );
  const env = {
    PATH: process.env.PATH,
    HOME: base,
    HEDDLE_HOME: base,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'x',
  };
  const start = (args, input) => runOnce([path.join(dist, 'heddle.cjs'), ...args], { cwd: base, env, input });
  const run = (args, input) => start([...STREAM, ...args], input);
  try {
    const host = [
      { type: 'control_request', request_id: '1', request: { subtype: 'initialize' } },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'hi' }] } },
    ];
    const lines = host.map((line) => `${JSON.stringify(line)}\n`).join('');
    const first = await run(['--input-format', 'stream-json', '--allowedTools', 'Bash'], lines);
    return first ?? (await run(['--continue', 'hi'])) ?? (await start(['sessions', 'list']));
  } finally {
    await api.close();
  }
}

function runOnce(words, { cwd, env, input = '' }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, words, { cwd, env, stdio: ['pipe', 'ignore', 'pipe'], timeout: LIMIT_MS });
    let told = '';
    child.stderr.on('data', (data) => {
      told += data;
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? null : `it ended with ${code}: ${told.trim()}`));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
