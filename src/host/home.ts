import { join } from 'node:path';
import { HeddleError } from '../wire/errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The config home (ruling P2): HEDDLE_HOME, else CLAUDE_CONFIG_DIR, else ~/.heddle. */
export function configHome(env: Env): string {
  const home = env.HEDDLE_HOME || env.CLAUDE_CONFIG_DIR || (env.HOME && join(env.HOME, '.heddle'));
  if (home) return home;
  throw new HeddleError(
    'invalid_option',
    'There is no place for sessions: set HEDDLE_HOME or HOME, or give the engine a store',
  );
}

/** What the runtime itself was trusted with and its tools were not (ruling G4). */
const SECRETS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'OPENAI_CUSTOM_HEADERS',
];

/** The environment of tools: the runtime's, without the model's credentials. */
export function toolEnv(env: Env): Record<string, string | undefined> {
  const rest = { ...env };
  for (const name of SECRETS) delete rest[name];
  return rest;
}

/** What must not be written to any file: the values of the credentials. */
export function secretValues(env: Env): string[] {
  return SECRETS.flatMap((name) => {
    const value = env[name]?.trim() ?? '';
    return name.endsWith('_CUSTOM_HEADERS') ? headerWords(value) : [value];
  }).filter((value) => value !== '');
}

/** The words behind the colons of `Name: value` lines, each by itself: `Bearer` is no secret. */
function headerWords(lines: string): string[] {
  return lines.split('\n').flatMap((line) =>
    line
      .slice(line.indexOf(':') + 1)
      .trim()
      .split(/\s+/),
  );
}
