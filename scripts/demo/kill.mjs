// Scene 1: the agent is killed while a command of it runs. What it has printed is on disk, the command is gone with it,
// and the session goes on.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../../dist/index.js';
import { check, paint, say, scene, showCall, showOutput } from './paint.mjs';

const TEST = 'run: node --test';
const PROMPT = [TEST, 'replace "a - b" with "a + b" in sum.js', 'run: echo $$ > build.pid && sleep 60'].join('\nthen ');

/** Resolves with what went wrong; nothing, if the promise was kept. */
export async function showKill(folder) {
  const project = makeProject(join(folder, 'sum'));
  const home = join(folder, 'home');
  const options = {
    model: 'offline',
    cwd: project,
    env: { ...process.env, HEDDLE_HOME: home },
    permissionMode: 'acceptEdits',
    allowedTools: ['Bash'],
  };
  scene(1, 'Acknowledged means on disk', 'A test fails. The agent fixes it, starts a long build, and is killed.');

  const run = query({ prompt: PROMPT, options });
  const printed = [];
  let sessionId = '';
  try {
    for await (const message of run) {
      sessionId = message.session_id;
      if (message.type !== 'assistant' && message.type !== 'user') continue;
      printed.push(message.uuid);
      const call = message.message.content.find(({ type }) => type === 'tool_use');
      if (call) showCall(call, project);
      showTest(message);
      if (call?.input.command?.includes('sleep')) void killWhenBuilding(run.pid, project);
    }
  } catch {
    say(`   ${paint.bad('⚡ kill -9')} ${paint.dim('of the agent, in the middle of the build')}`);
  }

  const file = sessionFile(home, sessionId);
  const lost = printed.filter((uuid) => !file.includes(`"uuid":"${uuid}"`));
  check(lost.length === 0, `${printed.length} messages were printed before, ${lost.length} of them are lost`);
  const isGone = await ended(Number(readFileSync(join(project, 'build.pid'), 'utf8')));
  check(isGone, 'nothing is left running: the build ended with its agent');

  say(`\n   ${paint.dim('The same session again, with')} ${paint.hint('resume')}${paint.dim(':')}`);
  let result = null;
  for await (const message of query({ prompt: TEST, options: { ...options, resume: sessionId } })) {
    if (message.type === 'assistant') {
      const call = message.message.content.find(({ type }) => type === 'tool_use');
      if (call) showCall(call, project);
    }
    if (message.type === 'user') showTest(message);
    if (message.type === 'result') result = message;
  }
  const isFixed = result?.is_error === false && !result.result.includes('failed');
  check(isFixed, 'the fix was there, and the conversation went on');
  return [
    ...(lost.length > 0 ? [`${lost.length} printed messages are not in the session file`] : []),
    ...(isGone ? [] : ['the build outlived its agent']),
    ...(isFixed ? [] : [`the session did not go on: ${JSON.stringify(result)}`]),
  ];
}

function makeProject(dir) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{ "name": "demo", "type": "module" }\n');
  writeFileSync(join(dir, 'sum.js'), 'export function sum(a, b) {\n  return a - b;\n}\n');
  writeFileSync(
    join(dir, 'sum.test.js'),
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from './sum.js';\n\n" +
      "test('adds', () => assert.equal(sum(2, 3), 5));\n",
  );
  return dir;
}

/** What a run of the tests has come to; other results are left out. */
function showTest({ message: { content } }) {
  const output = content[0]?.type === 'tool_result' ? String(content[0].content) : '';
  if (/# tests 1/.test(output)) showOutput(/# fail 0/.test(output) ? 'the test passes' : 'the test fails');
}

async function killWhenBuilding(pid, project) {
  while (!isBuilding(project)) await pause();
  process.kill(pid, 'SIGKILL');
}

function isBuilding(project) {
  try {
    return readFileSync(join(project, 'build.pid'), 'utf8').endsWith('\n');
  } catch {
    return false;
  }
}

/** The text of a session's file, whichever folder it lies in. */
function sessionFile(home, sessionId) {
  const name = readdirSync(home, { recursive: true }).find((path) => path.endsWith(`${sessionId}.jsonl`));
  return readFileSync(join(home, name), 'utf8');
}

/** Whether a process is gone within five seconds. */
async function ended(pid) {
  for (const until = Date.now() + 5000; Date.now() < until; await pause()) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
  }
  return false;
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
