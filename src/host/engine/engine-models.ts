import { createAnthropicModel } from '../../model/anthropic/anthropic.ts';
import { anthropicSettings } from '../../model/anthropic/anthropic-env.ts';
import { createHide, hidingLogger } from '../../model/hide-secrets.ts';
import { withRetry } from '../../model/http/retry.ts';
import type { Model } from '../../model/model.ts';
import { missingOpenAiKey, openAiSettings } from '../../model/openai/openai-env.ts';
import { missingCredentials, type ResolvedModel, resolveModel } from '../../model/resolve.ts';
import type { Processes } from '../../util/process/process.ts';
import type { Runtime } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import { type Env, secretValues } from './environment.ts';
import { createRecentModels } from './recent-models.ts';

/** Supplies the credential of the Anthropic API only. Called before each request, so that tokens can rotate. */
export type Credential = () => Promise<{ apiKey?: string; authToken?: string }>;

interface Adapter {
  model: Model;
  /** Where the key of the model comes from, in the words of `init.apiKeySource`. */
  keySource: string;
  /** Why every request to the model will fail: no key, or a server that is not configured. */
  problem?: string;
}

/** A selected model: the meaning of its name, and the adapter that calls it. */
export interface SelectedModel extends Omit<ResolvedModel, 'provider'>, Adapter {
  /** The `max_tokens` of every request in a recording; a replay must send the same value. */
  recordedMaxTokens?: number;
}

/** Where a session gets the credential of the Anthropic API from, if not from its environment. */
export interface KeyHelper {
  /** Sessions with the same id share connections. */
  readonly id: string;
  readonly credential: Credential;
}

/** The user's commands that bring credentials of clouds: settings of the same names. */
export interface CloudCommands {
  awsAuthRefresh?: string | undefined;
  awsCredentialExport?: string | undefined;
  gcpAuthRefresh?: string | undefined;
}

/** The APIs whose credential is looked for here; named servers are in elsewhere.ts. */
export type KeyProvider = 'anthropic' | 'openai';
/** The file that `heddle auth login` writes into the config home. */
export const KEY_FILE = 'api-keys.json';

/** Sources of keys outside the environment of a session. A key in the environment wins, as hosts expect. */
export interface SessionKeys {
  /** The user's command, for the Anthropic API. Wins over a stored key. */
  helper?: KeyHelper | undefined;
  /** The user's commands, and the directory that they run in. */
  commands?: CloudCommands & { cwd: string };
  /** A key that `heddle auth login` has stored for the server at this address. */
  stored?(provider: string, address: string): KeyHelper | undefined;
  /** A sentence for a user who has stored a key, but for another server; empty otherwise. */
  storedElsewhere?(provider: string, address: string): string;
}

/** How many sets of credentials and addresses keep their connections at a time. */
const MAX_CONNECTED = 16;

/** Finds the model that a name means. All sessions of an engine share the adapters and their connections. */
export interface Models {
  /** Rejects with `not_supported` for a name that no adapter can answer. */
  select(name: string | undefined, env: Env, keys?: SessionKeys): Promise<SelectedModel>;
  close(): void;
}

export interface ModelsOptions {
  runtime: Runtime;
  model?: Model;
  credential?: Credential;
  /** Runs the commands that bring credentials of clouds. */
  processes?: Pick<Processes, 'run'>;
  /** Takes credentials that were obtained, to hide them. */
  note?: (secrets: readonly string[]) => void;
  /** Whether the program made the engine without `env`. */
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

  async function adapterFor(provider: string, env: Env, keys: SessionKeys): Promise<Adapter> {
    if (options.model) return { model: options.model, keySource: sourceOf(env, {}) };
    const variables = CONNECTION_VARIABLES.map((name) => env[name] ?? null);
    const keyed = (helper: KeyHelper | undefined) => JSON.stringify([provider, helper?.id ?? null, ...variables]);
    switch (provider) {
      case 'offline': {
        const { createOfflineModel } = await import('../../model/offline/offline.ts');
        return { model: adapters.get('offline', createOfflineModel), keySource: 'none' };
      }
      case 'openai': {
        const settings = openAiSettings(env);
        const hasKey = !!settings.apiKey?.trim();
        const helper = hasKey ? undefined : keys.stored?.('openai', settings.baseUrl);
        const missing = helper ? undefined : missingOpenAiKey(env);
        if (missing) return missingKey(missing, env, keys.storedElsewhere?.('openai', settings.baseUrl));
        const credential = helper && { credential: helper.credential };
        const { createOpenAiApi } = await import('../../model/responses/openai-api.ts');
        const make = () => retried(createOpenAiApi({ ...settings, ...credential, ...own(env) }), env);
        return {
          model: adapters.get(keyed(helper), make),
          keySource: hasKey ? 'OPENAI_API_KEY' : helper ? STORED_KEY : 'none',
        };
      }
      case 'anthropic': {
        const settings = anthropicSettings(env);
        const missing = missingCredentials(env);
        // The environment comes first, as hosts expect. The other sources are for users without a key in the
        // environment.
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
      default: {
        const { connectElsewhere } = await import('./elsewhere.ts');
        const { processes, note } = options;
        const { commands, stored } = keys;
        const found = await connectElsewhere(provider, env, { commands, stored, processes, note, own: own(env) });
        if (found instanceof HeddleError) return missingKey(found, env);
        const model = adapters.get(JSON.stringify([provider, found.key]), () => retried(found.make(), env));
        return { model, keySource: found.keySource };
      }
    }
  }

  /**
   * The source of the Anthropic API's key. `none` for tokens and the program's callback: hosts know no word for them.
   */
  function sourceOf(env: Env, { helper, stored }: { helper?: KeyHelper; stored?: KeyHelper }): string {
    if (options.credential) return 'none';
    if (env.ANTHROPIC_API_KEY?.trim()) return 'ANTHROPIC_API_KEY';
    if (stored) return STORED_KEY;
    return helper ? 'apiKeyHelper' : 'none';
  }

  return {
    async select(name, env, keys = {}) {
      const { provider, ...resolved } = await resolveInRegion(name, env);
      return { ...resolved, ...(await adapterFor(provider, env, keys)) };
    },
    close: () => adapters.close(),
  };
}

/** `sonnet` is another model of Bedrock in each region, and the region may stand in the user's AWS profile only. */
async function resolveInRegion(name: string | undefined, env: Env): Promise<ResolvedModel> {
  const resolved = resolveModel(name, env);
  if (resolved.provider !== 'bedrock') return resolved;
  const { inRegion } = await import('./elsewhere.ts');
  return resolveModel(name, await inRegion(env));
}

/** The reference's word for a key that its sign-in stores; hosts know it. */
export const STORED_KEY = '/login managed key';

/**
 * A model that fails every request with instructions for the user. The session still opens, because hosts expect its
 * first lines; the turn fails.
 */
function failingModel(message: string): Adapter {
  const model: Model = {
    provider: 'none',
    async *stream() {
      yield { type: 'failure', failure: { class: 'authentication', message } };
    },
  };
  return { model, keySource: 'none', problem: message };
}

/** Precedes a text that would tell the user to set a variable which is already set in the shell. */
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
