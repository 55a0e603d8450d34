import { describe, expect, test } from 'vitest';
import { readFrontMatter } from '../../src/config/extensions/front-matter.ts';
import { memoryImports } from '../../src/config/memory/memory-imports.ts';
import { mentionsIn } from '../../src/host/conversation/mentions.ts';
import { readShell } from '../../src/permissions/commands/read-shell.ts';
import { decide } from '../../src/permissions/decide.ts';
import { findReplacements } from '../../src/tools/files/edit-match.ts';
import { describeNearest } from '../../src/tools/files/nearest-text.ts';
import { diffLines } from '../../src/tools/files/patch.ts';
import { scanPdf } from '../../src/tools/files/pdf-scan.ts';
import { nearestWord } from '../../src/util/text/nearest.ts';
import { parseShell, policyFor, rules } from '../permissions/policy-for.ts';

/**
 * One process serves many sessions, and signals are heard in between: no text that a model, a project or a page brings may
 * keep it from everything else. Each of these took from half a second to minutes.
 */
const CPU_MS = 1500;

/** Not by the clock: others may be using the machine. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const many = (text: string, times: number) => text.repeat(times);
const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at));
const judged = (command: string) => {
  const policy = policyFor({ deny: rules('Bash(rm:*)', 'Read(./.env)') });
  const access = { kind: 'execute', command } as const;
  return decide({ toolName: 'Bash', input: { command }, access, script: readShell(command, parseShell) }, policy);
};
const imported = (text: string) => memoryImports(text, { directory: '/project', userHome: '/home/me' });

describe('no input holds up the process', () => {
  test.each<[string, () => unknown]>([
    [
      'Edit: lines that are alike',
      () =>
        describeNearest(many('    x = 1\n', 40_000), `${many('    x = 1\n', 4000)}y = 2\n${many('    x = 1\n', 99)}`),
    ],
    [
      'Edit: letters that are alike',
      () => findReplacements(many('a', 400_000), `${many('a', 99_999)}b${many('a', 99_999)}`, ''),
    ],
    [
      'Edit: places without a line end behind them',
      () => findReplacements(`a\r\n${many('Q', 200_000)}`, 'Q', 'R\n', 200_001),
    ],
    [
      'a patch of different texts',
      () =>
        diffLines(
          lines(1_000_000, (n) => `before ${n} of it`).join('\n'),
          lines(1_000_000, (n) => `after ${n} of it`).join('\n'),
        ),
    ],
    ['a PDF of streams without an end', () => scanPdf(Buffer.from(many('/Type /ObjStm stream\n', 50_000)))],
    ['a memory file with a row of dots', () => imported(`@${many('.', 99_990)}a`)],
    ['a memory file with rows of backticks', () => imported(lines(440, (n) => many('`', n + 1)).join(' '))],
    ['a memory file with two fences', () => imported(`${many('`', 50_000)} ${many('`', 49_000)}`)],
    ['a prompt with a row of dots', () => mentionsIn(`@${many('.', 200_000)}a`)],
    ['a skill with many empty lines', () => readFrontMatter(`---\na: |\n  x${many('\n', 200_000)}  y\n---\n`)],
    [
      'a command with many texts for a program without a grammar',
      () => judged(`some-tool${lines(4000, (n) => ` 'a text $x ${n}; b'`).join('')}`),
    ],
    [
      'a command with a document for such a program',
      () => judged(`some-tool <<'END'\n${lines(3000, (n) => `{"a": ${n}, "b": "c/d${n}"}`).join('\n')}\nEND`),
    ],
    [
      'a command of many loops',
      () => judged(lines(2000, (n) => `for f in a b; do some-tool "$f" x${n}; done`).join('\n')),
    ],
    ['a command of many pipes', () => judged(lines(3000, (n) => `git log f${n} | head -${n}`).join('\n'))],
    ['a command of many variables', () => judged(lines(3000, (n) => `some-tool "$HOME/x${n}" $y`).join('\n'))],
    ['a command with many empty lines', () => judged(`echo $(cat <<'E'\n${many('\n', 90_000)}x\nE\n)`)],
    [
      'a setting with a long name',
      () =>
        nearestWord(
          many('permissions', 10_000),
          lines(100, (n) => `some-setting-${n}`),
        ),
    ],
  ])('%s', async (_what, work) => {
    expect(await cpuOf(work)).toBeLessThan(CPU_MS);
  });
});

test('an Edit that finds nothing lets others have their turns while it looks for what was meant', async () => {
  const text = lines(70_000, (n) => `const value${n} = compute(${n}, "text ${n * 7}");`).join('\n');
  let turns = 0;
  const search = describeNearest(text, 'nothing of\nthis kind');
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await search).toBeNull();
  isOver = true;
  expect(turns).toBeGreaterThan(2);
});
