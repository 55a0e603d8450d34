import { isFilled, isObject, tryParseJson } from '../util/json.ts';
import { isOn } from '../util/text/setting-text.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The clouds that serve Anthropic's models. */
export type Cloud = 'bedrock' | 'vertex' | 'foundry';

const CLOUD_OF_VARIABLE: readonly [string, Cloud][] = [
  ['CLAUDE_CODE_USE_BEDROCK', 'bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'vertex'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'foundry'],
];

/** The names of all clouds. */
export const CLOUDS: readonly string[] = CLOUD_OF_VARIABLE.map(([, cloud]) => cloud);

/** The cloud that the environment switches on for models without a provider in their name. */
export function cloudOf(env: Env): Cloud | null {
  return CLOUD_OF_VARIABLE.find(([variable]) => isOn(env[variable]))?.[1] ?? null;
}

/** The setting `modelProviders`, as JSON. */
export const PROVIDERS_VARIABLE = 'HEDDLE_MODEL_PROVIDERS';

/** Providers that stand before the name of a model, as in `gemini/NAME`; src/model/named-servers.ts tells where they are. */
const BUILT_IN: ReadonlySet<string> = new Set([
  ...CLOUDS,
  'azure',
  'gemini',
  'llamacpp',
  'lmstudio',
  'ollama',
  'openai-responses',
  'openrouter',
  'vllm',
]);

/** The provider that a name begins with, and the rest; null for any other name. */
export function namedProvider(name: string, env: Env): { provider: string; model: string } | null {
  const slash = name.indexOf('/');
  if (slash <= 0) return null;
  const provider = name.slice(0, slash).toLowerCase();
  if (!BUILT_IN.has(provider) && !Object.hasOwn(userProviders(env), provider)) return null;
  return { provider, model: name.slice(slash + 1).trim() };
}

/** The user's own providers, unchecked: they are checked when one of them is used. */
export function userProviders(env: Env): Readonly<Record<string, unknown>> {
  const text = env[PROVIDERS_VARIABLE]?.trim();
  if (!text) return {};
  const table = tryParseJson(text);
  return isObject(table) ? table : {};
}

/** The variables that hold keys of the user's own providers: credentials like any other. */
export function userKeyVariables(env: Env): string[] {
  return Object.values(userProviders(env)).flatMap((row) =>
    isObject(row) && isFilled(row.keyVariable) ? [row.keyVariable] : [],
  );
}

/** What the names of people mean in a cloud. A geography stands before the names of Bedrock's inference profiles. */
export function cloudAlias(cloud: Cloud, alias: string, env: Env): string | undefined {
  const names = CLOUD_MODELS[cloud];
  const meant = Object.hasOwn(names, alias) ? names[alias] : undefined;
  if (meant === undefined) return undefined;
  const geography = geographyOf(env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || '');
  // Japan has no profile of its own for Opus.
  return meant.replace('GEO', geography === 'jp' && alias === 'opus' ? 'global' : geography);
}

const CLOUD_MODELS: Readonly<Record<Cloud, Readonly<Record<string, string>>>> = {
  bedrock: {
    sonnet: 'GEO.anthropic.claude-sonnet-4-5-20250929-v1:0',
    opus: 'GEO.anthropic.claude-opus-4-6-v1',
    haiku: 'GEO.anthropic.claude-haiku-4-5-20251001-v1:0',
  },
  vertex: { sonnet: 'claude-sonnet-4-5@20250929', opus: 'claude-opus-4-6', haiku: 'claude-haiku-4-5@20251001' },
  foundry: { sonnet: 'claude-sonnet-4-5', opus: 'claude-opus-4-6', haiku: 'claude-haiku-4-5' },
};

/** The beginning of the names of inference profiles for models from Claude 4.5 on; without a region, that of the US. */
export function geographyOf(region: string): string {
  const found = GEOGRAPHIES.find(([regions]) => regions.test(region));
  return found?.[1] ?? 'global';
}

const GEOGRAPHIES: readonly [RegExp, string][] = [
  [/^us-gov-/, 'us-gov'],
  [/^(us-|ca-|$)/, 'us'],
  [/^eu-/, 'eu'],
  [/^ap-northeast-[13]$/, 'jp'],
  [/^ap-southeast-[246]$/, 'au'],
];

/**
 * The name of a model in the tables of prices and abilities: without the provider, the geography and the version that
 * clouds add, such as `claude-sonnet-4-5-20250929`. Any other name is returned unchanged.
 */
export function canonicalName(model: string): string {
  const [, claude, date] = CLAUDE_ELSEWHERE.exec(model) ?? [];
  if (claude === undefined) return model;
  return date === undefined ? claude : `${claude}-${date}`;
}

const CLAUDE_ELSEWHERE =
  /^(?:(?:bedrock|vertex|foundry)\/)?(?:arn:.*\/)?(?:[a-z-]+\.)?(?:anthropic\.)?(claude-[a-z0-9-]+?)(?:@(\d{8}))?(?:-v\d+(?::\d+)?)?$/;
