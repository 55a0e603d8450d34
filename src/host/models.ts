import { createAnthropicModel } from '../model/anthropic.ts';
import { anthropicSettings } from '../model/anthropic-env.ts';
import type { Model } from '../model/model.ts';
import { missingCredentials, resolveModel } from '../model/resolve.ts';
import { withRetry } from '../model/retry.ts';
import type { Runtime } from '../util/runtime.ts';
import type { HeddleError } from '../wire/errors.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import type { Env } from './home.ts';

/** Asked before each request, so that tokens can rotate. */
export type Credential = () => Promise<{ apiKey?: string; authToken?: string }>;

export interface Chosen {
  model: Model;
  /** The resolved id, for requests and for `init.model`. */
  id: string;
  betas: readonly string[];
  maxOutputTokens: number;
}

/** Finds the model that a name means; adapters and their connections are shared by all sessions of an engine. */
export interface Models {
  /** Rejects with `not_supported` for names that nothing here can answer. */
  choose(name: string | undefined, env: Env): Promise<Chosen>;
  apiKeySource(env: Env): string;
  close(): void;
}

export function createModels(options: { runtime: Runtime; model?: Model; credential?: Credential }): Models {
  const { runtime, credential } = options;
  const adapters = new Map<string, Model>();
  const shared = (key: string, make: () => Model): Model => {
    const model = adapters.get(key) ?? make();
    adapters.set(key, model);
    return model;
  };

  async function adapterFor(provider: 'anthropic' | 'offline', env: Env): Promise<Model> {
    if (options.model) return options.model;
    if (provider === 'offline') {
      const { createOfflineModel } = await import('../model/offline.ts');
      return shared('offline', () => createOfflineModel());
    }
    const missing = credential ? undefined : missingCredentials(env);
    if (missing) return failingModel(missing);
    const connection = { ...anthropicSettings(env), ...(credential && { credential }) };
    const make = () =>
      withRetry(createAnthropicModel({ ...connection, userAgent: `heddle/${HEDDLE_VERSION}`, runtime }), {
        maxRetries: maxRetries(env),
        clock: runtime.clock,
        random: Math.random,
      });
    return shared(connectionKey(env), make);
  }

  return {
    async choose(name, env) {
      const { provider, id, betas, maxOutputTokens } = resolveModel(name, env);
      return { model: await adapterFor(provider, env), id, betas, maxOutputTokens };
    },
    apiKeySource: (env) => (env.ANTHROPIC_API_KEY && !credential ? 'ANTHROPIC_API_KEY' : 'none'),
    close() {
      for (const model of adapters.values()) model.close?.();
    },
  };
}

/**
 * Stands in where nothing can be called. The session opens all the same, because hosts expect its first lines; the turn
 * then fails with what to do.
 */
function failingModel(error: HeddleError): Model {
  return {
    provider: 'none',
    async *stream() {
      yield { type: 'failure', failure: { class: 'authentication', message: error.message } };
    },
  };
}

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
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

function connectionKey(env: Env): string {
  return JSON.stringify(CONNECTION_VARIABLES.map((name) => env[name] ?? null));
}

function maxRetries(env: Env): number {
  const given = Number(env.CLAUDE_CODE_MAX_RETRIES ?? 'none');
  return Number.isInteger(given) && given >= 0 ? given : 10;
}
