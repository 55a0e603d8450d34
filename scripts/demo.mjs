#!/usr/bin/env node
// The main job on the embedded default: a small project with a failing test, and an agent that fixes it. No network, no
// key: the built-in offline model follows the steps that the prompt spells; tools, permissions and session are real.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { query } from '../dist/index.js';

const folder = mkdtempSync(join(tmpdir(), 'heddle-demo-'));
const project = makeProject(folder);
const home = join(folder, 'home');
const prompt = [
  'run: node --test --test-reporter=dot',
  'then replace "a - b" with "a + b" in sum.js',
  'then run: node --test --test-reporter=dot',
].join('\n');

say(`A project with a failing test: ${project}`);
say('The prompt:');
for (const line of prompt.split('\n')) say(`  ${line}`);

const started = performance.now();
const run = query({
  prompt,
  options: {
    model: 'offline',
    cwd: project,
    env: { ...process.env, HEDDLE_HOME: home },
    permissionMode: 'acceptEdits',
    allowedTools: ['Bash(node --test:*)'],
  },
});
let result = null;
for await (const message of run) {
  if (message.type === 'assistant') showAnswer(message.message.content);
  if (message.type === 'user') showToolResult(message.message.content);
  if (message.type === 'result') result = message;
}
if (!result || result.is_error) {
  console.error(`The demo failed: ${JSON.stringify(result)}`);
  process.exit(1);
}
showResult(result);

function makeProject(base) {
  const dir = join(base, 'project');
  writeFileSync(join(mkdir(dir), 'package.json'), '{ "name": "demo", "type": "module" }\n');
  writeFileSync(join(dir, 'sum.js'), 'export function sum(a, b) {\n  return a - b;\n}\n');
  writeFileSync(
    join(dir, 'sum.test.js'),
    "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { sum } from './sum.js';\n\n" +
      "test('adds', () => assert.equal(sum(2, 3), 5));\n",
  );
  return dir;
}

function mkdir(dir) {
  mkdirSync(dir, { recursive: true });
  return dir;
}

function showAnswer(blocks) {
  for (const block of blocks) {
    if (block.type === 'tool_use') say(`\n● ${block.name} ${describeInput(block.input)}`);
  }
}

function describeInput(input) {
  if (input.command) return input.command;
  const file = input.file_path ? relative(project, resolve(project, input.file_path)) : '';
  return input.old_string ? `${file}: ${input.old_string} → ${input.new_string}` : file;
}

function showToolResult(blocks) {
  for (const block of blocks) {
    if (block.type !== 'tool_result') continue;
    const text = typeof block.content === 'string' ? block.content : '';
    const lines = text
      .split('<system-reminder>')[0]
      .trimEnd()
      .split('\n')
      .filter((line) => line.trim() !== '');
    for (const line of lines.slice(0, 8)) say(`  │ ${line.slice(0, 100)}`);
    if (lines.length > 8) say(`  │ … ${lines.length - 8} more lines`);
    say(`  └ ${block.is_error ? 'failed' : 'ok'}`);
  }
}

function showResult({ result: answer, num_turns, total_cost_usd, session_id, usage }) {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const tokens = usage.input_tokens + usage.output_tokens;
  const cli = relative(process.cwd(), fileURLToPath(new URL('../dist/heddle.cjs', import.meta.url)));
  const env = `HEDDLE_HOME=${home}`;
  say('\nThe answer:');
  for (const line of answer.split('\n').filter((text) => /^\d+\./.test(text))) say(`  ${line.replace(/:$/, '')}`);
  say(`\nDone in ${seconds} s: ${num_turns} turns, ${tokens} tokens, $${total_cost_usd.toFixed(2)}`);
  say(`Session ${session_id}, kept under ${home}`);
  say('\nTry next:');
  say(`  (cd ${project} && ${env} node ${join(process.cwd(), cli)} -p --model offline --continue "read sum.js")`);
  say(`  node ${cli} -p --model offline "list files matching *.md"`);
  say(`  ANTHROPIC_API_KEY=… node ${cli} -p "what does this project do?"`);
  say(`  node ${cli} --help`);
}

function say(text) {
  console.log(text);
}
