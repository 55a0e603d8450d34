// Programs from npm that speak the Agent Client Protocol: a client without a window drives `heddle acp`, and two adapters
// drive our command line beside it. They are installed outside of the repository, executed, and never opened.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AcpClient } from './acp-client.mjs';
import { INSTALL_FLAGS } from './reference.mjs';
import { runCommand } from './run-command.mjs';
import { root } from './tree.mjs';

const PACKAGES = {
  acpx: '0.19.1',
  '@agentclientprotocol/claude-agent-acp': '0.99.1',
  '@zed-industries/claude-code-acp': '0.16.2',
};
const INSTALL_MS = 240_000;
const CLIENT_MS = 40_000;
const CLI = path.join(root, 'dist/cli.js');

/**
 * Resolves with the outcome of each check: `{ name, ok, output }`. Empty where the packages could not be installed; `tell`
 * then says why.
 */
export async function checkEditorClients({ installed, temporary, tell }) {
  const folder = path.join(installed, 'editors');
  const problem = await install(folder);
  if (problem) {
    tell(`editors: SKIPPED, the registry did not answer\n${problem.replace(/^/gm, '    ')}`);
    return [];
  }
  const testing = await import(pathToFileURL(path.join(root, 'dist/testing.js')).href);
  const program = (name) => path.join(folder, 'node_modules/.bin', name);
  const place = (name, script) => makePlace(path.join(temporary, `editor-${name}`), testing.startFakeApi(script));
  const runs = {
    'acpx runs a prompt': () => acpxPrompt(program('acpx'), place('prompt', [writing(testing), 'All done.'])),
    'acpx keeps a session': () => acpxSession(program('acpx'), place('session', ['first', 'second'])),
    'acpx cancels a turn': () => acpxCancel(program('acpx'), place('cancel', [testing.hang()])),
    ...Object.fromEntries(
      ['claude-agent-acp', 'claude-code-acp'].map((name) => [
        `${name} on our command line says what heddle acp says`,
        async () => {
          const native = await callsOf([CLI, 'acp'], place(`native-${name}`, calling(testing)));
          const adapted = await callsOf([program(name)], place(name, calling(testing)));
          same(adapted, native);
        },
      ]),
    ),
  };
  const outcomes = [];
  for (const [name, run] of Object.entries(runs)) {
    const output = await run().then(
      () => null,
      (error) => String(error.stack ?? error),
    );
    outcomes.push({ name, ok: output === null, output: output ?? '' });
  }
  return outcomes;
}

async function install(folder) {
  if (fs.existsSync(path.join(folder, 'node_modules/.bin/claude-code-acp'))) return null;
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  const { code, output } = await runCommand('npm', ['install', ...INSTALL_FLAGS], { cwd: folder, limitMs: INSTALL_MS });
  return code === 0 ? null : output.trim() || `npm was not done after ${INSTALL_MS / 1000} s`;
}

async function makePlace(base, starting) {
  const api = await starting;
  const [home, cwd] = [path.join(base, 'home'), path.join(base, 'work')];
  for (const each of [home, cwd]) fs.mkdirSync(each, { recursive: true });
  fs.writeFileSync(path.join(cwd, 'a.txt'), 'one\ntwo\n');
  const config = path.join(home, '.heddle');
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, HEDDLE_HOME: config, CLAUDE_CONFIG_DIR: config },
    ...{ ANTHROPIC_API_KEY: 'key-of-the-test', ANTHROPIC_BASE_URL: api.url, CLAUDE_CODE_EXECUTABLE: CLI },
  };
  return { api, cwd, env };
}

const writing = ({ toolUse }) => toolUse('Write', { file_path: 'made.txt', content: 'made\n' });
const calling = ({ toolUse }) => [
  toolUse('Read', { file_path: './a.txt' }),
  toolUse('Edit', { file_path: './a.txt', old_string: 'two', new_string: '2' }),
  toolUse('Write', { file_path: './new.txt', content: 'new\n' }),
  toolUse('Bash', { command: 'ls nothing-here', description: 'Lists' }),
  'All done.',
];

async function acpxPrompt(program, making) {
  const { api, ...place } = await making;
  const { code, text } = await acpx(program, ['--approve-all', 'exec', 'write it'], place).ended;
  await api.close();
  expect(code === 0 && text.includes('All done.'), `acpx ended with ${code}:\n${text}`);
  expect(fs.readFileSync(path.join(place.cwd, 'made.txt'), 'utf8') === 'made\n', 'made.txt is another');
}

async function acpxSession(program, making) {
  const { api, ...place } = await making;
  const said = [];
  for (const args of [
    ['sessions', 'new'],
    ['prompt', 'one'],
    ['prompt', 'two'],
    ['sessions', 'close'],
  ]) {
    const { code, text } = await acpx(program, args, place).ended;
    expect(code === 0, `acpx ${args.join(' ')} ended with ${code}:\n${text}`);
    said.push(text);
  }
  await api.close();
  expect(said[1].includes('first') && said[2].includes('second'), said.join('\n'));
  expect(JSON.stringify(api.requests.at(-1).body).includes('first'), 'the second prompt did not continue the first');
}

async function acpxCancel(program, making) {
  const { api, ...place } = await making;
  await acpx(program, ['sessions', 'new'], place).ended;
  const prompt = acpx(program, ['prompt', 'go'], place);
  const deadline = Date.now() + CLIENT_MS;
  while (api.requests.length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  await acpx(program, ['cancel'], place).ended;
  const { text } = await prompt.ended;
  await acpx(program, ['sessions', 'close'], place).ended;
  await api.close();
  expect(text.includes('cancelled'), text);
}

/** Runs the client; whatever it leaves in the background ends after a second without work. */
function acpx(program, args, { cwd, env }) {
  const agent = `${process.execPath} ${CLI} acp`;
  const child = spawn(process.execPath, [program, '--agent', agent, '--cwd', cwd, '--ttl', '1', ...args], { cwd, env });
  const timer = setTimeout(() => child.kill('SIGKILL'), CLIENT_MS);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
  }
  const ended = new Promise((resolve) =>
    child.on('exit', (code) => {
      clearTimeout(timer);
      setTimeout(() => resolve({ code, text }), 100);
    }),
  );
  return { ended };
}

/** What an agent tells of one prompt: its calls, their changes, and how the turn ended. */
async function callsOf(command, making) {
  const { api, cwd, env } = await making;
  const client = new AcpClient(command, { cwd, env, patienceMs: CLIENT_MS });
  try {
    await client.call('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await client.call('session/new', { cwd, mcpServers: [] });
    const { stopReason } = await client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
    const calls = client.calls().map(({ kind, status, rawInput, diffs }) => ({ kind, status, rawInput, diffs }));
    return JSON.parse(JSON.stringify({ stopReason, calls, questions: client.questions }).replaceAll(cwd, '.'));
  } finally {
    await client.close();
    await api.close();
  }
}

/**
 * Differences that are meant: for an edit the adapters send a part of the file, and we send the whole file. So the part
 * must be in ours, before and behind the change.
 */
function same(adapted, native) {
  const withoutDiffs = ({ calls, ...others }) => ({ ...others, calls: calls.map(({ diffs: _, ...call }) => call) });
  const [theirs, ours] = [adapted, native].map((each) => JSON.stringify(withoutDiffs(each), null, 1));
  expect(theirs === ours, `the adapter: ${theirs}\nheddle acp: ${ours}`);
  for (const [at, { diffs }] of adapted.calls.entries()) {
    const own = native.calls[at].diffs;
    const fits = diffs.every(({ path: file, oldText, newText }) =>
      own.some(
        (each) =>
          each.path === file &&
          (each.oldText ?? '').includes(oldText ?? '') &&
          each.newText.includes(newText) &&
          (each.oldText === null) === (oldText === null),
      ),
    );
    expect(
      fits && diffs.length === own.length,
      `the adapter: ${JSON.stringify(diffs)}\nheddle acp: ${JSON.stringify(own)}`,
    );
  }
}

function expect(isTrue, message) {
  if (!isTrue) throw new Error(message);
}
