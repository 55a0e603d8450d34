import { expect, test } from 'vitest';
import { createEngine } from '../../../src/host/create-engine.ts';
import { checkOptions } from '../../../src/sdk/options/check-options.ts';
import { OPTION_CHECKS } from '../../../src/sdk/options/option-checks.ts';
import type { Options } from '../../../src/sdk/options/options.ts';
import { toLaunch } from '../../../src/sdk/options/to-launch.ts';
import { toVariables, toWords } from '../../../src/sdk/subprocess/command-words.ts';

/** The declarations let programs hand over what they may not have: that is as if it were left out. */
test('an option that is undefined is one that is left out', () => {
  const undefinedAll = Object.fromEntries(Object.keys(OPTION_CHECKS).map((name) => [name, undefined])) as Options;
  expect(() => checkOptions(undefinedAll)).not.toThrow();
  const [none, all] = [toLaunch({}, {}), toLaunch(undefinedAll, {})];
  expect(JSON.stringify(all)).toBe(JSON.stringify(none));
  expect(toWords(undefinedAll, all.config)).toEqual(toWords({}, none.config));
  expect(toVariables(undefinedAll, all.config)).toEqual(toVariables({}, none.config));
});

test('also of an engine', async () => {
  const options = { env: undefined, home: undefined, model: undefined, credential: undefined, store: undefined };
  const more = { tools: undefined, telemetry: undefined, clock: undefined, ids: undefined, log: undefined };
  const engine = createEngine({ cwd: '/', ...options, ...more, ordered: undefined, pid: undefined });
  expect(engine).toMatchObject({ pid: 0, ordered: false });
  expect(engine.telemetry()).toBeNull();
  expect(await engine.customTools()).toEqual([]);
  await engine.close();
});
