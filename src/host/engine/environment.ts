import { cloudOf, userKeyVariables } from '../../model/provider-names.ts';
import { findConfigHome } from '../../util/own/config-home.ts';
import { isOn } from '../../util/text/setting-text.ts';
import { HeddleError } from '../../wire/errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * The folder of Heddle's state. Throws `invalid_option` when the environment names none, and `invalid_settings` when
 * the user's choice of a home cannot be read.
 */
export function configHome(env: Env): string {
  const found = findConfigHome(env);
  if (!found) {
    throw new HeddleError(
      'invalid_option',
      'There is no place for sessions: set HEDDLE_HOME or HOME. A program hands its own to the engine with ' +
        'createEngine({ env: process.env }), or gives it a home or a store',
    );
  }
  if ('problem' in found) throw new HeddleError('invalid_settings', found.problem);
  return found.path;
}

/** The config home; null when the environment names none. Throws `invalid_settings` like `configHome`. */
export function configHomeOrNull(env: Env): string | null {
  return findConfigHome(env) === null ? null : configHome(env);
}

/** Credentials that the user entrusted to the runtime, and not to the commands that tools run. */
const KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_FOUNDRY_API_KEY',
  'ANTHROPIC_FOUNDRY_AUTH_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AZURE_OPENAI_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
];
/** Keys of a whole account: they belong to the model only where Bedrock is to answer. */
const ACCOUNT_KEYS = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
const HEADER_LINES = ['ANTHROPIC_CUSTOM_HEADERS', 'OPENAI_CUSTOM_HEADERS'];
/** Addresses that may hold a user name and a password. Tools need them unchanged. */
const ADDRESSES = [
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_BEDROCK_BASE_URL',
  'ANTHROPIC_FOUNDRY_BASE_URL',
  'ANTHROPIC_VERTEX_BASE_URL',
  'OPENAI_BASE_URL',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
];

function keysIn(env: Env): string[] {
  const asksBedrock =
    cloudOf(env) === 'bedrock' || isOfBedrock(env.ANTHROPIC_MODEL) || isOn(env[HIDE_AWS_KEYS_VARIABLE]);
  return [...KEYS, ...userKeyVariables(env), ...(asksBedrock ? ACCOUNT_KEYS : [])];
}

/** On: tools do not get the keys of an AWS account. A launch that names a model of Bedrock sets it. */
export const HIDE_AWS_KEYS_VARIABLE = 'HEDDLE_HIDE_AWS_KEYS';

/** Whether a name of a model asks Amazon Bedrock, whatever the environment says. */
export function isOfBedrock(model: string | undefined): boolean {
  return /^bedrock\//i.test(model?.trim() ?? '');
}

/** The environment of a session. Once a model of Bedrock was chosen, the keys of the account are the model's. */
export function envWith(models: { hasBedrock(): boolean }, env: Env): Env {
  return models.hasBedrock() ? { ...env, [HIDE_AWS_KEYS_VARIABLE]: '1' } : env;
}

/** The environment of tools: the runtime's, without the model's credentials. */
export function toolEnv(env: Env): Record<string, string | undefined> {
  const rest = { ...env };
  for (const name of [...keysIn(env), ...HEADER_LINES]) delete rest[name];
  return rest;
}

/** The values of the credentials, which must not be shown or written to any file. */
export function secretValues(env: Env): string[] {
  const values = [
    ...keysIn(env).map((name) => env[name] ?? ''),
    ...HEADER_LINES.flatMap((name) => (env[name] ?? '').split('\n').flatMap(headerSecrets)),
    ...ADDRESSES.flatMap((name) => userInfo(env[name] ?? '')),
  ];
  return [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '');
}

/** Shorter words within a value (`Bearer`, names of cookies) are not secrets. */
const MIN_WORD_CHARS = 8;

/** The value of a `Name: value` line, and the words in it, because an output may show one of them alone. */
export function headerSecrets(line: string): string[] {
  const value = line.slice(line.indexOf(':') + 1).trim();
  return [value, ...value.split(/[\s;,=]+/).filter((word) => word.length >= MIN_WORD_CHARS)];
}

/** The secrets in the user info of an address: as written, decoded, and as sent. The user name alone is not secret. */
function userInfo(address: string): string[] {
  const [, written = ''] = /^(?:[^/?#@]*:\/\/)?([^/?#]*)@/.exec(address.trim()) ?? [];
  if (written === '') return [];
  const pair = decode(written);
  const sent = Buffer.from(pair.includes(':') ? pair : `${pair}:`).toString('base64');
  const password = written.slice(written.indexOf(':') + 1);
  return [written, pair, sent, password, decode(password)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
