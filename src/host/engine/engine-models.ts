import { createAnthropicModel } from '../model/anthropic.ts';
import { anthropicSettings } from '../model/anthropic-env.ts';
import { createHide, hidingLogger } from '../model/hide-secrets.ts';
import type { Model } from '../model/model.ts';
import { missingCredentials, type ResolvedModel, resolveModel } from '../model/resolve.ts';
import { withRetry } from '../model/retry.ts';
import type { Runtime } from '../util/runtime.ts';
import type { HeddleError } from '../wire/errors.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import { type Env, secretValues } from './home.ts';
import { createRecentModels } from './recent-models.ts';

/** Supplies the credential of the Anthropic API and of no other. Asked before each request, so that tokens can rotate. */
export type Credential = () => Promise<{ apiKey?: string; authToken?: string }>;

interface Adapter {
  model: Model;
  /** Where the key for it comes from, in the words of `init.apiKeySource`. */
  keySource: string;
}

/** A model that was found: what its name means, and the adapter that calls it. */
export interface Chosen extends Omit<ResolvedModel, 'provider'>, Adapter {
  /** What every request of a recording asks for; a replay must ask for the same. */
  recordedMaxTokens?: number;
}

/** Where a session gets the credential of the Anthropic API from, if not from its environment. */
export interface KeyHelper {
  /** Sessions with the same one share connections. */
  readonly id: string;
  readonly credential: Credential;
}

/** Whose API a key can be stored for, and the file that `heddle auth login` writes into the config home. */
export type KeyProvider = 'anthropic' | 'openai';
export const KEY_FILE = 'api-keys.json';

/** Where a session gets keys from that are not in its environment. The environment comes first, as hosts expect. */
export interface SessionKeys {
  /** The user's command, for the Anthropic API. Wins over a stored key. */
  helper?: KeyHelper | undefined;
  /** A key that `heddle auth login` has stored for the server at this address. */
  stored?(provider: KeyProvider, address: string): KeyHelper | undefined;
  /** A line for those who have stored a key, but not for that server; else empty. */
  storedElsewhere?(provider: KeyProvider, address: string): string;
}

/** How many sets of credentials and addresses keep their connections at a time. */
const MAX_CONNECTED = 16;

/** Finds the model that a name means; adapters and their connections are shared by all sessions of an engine. */
export interface Models {
  /** Rejects with `not_supported` for names that nothing here can answer. */
  choose(name: string | undefined, env: Env, keys?: SessionKeys): Promise<Chosen>;
  close(): void;
}

export interface ModelsOptions {
  runtime: Runtime;
  model?: Model;
  credential?: Credential;
  /** The program has not said what the engine may know of its environment. */
  isWithoutEnv?: boolean;
}

export function createModels(options: ModelsOptions): Models {
  const { runtime } = options;
  const missingKey = (error: HeddleError, env: Env, hint = ''): Adapter => {
    const seesNothing = options.isWithoutEnv && env.PATH === undefined;
    return failingModel(`${seesNothing ? WITHOUT_ENV : ''}${error.message}${hint}`);
  };
  const adapters = createRecentModels(MAX_CONNECTED);
  const retried = (model: Model, env: Env): Model =>
    withRetry(model, { maxRetries: maxRetries(env), clock: runtime.clock, random: Math.random });
  const own = (env: Env) => {
    const secrets = secretValues(env);
    const log = hidingLogger(runtime.log, createHide(secrets));
    return { userAgent: `heddle/${HEDDLE_VERSION}`, secrets, runtime: { ...runtime, log } };
  };

  async function adapterFor(provider: ResolvedModel['provider'], env: Env, keys: SessionKeys): Promise<Adapter> {
    if (options.model) return { model: options.model, keySource: sourceOf(env, {}) };
    const variables = CONNECTION_VARIABLES.map((name) => env[name] ?? null);
    const keyed = (helper: KeyHelper | undefined) => JSON.stringify([provider, helper?.id ?? null, ...variables]);
    switch (provider) {
      case 'offline': {
        const { createOfflineModel } = await import('../model/offline.ts');
        return { model: adapters.get('offline', createOfflineModel), keySource: 'none' };
      }
      case 'openai': {
        const { createOpenAiModel, openAiSettings, missingOpenAiKey } = await import('../model/openai-provider.ts');
        const settings = openAiSettings(env);
        const hasKey = !!settings.apiKey?.trim();
        const helper = hasKey ? undefined : keys.stored?.('openai', settings.baseUrl);
        const missing = helper ? undefined : missingOpenAiKey(env);
        if (missing) return missingKey(missing, env, keys.storedElsewhere?.('openai', settings.baseUrl));
        const credential = helper && { credential: helper.credential };
        const make = () => retried(createOpenAiModel({ ...settings, ...credential, ...own(env) }), env);
        return {
          model: adapters.get(keyed(helper), make),
          keySource: hasKey ? 'OPENAI_API_KEY' : helper ? STORED_KEY : 'none',
        };
      }
      case 'anthropic': {
        const settings = anthropicSettings(env);
        const missing = missingCredentials(env);
        // The environment comes first, as hosts expect: the others are for those who have no key there.
        const stored = missing && !keys.helper ? keys.stored?.('anthropic', settings.baseUrl) : undefined;
        const helper = missing && (keys.helper ?? stored);
        const credential = options.credential ?? helper?.credential;
        if (missing && !credential) {
          return missingKey(missing, env, keys.storedElsewhere?.('anthropic', settings.baseUrl));
        }
        const make = () =>
          retried(createAnthropicModel({ ...settings, ...(credential && { credential }), ...own(env) }), env);
        return { model: adapters.get(keyed(helper), make), keySource: sourceOf(env, { helper, stored }) };
      }
      default:
        return provider satisfies never;
    }
  }

  /** Of the Anthropic API. Tokens, and what the embedding program supplies, are no keys that hosts know a word for. */
  function sourceOf(env: Env, { helper, stored }: { helper?: KeyHelper; stored?: KeyHelper }): string {
    if (options.credential) return 'none';
    if (env.ANTHROPIC_API_KEY?.trim()) return 'ANTHROPIC_API_KEY';
    if (stored) return STORED_KEY;
    return helper ? 'apiKeyHelper' : 'none';
  }

  return {
    async choose(name, env, keys = {}) {
      const { provider, ...resolved } = resolveModel(name, env);
      return { ...resolved, ...(await adapterFor(provider, env, keys)) };
    },
    close: () => adapters.close(),
  };
}

/** The reference's word for a key that its sign-in has stored; hosts know it. */
const STORED_KEY = '/login managed key';

/**
 * Stands in where nothing can be called. The session opens all the same, because hosts expect its first lines; the turn
 * then fails with what to do.
 */
function failingModel(message: string): Adapter {
  const model: Model = {
    provider: 'none',
    async *stream() {
      yield { type: 'failure', failure: { class: 'authentication', message } };
    },
  };
  return { model, keySource: 'none' };
}

/** Before a text that would have somebody set a variable which is set. */
const WITHOUT_ENV =
  'This engine was made without an environment and sees no variable of yours: createEngine({ env: process.env }) hands ' +
  'them over.\n';

/** Sessions whose environments agree on all of these share one connection. */
const CONNECTION_VARIABLES = [
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'API_TIMEOUT_MS',
  'CLAUDE_CODE_MAX_RETRIES',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'OPENAI_API_KEY',
  'OPENAI_CUSTOM_HEADERS',
  'OPENAI_BASE_URL',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

function maxRetries(env: Env): number {
  const given = Number(env.CLAUDE_CODE_MAX_RETRIES ?? 'none');
  return Number.isInteger(given) && given >= 0 ? given : 10;
}
