import { isFilled, isObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import { PROVIDERS_VARIABLE, userProviders } from './provider-names.ts';
import type { Env } from './resolve.ts';

/** A server that is chosen by the name in front of a model's: `gemini/NAME`. */
export interface NamedServer {
  name: string;
  /** Chat completions, OpenAI's Responses, or Anthropic's Messages. */
  wire: 'chat' | 'responses' | 'messages';
  baseUrl: string;
  /** The variable or setting that holds the address, for texts about it. */
  addressFrom: string;
  /** The variables that may hold the key; the first that is set wins. None: the server needs no key. */
  keyVariables: readonly string[];
  /** The header for the key. Default: a bearer token. */
  keyHeader?: string;
  headers?: Readonly<Record<string, string>>;
}

type Row = Omit<NamedServer, 'name'>;

const LOCAL = { wire: 'chat', keyVariables: [] } as const;

const SERVERS: Readonly<Record<string, Row>> = {
  gemini: {
    wire: 'chat',
    addressFrom: 'GEMINI_BASE_URL',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  openrouter: {
    wire: 'chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    addressFrom: 'OPENROUTER_BASE_URL',
    keyVariables: ['OPENROUTER_API_KEY'],
  },
  'openai-responses': {
    wire: 'responses',
    baseUrl: 'https://api.openai.com/v1',
    addressFrom: 'OPENAI_BASE_URL',
    keyVariables: ['OPENAI_API_KEY'],
  },
  ollama: { ...LOCAL, baseUrl: 'http://127.0.0.1:11434/v1', addressFrom: 'OLLAMA_BASE_URL' },
  lmstudio: { ...LOCAL, baseUrl: 'http://127.0.0.1:1234/v1', addressFrom: 'LMSTUDIO_BASE_URL' },
  llamacpp: { ...LOCAL, baseUrl: 'http://127.0.0.1:8080/v1', addressFrom: 'LLAMACPP_BASE_URL' },
  vllm: { ...LOCAL, baseUrl: 'http://127.0.0.1:8000/v1', addressFrom: 'VLLM_BASE_URL' },
};

/** The names of the servers that need no row of the user's. */
export const SERVER_NAMES: readonly string[] = Object.keys(SERVERS);

/** The servers that usually run on this machine. */
export const LOCAL_SERVERS: readonly string[] = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];

/**
 * The server of this name; undefined when there is none. A user's row of the same name wins. Throws `invalid_option` for
 * a row that cannot be used.
 */
export function namedServer(name: string, env: Env): NamedServer | undefined {
  const rows = userProviders(env);
  if (Object.hasOwn(rows, name)) return userServer(name, rows[name]);
  const row = Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
  if (!row) return undefined;
  return { ...row, name, baseUrl: env[row.addressFrom]?.trim() || row.baseUrl };
}

const WIRES = ['chat', 'responses', 'messages'] as const;

function userServer(name: string, row: unknown): NamedServer {
  if (!isObject(row)) throw wrong(name, 'must be an object');
  const { baseUrl, keyVariable, keyHeader, headers, wire = 'chat' } = row;
  if (!isFilled(baseUrl)) throw wrong(name, 'needs a baseUrl, such as https://api.example.com/v1');
  const known = WIRES.find((each) => each === wire);
  if (!known) throw wrong(name, `has a wire that is none of ${WIRES.join(', ')}`);
  for (const [key, value] of Object.entries({ keyVariable, keyHeader })) {
    if (value !== undefined && !isFilled(value)) throw wrong(name, `has a ${key} that is no text`);
  }
  if (
    headers !== undefined &&
    !(isObject(headers) && Object.values(headers).every((each) => typeof each === 'string'))
  ) {
    throw wrong(name, 'has headers that are no texts by name');
  }
  return {
    name,
    wire: known,
    baseUrl: baseUrl.trim(),
    addressFrom: `modelProviders.${name}.baseUrl`,
    keyVariables: isFilled(keyVariable) ? [keyVariable] : [],
    ...(isFilled(keyHeader) && { keyHeader: keyHeader.toLowerCase() }),
    ...(isObject(headers) && { headers: headers as Record<string, string> }),
  };
}

function wrong(name: string, problem: string): HeddleError {
  return new HeddleError('invalid_option', `modelProviders (${PROVIDERS_VARIABLE}): ${name} ${problem}`);
}
