import { describe, expect, test } from 'vitest';
import { type Block, blocksOf, indentedCode, PAGES } from './blocks.ts';
import { lookAt } from './look-at.ts';
import { makeProject } from './project.ts';
import { createSlots } from './slots.ts';

/**
 * Every block of every page is tried, as its language asks for: commands and programs run, settings and files are used by
 * a run. One that is only read says why (`because`). The blocks of a page run in their order in one project: a page is a
 * story.
 */
const withBlocks = PAGES.filter((page) => blocksOf(page).length > 0);

/** Pages at a time: their programs are processes, and there may be as few as two cores. */
const slots = createSlots(2);

describe.concurrent('the blocks of a page do what the page says', () => {
  test.each(withBlocks)('%s', { timeout: 240_000 }, async (page) => {
    const problems = await slots.take(() => problemsOf(page));
    expect(problems).toEqual([]);
  });
});

/** Raising it needs a better reason than that a block is hard to try. Two are drawings of the terminal's screen. */
const MAX_UNTRIED = 19;

test('hardly any block is only read', () => {
  const untried = PAGES.flatMap(blocksOf).filter(({ notes }) => notes.has('because'));
  expect(untried.length, untried.map(placeOf).join(', ')).toBeLessThanOrEqual(MAX_UNTRIED);
});

test.each(PAGES)('%s has no indented code, which nobody would look at', (page) => {
  expect(indentedCode(page)).toEqual([]);
});

async function problemsOf(page: string): Promise<string[]> {
  const problems: string[] = [];
  const project = await makeProject();
  try {
    for (const block of blocksOf(page)) {
      const problem = await lookAt(block, project).catch((error: unknown) => String(error));
      if (problem) problems.push(`${placeOf(block)}: ${problem}`);
    }
  } finally {
    await project.close();
  }
  return problems;
}

function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}
