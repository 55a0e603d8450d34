// What it costs to decide about a command, and to explain a decision: read-only git commands, walks and lists with and without
// path rules, and commands of 100 KB. CPU of this process; the first rounds are for the compiler.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createSession } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';

const ROUNDS = 40;
const LARGE_ROUNDS = 3;
const GIT = [
  'git status --short',
  'git diff',
  'git log --oneline -20',
  'git show --stat HEAD',
  'git blame src/f0.ts',
  'git ls-files src',
  'git rev-parse HEAD',
  'git branch --list',
  'git grep -n x src',
  'git config --get user.name',
];
const WALKS = [
  "find src -name '*.ts' | xargs wc -l",
  'grep -rn x src',
  'for f in src/*.ts; do head -5 "$f"; done',
  'cp -r src out',
  'some-tool "$VERSION"',
];
const KB100 = 100 * 1024;
const LARGE = {
  words: filled((at) => ` word${at}`, 'echo'),
  texts: filled((at) => ` 'a text $x ${at}; b'`, 'some-tool'),
  commands: filled((at) => `git log src/f${at}.ts | head -${at}\n`),
  document: `some-tool <<'END'\n${filled((at) => `{"a": ${at}, "b": "c d"}\n`)}END\n`,
};

const cwd = path.join(process.cwd(), 'decisions');
furnish();
const engine = createEngine({ cwd, env: process.env });
const base = { cwd, env: process.env, transport: inProcess(engine) };
const disallowedTools = ['Read(./.env)', 'Edit(./locked/**)', 'Read(**/*.pem)'];
const plain = createSession(base);
const ruled = createSession({ ...base, disallowedTools });
const figures = {
  gitMs: await perCommand(plain, GIT),
  gitRulesMs: await perCommand(ruled, GIT),
  walkMs: await perCommand(plain, WALKS),
  walkRulesMs: await perCommand(ruled, WALKS),
};
const large = {};
for (const [name, command] of Object.entries(LARGE)) large[`${name}Ms`] = await slowest(ruled, command);
for (const session of [plain, ruled]) await session.close();
await engine.close();
console.log(JSON.stringify({ ...figures, largeMs: Math.max(...Object.values(large)), ...large }));

async function perCommand(session, commands) {
  for (const command of commands) await explain(session, command);
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) for (const command of commands) await explain(session, command);
  return cpuSince(before) / (ROUNDS * commands.length);
}

/** The least of a few: other work on the machine only adds. */
async function slowest(session, command) {
  const times = [];
  for (let round = 0; round < LARGE_ROUNDS; round++) {
    const before = process.cpuUsage();
    await explain(session, command);
    times.push(cpuSince(before));
  }
  return Math.min(...times);
}

async function explain(session, command) {
  const { behavior } = await session.explainPermission('Bash', { command });
  if (!behavior) throw new Error(`no decision about ${command.slice(0, 80)}`);
}

function cpuSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function filled(piece, start = '') {
  let text = start;
  for (let at = 0; text.length < KB100; at++) text += piece(at);
  return text;
}

/** A small repository: 20 directories with 20 files each. */
function furnish() {
  for (let at = 0; at < 20; at++) {
    const folder = path.join(cwd, 'src', `d${at}`);
    fs.mkdirSync(folder, { recursive: true });
    for (let file = 0; file < 20; file++) fs.writeFileSync(path.join(folder, `f${file}.ts`), 'x\n');
  }
  for (const name of ['src/f0.ts', '.env']) fs.writeFileSync(path.join(cwd, name), 'x\n');
  const git = (...args) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
      stdio: 'ignore',
    });
  git('init', '--quiet');
  git('add', 'src');
  git('commit', '--quiet', '--message', 'first');
}
