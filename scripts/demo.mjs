#!/usr/bin/env node
// Three promises, each shown in a few seconds: what was printed survives `kill -9`; a denied command stays denied behind
// any wrapper; a prompt can be edited and sent again, and the files come back. No network, no key: the built-in offline
// model follows the steps that a prompt spells. Agent, tools, permissions and session files are the real ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showDeny } from './demo/deny.mjs';
import { showEdit } from './demo/edit.mjs';
import { showKill } from './demo/kill.mjs';
import { paint, say } from './demo/paint.mjs';

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), 'heddle-demo-'));
try {
  const failures = [];
  for (const show of [showKill, showDeny, showEdit]) failures.push(...(await show(folder)));
  if (failures.length > 0) {
    for (const failure of failures) say(paint.bad(`The demo failed: ${failure}`));
    process.exitCode = 1;
  } else {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    say(`\n${paint.good('Three promises kept')} ${paint.dim(`in ${seconds} s, without a key and without a network.`)}`);
    say(paint.dim('\nNow you:'));
    say('  node dist/heddle.cjs -p --model offline "list files matching *.md"');
    say('  ANTHROPIC_API_KEY=… node dist/heddle.cjs "what does this project do?"');
    say('  node dist/heddle.cjs --help');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
