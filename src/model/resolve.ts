import { positiveInteger } from '../util/text/setting-text.ts';
import { HeddleError } from '../wire/errors.ts';
import { userAlias, userLimits, userPrice } from './model-table.ts';
import { isKnownModel, type ModelLimits, modelLimits } from './pricing.ts';
import { type Cloud, cloudAlias, cloudOf, namedProvider } from './provider-names.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface ResolvedModel extends ModelLimits {
  /** `anthropic`, `openai`, `offline`, a cloud, or the name that stands before the model's. */
  provider: string;
  /** The provider's id of the model, with the name of the provider before it where the user wrote one. */
  id: string;
  /** The beta headers that the name requires. */
  betas: readonly string[];
  /** The size of the model's window is unknown: `contextWindow` is a guess, and users should get a warning. */
  isWindowGuessed: boolean;
}

/**
 * Resolves a model name. No name: the environment's choice, else the default. Throws `not_supported` for a
 * recording; credentials are not checked here (see `missingCredentials`).
 */
export function resolveModel(name: string | undefined, env: Env): ResolvedModel {
  const asked = splitSuffix(selectedName(name, env));
  const cloud = cloudOf(env);
  const meant = splitSuffix(unalias(asked.base, env, cloud));
  const wish: Wish = { id: meant.base, isLong: asked.isLong || meant.isLong };
  if (wish.id.toLowerCase() === 'offline') return withLimits('offline', { id: 'offline', isLong: false }, env);
  if (OPENAI.test(wish.id)) return openAiModel(wish, env);
  const named = namedProvider(wish.id, env);
  if (named) return modelOf(named, wish, env);
  if (REPLAY.test(wish.id)) {
    throw new HeddleError('not_supported', `A recording (${wish.id}) can only answer for a whole session.`);
  }
  return cloud ? modelOf({ provider: cloud, model: '' }, wish, env) : anthropicModel(wish, env);
}

/** The error to show when no model was named and no provider has credentials, or undefined. */
export function missingCredentials(env: Env): HeddleError | undefined {
  if (env.ANTHROPIC_API_KEY?.trim() || env.ANTHROPIC_AUTH_TOKEN?.trim()) return undefined;
  return new HeddleError(
    'no_credentials',
    'No model credentials were found: set ANTHROPIC_API_KEY, store a key with heddle auth login, or try --model offline.\n' +
      '  - ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), with ANTHROPIC_BASE_URL for another address;\n' +
      '  - --model offline: built in, for plain instructions;\n' +
      '  - --model openai/NAME: an OpenAI-compatible server, at OPENAI_BASE_URL;\n' +
      '  - --model PROVIDER/NAME: gemini, openrouter, ollama, bedrock, vertex and others (heddle models);\n' +
      '  - --model replay:FILE: a recording.',
  );
}

const OPENAI = /^openai\//i;
const REPLAY = /^replay:/i;

/** The recording that answers instead of a model (`replay:FILE`), or null. */
export function recordingNamed(name: string | undefined, env: Env): string | null {
  const chosen = selectedName(name, env);
  return REPLAY.test(chosen) ? chosen.replace(REPLAY, '') : null;
}

const DEFAULT_MODELS = {
  sonnet: 'claude-sonnet-4-5-20250929',
  opus: 'claude-opus-4-6',
  haiku: 'claude-haiku-4-5-20251001',
};

/** The long context window, and the beta header that requests it. */
export const LONG_CONTEXT = 1_000_000;
export const LONG_CONTEXT_BETA = 'context-1m-2025-08-07';

/** `inherit` in an agent means the model of its parent; the main thread has no parent. */
const UNCHOSEN: ReadonlySet<string> = new Set(['default', 'inherit']);

function selectedName(name: string | undefined, env: Env): string {
  const names = [name?.trim(), env.ANTHROPIC_MODEL?.trim()];
  return names.find((candidate) => candidate && !UNCHOSEN.has(candidate.toLowerCase())) ?? 'sonnet';
}

function unalias(name: string, env: Env, cloud: Cloud | null): string {
  const configured = userAlias(name, env);
  if (configured !== undefined) return configured;
  const alias = name.toLowerCase();
  const usual = (family: keyof typeof DEFAULT_MODELS) =>
    (cloud && cloudAlias(cloud, family, env)) ?? DEFAULT_MODELS[family];
  switch (alias) {
    case 'sonnet':
      return env.ANTHROPIC_DEFAULT_SONNET_MODEL?.trim() || usual(alias);
    case 'opus':
      return env.ANTHROPIC_DEFAULT_OPUS_MODEL?.trim() || usual(alias);
    case 'haiku':
      return env.ANTHROPIC_DEFAULT_HAIKU_MODEL?.trim() || env.ANTHROPIC_SMALL_FAST_MODEL?.trim() || usual(alias);
    default:
      return name;
  }
}

/** `sonnet[1m]` asks for the window of a million tokens. */
function splitSuffix(name: string): { base: string; isLong: boolean } {
  const base = name.replace(/\[1m\]$/i, '');
  return { base, isLong: base !== name };
}

/** A model's name, and whether the long window was asked for. */
interface Wish {
  id: string;
  isLong: boolean;
}

function anthropicModel(wish: Wish, env: Env): ResolvedModel {
  const needsBeta = wish.isLong && modelLimits(wish.id).contextWindow < LONG_CONTEXT;
  return { ...withLimits('anthropic', wish, env), betas: needsBeta ? [LONG_CONTEXT_BETA] : [] };
}

function openAiModel({ id, isLong }: Wish, env: Env): ResolvedModel {
  const name = id.replace(OPENAI, '').trim();
  if (name === '')
    throw new HeddleError('invalid_option', 'Which model? --model openai/NAME, e.g. openai/qwen3-coder.');
  return withLimits('openai', { id: `openai/${name}`, isLong }, env);
}

/** A model of a cloud or a server; `model` is empty where the name does not say which, because the environment does. */
function modelOf(
  { provider, model }: { provider: string; model: string },
  { id, isLong }: Wish,
  env: Env,
): ResolvedModel {
  if (id.includes('/') && model === '' && id.toLowerCase() === `${provider}/`) {
    throw new HeddleError('invalid_option', `Which model? --model ${provider}/NAME.`);
  }
  const alias = isCloud(provider) ? cloudAlias(provider, model.toLowerCase(), env) : undefined;
  const full = model === '' ? id : `${provider}/${alias ?? model}`;
  const needsBeta = isLong && isCloud(provider) && modelLimits(full).contextWindow < LONG_CONTEXT;
  return { ...withLimits(provider, { id: full, isLong }, env), betas: needsBeta ? [LONG_CONTEXT_BETA] : [] };
}

function isCloud(provider: string): provider is Cloud {
  return provider === 'bedrock' || provider === 'vertex' || provider === 'foundry';
}

/** The limits that the user has set, else those in the table, else a guess. */
function withLimits(provider: string, { id, isLong }: Wish, env: Env): ResolvedModel {
  const known = modelLimits(id);
  const configured = { ...(isKnownModel(id) ? {} : standardLimits(env)), ...userLimits(id, env) };
  return {
    provider,
    id,
    betas: [],
    contextWindow: configured.contextWindow ?? (isLong ? LONG_CONTEXT : known.contextWindow),
    maxOutputTokens: configured.maxOutputTokens ?? known.maxOutputTokens,
    ...userPrice(id, env),
    isWindowGuessed: !isKnownModel(id) && !isLong && configured.contextWindow === undefined,
  };
}

/** The limits for all models that are not in the table. */
function standardLimits(env: Env): Partial<ModelLimits> {
  const contextWindow = positiveInteger(env.HEDDLE_CONTEXT_WINDOW);
  const maxOutputTokens =
    positiveInteger(env.HEDDLE_MAX_OUTPUT_TOKENS) ?? positiveInteger(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS);
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}
