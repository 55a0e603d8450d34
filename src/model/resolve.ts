import { HeddleError } from '../wire/errors.ts';
import { modelLimits } from './pricing.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface ResolvedModel {
  provider: 'anthropic' | 'offline';
  /** What the provider calls the model. */
  id: string;
  /** What must be sent along to get what the name promises. */
  betas: readonly string[];
  contextWindow: number;
  /** The most that the model can write in one answer; how much is asked for is the caller's choice. */
  maxOutputTokens: number;
}

/**
 * Finds the model that a name means. No name: the environment's choice, else the default.
 * Throws `not_supported` for providers that are planned or deliberately absent. Credentials are not looked at: see
 * `missingCredentials`.
 */
export function resolveModel(name: string | undefined, env: Env): ResolvedModel {
  const { base, isLong } = splitSuffix(chosenName(name, env));
  if (base.toLowerCase() === 'offline')
    return { ...modelLimits('offline'), provider: 'offline', id: 'offline', betas: [] };
  refuseForeign(base, env);
  const unaliased = splitSuffix(unalias(base, env));
  return anthropicModel(unaliased.base, { isLong: isLong || unaliased.isLong });
}

/** The error to show when no model was named and there is nothing to call one with, or undefined. */
export function missingCredentials(env: Env): HeddleError | undefined {
  if (env.ANTHROPIC_API_KEY?.trim() || env.ANTHROPIC_AUTH_TOKEN?.trim()) return undefined;
  return new HeddleError(
    'no_credentials',
    'No model credentials were found. Choose one:\n' +
      '  - set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), with ANTHROPIC_BASE_URL for another endpoint;\n' +
      '  - use the built-in model that needs no network and follows plain instructions: --model offline;\n' +
      '  - use an OpenAI-compatible endpoint (planned): --model openai/NAME with OPENAI_BASE_URL;\n' +
      '  - replay a recording (planned): --model replay:FILE.',
  );
}

const DEFAULT_MODELS = {
  sonnet: 'claude-sonnet-4-5-20250929',
  opus: 'claude-opus-4-6',
  haiku: 'claude-haiku-4-5-20251001',
};

const LONG_CONTEXT = 1_000_000;
const LONG_CONTEXT_BETA = 'context-1m-2025-08-07';

function chosenName(name: string | undefined, env: Env): string {
  const names = [name?.trim(), env.ANTHROPIC_MODEL?.trim()];
  return names.find((candidate) => candidate && candidate.toLowerCase() !== 'default') ?? 'sonnet';
}

function unalias(name: string, env: Env): string {
  switch (name.toLowerCase()) {
    case 'sonnet':
      return env.ANTHROPIC_DEFAULT_SONNET_MODEL?.trim() || DEFAULT_MODELS.sonnet;
    case 'opus':
      return env.ANTHROPIC_DEFAULT_OPUS_MODEL?.trim() || DEFAULT_MODELS.opus;
    case 'haiku':
      return (
        env.ANTHROPIC_DEFAULT_HAIKU_MODEL?.trim() || env.ANTHROPIC_SMALL_FAST_MODEL?.trim() || DEFAULT_MODELS.haiku
      );
    default:
      return name;
  }
}

/** `sonnet[1m]` asks for the window of a million tokens. */
function splitSuffix(name: string): { base: string; isLong: boolean } {
  const base = name.replace(/\[1m\]$/i, '');
  return { base, isLong: base !== name };
}

function anthropicModel(id: string, { isLong }: { isLong: boolean }): ResolvedModel {
  const limits = modelLimits(id);
  const needsBeta = isLong && limits.contextWindow < LONG_CONTEXT;
  return {
    provider: 'anthropic',
    id,
    betas: needsBeta ? [LONG_CONTEXT_BETA] : [],
    maxOutputTokens: limits.maxOutputTokens,
    contextWindow: isLong ? LONG_CONTEXT : limits.contextWindow,
  };
}

function refuseForeign(name: string, env: Env): void {
  if (/^openai\//i.test(name)) {
    throw notSupported(`Models of OpenAI-compatible endpoints (${name}) are not supported yet.`);
  }
  if (/^replay:/i.test(name)) throw notSupported(`Replaying a recording (${name}) is not supported yet.`);
  for (const [variable, provider] of [
    ['CLAUDE_CODE_USE_BEDROCK', 'Amazon Bedrock'],
    ['CLAUDE_CODE_USE_VERTEX', 'Google Vertex AI'],
  ] as const) {
    if (isOn(env[variable])) {
      throw notSupported(`${variable} is set, but ${provider} is not supported. Unset it to use the Anthropic API.`);
    }
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());
}

function notSupported(message: string): HeddleError {
  return new HeddleError('not_supported', `${message} Use an Anthropic model or --model offline.`);
}

export interface ModelChoice {
  value: string;
  displayName: string;
  description: string;
}

/** The names that hosts can offer their users. Any other model id is accepted too. */
export function modelChoices(): ModelChoice[] {
  return [
    { value: 'default', displayName: 'Default', description: 'What the environment chooses, else Sonnet' },
    { value: 'sonnet', displayName: 'Sonnet', description: `${DEFAULT_MODELS.sonnet}: for everyday work` },
    { value: 'opus', displayName: 'Opus', description: `${DEFAULT_MODELS.opus}: for the hardest tasks` },
    { value: 'haiku', displayName: 'Haiku', description: `${DEFAULT_MODELS.haiku}: quick and cheap` },
    { value: 'offline', displayName: 'Offline', description: 'Built in, no network: follows plain instructions' },
  ];
}
