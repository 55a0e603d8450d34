import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import type { AskOnce } from '../http/ask-once.ts';
import type { NamedServer } from '../named-servers.ts';
import type { ModelLimits } from '../pricing.ts';

/** What a server tells about one of its models. */
export type CatalogRow = Partial<ModelLimits>;

/** How to ask a server. */
export interface CatalogSource {
  server: Pick<NamedServer, 'name' | 'baseUrl'>;
  /** The model's name as the server knows it. */
  model: string;
  headers: Record<string, string>;
  ask: AskOnce;
}

/** The servers that can be asked. Only the address of the model itself is asked. */
export function hasCatalog(server: string): boolean {
  return Object.hasOwn(ROWS, server);
}

/** What a server tells about a model; null when it tells nothing. Never rejects. */
export async function askCatalog(source: CatalogSource): Promise<CatalogRow | null> {
  const find = ROWS[source.server.name];
  const row = await find?.(source).catch(() => null);
  return row && Object.keys(row).length > 0 ? row : null;
}

const ROWS: Readonly<Record<string, (source: CatalogSource) => Promise<CatalogRow | null>>> = {
  openrouter: ofOpenRouter,
  gemini: ofGemini,
  ollama: ofOllama,
  lmstudio: ofLmStudio,
  llamacpp: ofLlamaCpp,
  vllm: ofVllm,
};

async function ofOpenRouter(source: CatalogSource): Promise<CatalogRow | null> {
  const row = rowOf(await get(source, '/models'), source.model);
  if (!row) return null;
  const { pricing } = row;
  const top = isObject(row.top_provider) ? row.top_provider : {};
  return {
    ...tokens('contextWindow', row.context_length),
    ...tokens('maxOutputTokens', top.max_completion_tokens),
    ...(isObject(pricing) && priceOf(pricing)),
  };
}

/** Prices are texts, in US dollars per token; a negative one means that it varies. */
function priceOf(pricing: JsonObject): CatalogRow {
  const perMillion = (key: string) => {
    const value = Number(stringField(pricing, key) ?? 'none');
    return value >= 0 ? value * 1_000_000 : undefined;
  };
  const input = perMillion('prompt');
  const output = perMillion('completion');
  if (input === undefined || output === undefined) return {};
  const cacheWrite = perMillion('input_cache_write') ?? input;
  const cacheRead = perMillion('input_cache_read') ?? input;
  return { price: { input, output, cacheRead, cacheWrite5m: cacheWrite, cacheWrite1h: cacheWrite } };
}

/** Google's own API lies next to the one that is made after OpenAI's, and takes the key in a header of its own. */
async function ofGemini({ server, model, headers, ask }: CatalogSource): Promise<CatalogRow | null> {
  const base = server.baseUrl.replace(/\/+$/, '').replace(/\/openai$/, '');
  const key = headers.authorization?.replace(/^Bearer /, '');
  const { status, text } = await ask({
    url: new URL(`${base}/models/${encodeURIComponent(model)}`),
    method: 'GET',
    headers: { accept: 'application/json', ...(key && { 'x-goog-api-key': key }) },
  });
  const body = tryParseJson(text);
  if (status !== 200 || !isObject(body)) return null;
  return { ...tokens('contextWindow', body.inputTokenLimit), ...tokens('maxOutputTokens', body.outputTokenLimit) };
}

/** The window of the loaded model: Ollama cuts what is longer, whatever the model could take. */
async function ofOllama(source: CatalogSource): Promise<CatalogRow | null> {
  const body = await get(source, '/api/ps', { isBelowBase: false });
  const models = Array.isArray(body?.models) ? body.models : [];
  const names = [source.model, `${source.model}:latest`];
  const row = models.filter(isObject).find(({ name }) => names.some((each) => each === name));
  return row ? { ...tokens('contextWindow', row.context_length), price: FREE } : null;
}

async function ofLmStudio(source: CatalogSource): Promise<CatalogRow | null> {
  const row = rowOf(await get(source, '/api/v0/models', { isBelowBase: false }), source.model);
  return row && { ...tokens('contextWindow', row.loaded_context_length ?? row.max_context_length), price: FREE };
}

async function ofLlamaCpp(source: CatalogSource): Promise<CatalogRow | null> {
  const settings = (await get(source, '/props', { isBelowBase: false }))?.default_generation_settings;
  return isObject(settings) ? { ...tokens('contextWindow', settings.n_ctx), price: FREE } : null;
}

async function ofVllm(source: CatalogSource): Promise<CatalogRow | null> {
  const row = rowOf(await get(source, '/models'), source.model);
  return row && { ...tokens('contextWindow', row.max_model_len), price: FREE };
}

/** One's own machine sends no bill. */
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };

/** An answer as JSON; null for anything else. Some methods are not below the base of the API, `/v1`. */
async function get(
  { server, headers, ask }: CatalogSource,
  path: string,
  { isBelowBase = true }: { isBelowBase?: boolean } = {},
): Promise<JsonObject | null> {
  const base = server.baseUrl.replace(/\/+$/, '');
  const url = new URL(`${isBelowBase ? base : base.replace(/\/v1$/, '')}${path}`);
  const { status, text } = await ask({ url, method: 'GET', headers: { accept: 'application/json', ...headers } });
  const body = tryParseJson(text);
  return status === 200 && isObject(body) ? body : null;
}

function rowOf(body: JsonObject | null, model: string): JsonObject | null {
  const rows = Array.isArray(body?.data) ? body.data : [];
  return rows.filter(isObject).find(({ id }) => id === model) ?? null;
}

function tokens(key: 'contextWindow' | 'maxOutputTokens', value: unknown): CatalogRow {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? { [key]: value } : {};
}
