import { toUSVString } from 'node:util';
import type { JsonObject } from '../util/json.ts';
import type { ToolResultBlock } from '../wire/content.ts';
import type { Entry } from '../wire/entries.ts';
import { isText, toApiResult } from './api-blocks.ts';
import { blocksOf, isErrorAnswer } from './entry-fields.ts';
import { isResult, type StoredResult } from './user-blocks.ts';

/** Which result answers which call on a path. */
export interface CallPairs {
  /** The id under which a call is sent; undefined for one that is not: it has no name, or is a copy of an earlier one. */
  idOf(call: JsonObject): string | undefined;
  /** What answers a call, by the id under which it is sent. */
  resultFor(id: string): ToolResultBlock | undefined;
  /** Whether a result has its place behind a call. */
  isPlaced(result: StoredResult): boolean;
}

/**
 * Pairs the calls on a path with their results, wherever those stand. There are providers that give the calls of every
 * answer the same ids: a call that comes again, and is answered again, is another call, and is sent under another id.
 */
export function pairCalls(path: readonly Entry[]): CallPairs {
  const calls = new Map<string, Found[]>();
  const results = new Map<string, Found[]>();
  let at = 0;
  for (const entry of path) {
    at++;
    const isAnswer = entry.type === 'assistant' && !isErrorAnswer(entry);
    if (!isAnswer && entry.type !== 'user') continue;
    for (const block of blocksOf(entry)) {
      if (isAnswer && isCall(block)) put(calls, toUSVString(block.id), { block, at });
      if (!isAnswer && isResult(block)) put(results, toUSVString(block.tool_use_id), { block, at });
    }
  }
  const again = repeated(calls, results);
  return {
    idOf(call) {
      const id = isCall(call) ? toUSVString(call.id) : undefined;
      return id === undefined || isAlone(calls.get(id)) ? id : again.names.get(call);
    },
    resultFor(id) {
      const made = calls.get(id);
      const result = isAlone(made) ? answerTo(made, results.get(id)) : again.answers.get(id);
      return result && sentUnder(id, toApiResult(result));
    },
    isPlaced: (result) => calls.has(toUSVString(result.tool_use_id)),
  };
}

/** The names and results of calls that are made more than once; of all others both are found without a list. */
function repeated(calls: ReadonlyMap<string, Found[]>, results: ReadonlyMap<string, Found[]>) {
  const names = new Map<JsonObject, string>();
  const answers = new Map<string, StoredResult>();
  for (const [id, made] of calls) {
    if (isAlone(made)) continue;
    for (const [n, { call, result }] of distinct(made, results.get(id) ?? []).entries()) {
      const name = n === 0 ? id : unused(`${id}_${n + 1}`, calls);
      names.set(call, name);
      if (result) answers.set(name, result);
    }
  }
  return { names, answers };
}

function isAlone(made: readonly Found[] | undefined): made is readonly [Found] {
  return made?.length === 1;
}

/** The first result behind a call; when there is none, what stands before it is meant. */
function answerTo([call]: readonly [Found], results: readonly Found[] = []): StoredResult | undefined {
  const result = results.find(({ at }) => at > call.at) ?? results[0];
  return result?.block as StoredResult | undefined;
}

function sentUnder(id: string, result: ToolResultBlock): ToolResultBlock {
  return result.tool_use_id === id ? result : { ...result, tool_use_id: id };
}

interface Found {
  block: JsonObject;
  /** The place of its entry on the path. */
  at: number;
}

interface Pair {
  call: JsonObject;
  result?: StoredResult | undefined;
}

/** The calls that are made under one id: each time that a result stands between them, the next one is another call. */
function distinct(made: readonly Found[], results: readonly Found[]): Pair[] {
  const pairs: Pair[] = [];
  let open: Found | undefined;
  for (const [n, call] of made.entries()) {
    open ??= call;
    const next = made[n + 1]?.at ?? Number.POSITIVE_INFINITY;
    const result = results.find(({ at }) => at > call.at && at <= next);
    if (!result) continue;
    pairs.push({ call: open.block, result: result.block as StoredResult });
    open = undefined;
  }
  if (pairs.length > 0 || !made[0]) return pairs;
  // Nothing behind any of them: what stands before is meant.
  return [{ call: made[0].block, result: results[0]?.block as StoredResult | undefined }];
}

function isCall(block: JsonObject): block is JsonObject & { id: string } {
  return block.type === 'tool_use' && isText(block.id) && isText(block.name);
}

function unused(name: string, taken: ReadonlyMap<string, unknown>): string {
  return taken.has(name) ? unused(`${name}_`, taken) : name;
}

function put(found: Map<string, Found[]>, id: string, item: Found): void {
  const known = found.get(id);
  if (known) known.push(item);
  else found.set(id, [item]);
}
