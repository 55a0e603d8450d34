import { describe, expect, onTestFinished, test } from 'vitest';
import { isObject } from '../../src/util/json.ts';
import type { Mistake } from '../support/mistakes/mistake.ts';
import { WRONG_ANSWERS } from '../support/mistakes/wrong-answers.ts';
import { WRONG_ENGINES } from '../support/mistakes/wrong-engines.ts';
import { WRONG_OPTIONS } from '../support/mistakes/wrong-options.ts';
import { WRONG_PLACES } from '../support/mistakes/wrong-places.ts';
import { makePlace } from '../support/place.ts';

const ALL = [...WRONG_OPTIONS, ...WRONG_PLACES, ...WRONG_ANSWERS, ...WRONG_ENGINES];

/** Makes the mistake, and collects all that the program hears of it. */
async function toldOf({ make }: Mistake): Promise<string[]> {
  const place = await makePlace(() => 'Hello.');
  const told: string[] = [];
  const warned: string[] = [];
  const listen = ({ name, message, detail }: Error & { detail?: string }) => {
    if (name !== 'HeddleWarning') return;
    const isStack = detail?.includes(import.meta.dirname.replace('/e2e', '/support/mistakes')) === true;
    warned.push(`warns${isStack ? ' with a stack' : ''}: ${message}`);
  };
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  try {
    const made = await make(place);
    if (isObject(made) && made.type === 'result' && made.is_error === true) {
      told.push(`result: ${Array.isArray(made.errors) ? made.errors.join('\n') : String(made.result)}`);
    }
  } catch (error) {
    const { code, message, name } = error as Error & { code?: string };
    told.push(`throws ${code ?? name}: ${message}`);
  }
  await new Promise((resolve) => setImmediate(resolve)); // Node hands on warnings with the next tick
  return [...warned, ...told].map((text) => withoutPrefix(text.replaceAll(place.root, 'ROOT').trimEnd()));
}

/** The last words of a process have the prefix of the command line, whose tests look at it. */
function withoutPrefix(text: string): string {
  return text.replaceAll(/^(Error|error|heddle): /gm, '');
}

describe('[K51] a mistake of a newcomer is told whole, with what to do', () => {
  test.each(ALL)('$what', async (mistake) => {
    expect(await toldOf(mistake)).toEqual(mistake.told);
  });
});

test('the kinds of the first hour: many, none of them silent, none raw', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(45);
  expect(new Set(ALL.map(({ what }) => what)).size).toBe(ALL.length);
  for (const { what, told } of ALL) {
    expect(told, what).not.toEqual([]);
    expect(told.join('\n'), what).not.toMatch(/Cannot (read|destructure)|\n {4}at |\[object |is not iterable/);
  }
});
