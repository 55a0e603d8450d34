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

/** A model that was found: what its name means, and the adapter that calls it. */
export interface Chosen extends Omit<ResolvedModel, 'provider'> {
  model: Model;
  /** What every request of a recording asks for; a replay must ask for the same. */
  recordedMaxTokens?: number;
}

/** Where a session gets the credential of the Anthropic API from, if not from its environment. */
export interface KeyHelper {
  /** Sessions with the same one share connections. */
  readonly id: string;
  readonly credential: Credential;
}

/** How many sets of credentials and addresses keep their connections at a time. */
const MAX_CONNECTED = 16;

/** Finds the model that a name means; adapters and their connections are shared by all sessions of an engine. */
export interface Models {
  /** Rejects with `not_supported` for names that nothing here can answer. */
  choose(name: string | undefined, env: Env, helper?: KeyHelper): Promise<Chosen>;
  apiKeySource(env: Env, hasHelper?: boolean): string;
  close(): void;
}

export function createModels(options: { runtime: Runtime; model?: Model; credential?: Credential }): Models {
  const { runtime } = options;
  const adapters = createRecentModels(MAX_CONNECTED);
  const retried = (model: Model, env: Env): Model =>
    withRetry(model, { maxRetries: maxRetries(env), clock: runtime.clock, random: Math.random });
  const own = (env: Env) => {
    const secrets = secretValues(env);
    const log = hidingLogger(runtime.log, createHide(secrets));
    return { userAgent: `heddle/${HEDDLE_VERSION}`, secrets, runtime: { ...runtime, log } };
  };

  async function adapterFor(provider: ResolvedModel['provider'], env: Env, helper?: KeyHelper): Promise<Model> {
    if (options.model) return options.model;
    // The environment comes first, as hosts expect: the helper is for those who have no key there.
    const credential = options.credential ?? (missingCredentials(env) && helper?.credential);
    const variables = CONNECTION_VARIABLES.map((name) => env[name] ?? null);
    const key = JSON.stringify([provider, helper?.id ?? null, ...variables]);
    switch (provider) {
      case 'offline': {
        const { createOfflineModel } = await import('../model/offline.ts');
        return adapters.get('offline', createOfflineModel);
      }
      case 'openai': {
        const { createOpenAiModel, openAiSettings, missingOpenAiKey } = await import('../model/openai-provider.ts');
        const missing = missingOpenAiKey(env);
        if (missing) return failingModel(missing);
        return adapters.get(key, () => retried(createOpenAiModel({ ...openAiSettings(env), ...own(env) }), env));
      }
      case 'anthropic': {
        const missing = credential ? undefined : missingCredentials(env);
        if (missing) return failingModel(missing);
        const settings = { ...anthropicSettings(env), ...(credential && { credential }) };
        return adapters.get(key, () => retried(createAnthropicModel({ ...settings, ...own(env) }), env));
      }
      default:
        return provider satisfies never;
    }
  }

  return {
    async choose(name, env, helper) {
      const { provider, ...resolved } = resolveModel(name, env);
      return { ...resolved, model: await adapterFor(provider, env, helper) };
    },
    apiKeySource(env, hasHelper = false) {
      if (options.credential) return 'none';
      if (env.ANTHROPIC_API_KEY) return 'ANTHROPIC_API_KEY';
      return hasHelper ? 'apiKeyHelper' : 'none';
    },
    close: () => adapters.close(),
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
