import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isGroup } from '../../model/each-event.ts';
import { createAskOnce } from '../../model/http/ask-once.ts';
import type { Model, ModelYield } from '../../model/model.ts';
import { namedServer } from '../../model/named-servers.ts';
import { askCatalog, type CatalogRow, hasCatalog } from '../../model/openai/server-catalog.ts';
import { namedProvider } from '../../model/provider-names.ts';
import { replacePrivateText } from '../../util/files/replace-file.ts';
import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import type { Env } from '../engine/environment.ts';

export interface CatalogContext {
  configHome: string;
  env: Env;
  runtime: Runtime;
}

/** The file with what servers have said about their models. */
export const CATALOG_FILE = 'models.json';
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * The model with the window, the output limit and the price that its server has told before, where the user has set none.
 * When that is older than a day, the server is asked again: once the model has answered, and without holding it up.
 */
export async function withCatalog(selected: SelectedModel, context: CatalogContext): Promise<SelectedModel> {
  const named = namedProvider(selected.id, context.env);
  if (!named || !hasCatalog(named.provider)) return selected;
  const { configHome, runtime } = context;
  const row = (await readCatalog(configHome))[selected.id];
  const isFresh = row !== undefined && runtime.clock.now() - row.asked < MAX_AGE_MS;
  const known = row ? informed(selected, row) : selected;
  return isFresh
    ? known
    : { ...known, model: askingAfterwards(known.model, () => refresh(selected.id, named, context)) };
}

interface StoredRow extends CatalogRow {
  /** When the server was asked, in milliseconds since 1970. */
  asked: number;
}

function informed(selected: SelectedModel, { contextWindow, maxOutputTokens, price }: StoredRow): SelectedModel {
  return {
    ...selected,
    // What is no guess was set by the user.
    ...(selected.isWindowGuessed && contextWindow !== undefined && { contextWindow, isWindowGuessed: false }),
    ...(selected.isWindowGuessed && maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(!selected.price && price && { price }),
  };
}

function askingAfterwards(model: Model, ask: () => Promise<void>): Model {
  let hasAsked = false;
  const onEvent = (item: ModelYield) => {
    const isAnswer = isGroup(item) || item.type === 'response';
    if (hasAsked || !isAnswer) return;
    hasAsked = true;
    ask().catch(() => {});
  };
  return {
    provider: model.provider,
    async *stream(request, signal) {
      for await (const item of model.stream(request, signal)) {
        onEvent(item);
        yield item;
      }
    },
    close: () => model.close?.(),
  };
}

async function refresh(
  id: string,
  { provider, model }: { provider: string; model: string },
  { configHome, env, runtime }: CatalogContext,
): Promise<void> {
  const server = namedServer(provider, env);
  if (!server) return;
  const key = server.keyVariables.map((variable) => env[variable]?.trim()).find(Boolean);
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  const row = await askCatalog({ server, model, headers, ask: createAskOnce(env) });
  if (!row) return;
  try {
    const rows = { ...(await readCatalog(configHome)), [id]: { ...row, asked: runtime.clock.now() } };
    await mkdir(configHome, { recursive: true, mode: 0o700 });
    await replacePrivateText(join(configHome, CATALOG_FILE), `${JSON.stringify(rows, null, 2)}\n`);
  } catch (error) {
    runtime.log('debug', `${CATALOG_FILE} could not be written: ${messageOf(error)}`);
  }
}

/** Damage costs the damaged rows: they are asked for again. */
async function readCatalog(configHome: string): Promise<Record<string, StoredRow>> {
  const parsed = tryParseJson(await readFile(join(configHome, CATALOG_FILE), 'utf8').catch(() => '{}'));
  const rows = Object.entries(isObject(parsed) ? parsed : {}).filter((entry): entry is [string, JsonObject] =>
    isRow(entry[1]),
  );
  return Object.fromEntries(rows) as unknown as Record<string, StoredRow>;
}

function isRow(value: unknown): boolean {
  if (!isObject(value) || typeof value.asked !== 'number') return false;
  const isCount = (each: unknown) => each === undefined || (Number.isInteger(each) && (each as number) > 0);
  const { price } = value;
  const isPrice = price === undefined || (isObject(price) && PRICES.every((key) => typeof price[key] === 'number'));
  return isCount(value.contextWindow) && isCount(value.maxOutputTokens) && isPrice;
}

const PRICES = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'];
