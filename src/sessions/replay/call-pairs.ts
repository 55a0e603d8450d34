import { toUSVString } from 'node:util';
import type { JsonObject } from '../../util/json.ts';
import { isFilled } from '../../util/json.ts';
import type { ToolResultBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';
import { blocksOf, isErrorAnswer } from '../entry-fields.ts';
import { toApiResult } from './api-blocks.ts';
import { isResult, type StoredResult } from './user-blocks.ts';

/** Pairs each call on a path with its result. */
export interface CallPairs {
  /**
   * The id under which a call is sent; undefined for one that is not sent: it has no name, or is a copy of an earlier
   * one.
   */
  idOf(call: JsonObject): string | undefined;
  /** The result of a call, by the id under which the call is sent. */
  resultFor(id: string): ToolResultBlock | undefined;
  /** Whether a result belongs to a call. */
  isPaired(result: StoredResult): boolean;
}

/**
 * Pairs the calls on a path with their results, wherever those are. Some providers give the calls of every answer the
 * same ids: a call that is repeated and answered again is another call, and is sent under another id.
 */
export function pairCalls(path: readonly Entry[]): CallPairs {
  const calls = new Map<string, PairedResult[]>();
  const results = new Map<string, PairedResult[]>();
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
    isPaired: (result) => calls.has(toUSVString(result.tool_use_id)),
  };
}

/** The names and results of calls that are made more than once; all others need no list. */
function repeated(calls: ReadonlyMap<string, PairedResult[]>, results: ReadonlyMap<string, PairedResult[]>) {
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

function isAlone(made: readonly PairedResult[] | undefined): made is readonly [PairedResult] {
  return made?.length === 1;
}

/** The first result after a call; if there is none, the result before it. */
function answerTo([call]: readonly [PairedResult], results: readonly PairedResult[] = []): StoredResult | undefined {
  const result = results.find(({ at }) => at > call.at) ?? results[0];
  return result?.block as StoredResult | undefined;
}

function sentUnder(id: string, result: ToolResultBlock): ToolResultBlock {
  return result.tool_use_id === id ? result : { ...result, tool_use_id: id };
}

interface PairedResult {
  block: JsonObject;
  /** The index of its entry on the path. */
  at: number;
}

interface Pair {
  call: JsonObject;
  result?: StoredResult | undefined;
}

/** The calls that are made under one id: after each result between them, the next one is another call. */
function distinct(made: readonly PairedResult[], results: readonly PairedResult[]): Pair[] {
  const pairs: Pair[] = [];
  let open: PairedResult | undefined;
  for (const [n, call] of made.entries()) {
    open ??= call;
    const next = made[n + 1]?.at ?? Number.POSITIVE_INFINITY;
    const result = results.find(({ at }) => at > call.at && at <= next);
    if (!result) continue;
    pairs.push({ call: open.block, result: result.block as StoredResult });
    open = undefined;
  }
  if (pairs.length > 0 || !made[0]) return pairs;
  // No result comes after any of them: the one before them is meant.
  return [{ call: made[0].block, result: results[0]?.block as StoredResult | undefined }];
}

function isCall(block: JsonObject): block is JsonObject & { id: string } {
  return block.type === 'tool_use' && isFilled(block.id) && isFilled(block.name);
}

function unused(name: string, taken: ReadonlyMap<string, unknown>): string {
  return taken.has(name) ? unused(`${name}_`, taken) : name;
}

function put(found: Map<string, PairedResult[]>, id: string, item: PairedResult): void {
  const known = found.get(id);
  if (known) known.push(item);
  else found.set(id, [item]);
}
