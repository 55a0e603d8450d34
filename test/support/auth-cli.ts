import { join } from 'node:path';
import { type CliOptions, runCli } from './cli.ts';
import type { Place } from './place.ts';

/** What is stored in the tests of `heddle auth`. */
export const KEY = 'sk-of-a-test-0123456789-abcd-WXYZ';
/** No credential but what is stored. */
export const BARE = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: undefined, OPENAI_API_KEY: undefined };

export const auth = (place: Place, args: string[], options: Partial<CliOptions> & { stdin?: string } = {}) =>
  runCli(['auth', ...args], { place, env: BARE, ...options });
export const login = (place: Place, args: string[] = [], key = KEY, env: CliOptions['env'] = {}) =>
  auth(place, ['login', ...args], { stdin: `${key}\n`, env: { ...BARE, ...env } });
export const keyFile = (place: Place) => join(place.home, 'api-keys.json');
