// A review for GitHub Actions: findings become annotations of the changed lines. Exit codes: 0 nothing found, 1 findings,
// 2 the review itself failed. In a workflow of a pull request it looks at the real diff with a real model, and needs
// ANTHROPIC_API_KEY; elsewhere it plays one answer to the diff below, so that it runs without a key.
import { execFileSync } from 'node:child_process';
import { FailedResultError, type Options, prompt, successOf } from 'heddle';
import { createEngine, inProcess } from 'heddle/engine';
import { createMemoryStore } from 'heddle/stores/memory';
import { scriptedModel, toolUse } from 'heddle/testing';
import * as z from 'zod';

const SAMPLE = `--- a/loom.js
+++ b/loom.js
@@ -1 +1,2 @@
 let threads = 240;
+if (threads = 0) throw new Error('no threads');
`;

const review = z.object({
  summary: z.string(),
  findings: z.array(
    z.object({
      file: z.string(),
      line: z.number().int().min(1),
      level: z.enum(['error', 'warning', 'notice']),
      message: z.string(),
    }),
  ),
});

const base = process.env.GITHUB_BASE_REF;
const diff = base ? execFileSync('git', ['diff', `origin/${base}...`], { encoding: 'utf8' }) : SAMPLE;

// The agent may read, and nothing else: nobody is there to be asked. What it may spend has an end.
const limits: Options = {
  tools: ['Read', 'Grep', 'Glob'],
  permissionMode: 'dontAsk',
  persistSession: false,
  maxTurns: 20,
  maxBudgetUsd: 0.5,
  maxDurationMs: 600_000,
};

const finding = { file: 'loom.js', line: 2, level: 'error', message: 'This assigns 0.\nUse ===.' };
const played = scriptedModel([toolUse('StructuredOutput', { summary: 'One bug.', findings: [finding] })]);
const engine = createEngine({ cwd: process.cwd(), model: played, store: createMemoryStore() });
const where: Options = base ? {} : { transport: inProcess(engine) };

try {
  const asked = `Review this diff. Name bugs only, each with the file and the line in the new version.\n\n${diff}`;
  const result = successOf(await prompt(asked, { ...limits, ...where, outputFormat: review }));
  const { summary, findings } = result.structured_output;
  for (const { file, line, level, message } of findings) {
    console.log(`::${level} file=${property(file)},line=${line}::${escaped(message)}`);
  }
  console.log(`${summary} ($${result.total_cost_usd.toFixed(4)})`);
  process.exitCode = findings.length > 0 ? 1 : 0;
} catch (error) {
  const why = error instanceof FailedResultError ? `${error.reason}: ${error.message}` : String(error);
  console.log(`::error::${escaped(`The review failed: ${why}`)}`);
  process.exitCode = 2;
} finally {
  await engine.close();
}

/** What the model has written must not be able to end the line, and begin another command of the workflow. */
function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
