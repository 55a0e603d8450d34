import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { CallBlock, CallOutcome, CallView, LiveCall } from './blocks.ts';
import { callOf } from './call-view.ts';
import { blockText, objectsIn, textField } from './line-fields.ts';
import type { Order } from './order.ts';
import { patchOf } from './patches.ts';

interface OpenCall extends LiveCall {
  uuids: string[];
  denial: string | null;
  /** Whether a line with the call was seen; before, the model still writes it. */
  isWritten: boolean;
}

/** A result, with the call that it is the result of. */
export interface EndedCall {
  call: CallView;
  outcome: CallOutcome;
  data: unknown;
  block: CallBlock;
}

/** The calls without a result. Only those of the main thread are blocks; those of agents belong to the call of the agent. */
export class OpenCalls {
  /** In the order in which they came. */
  readonly all = new Map<string, CallView>();
  readonly #order: Order;
  readonly #own = new Map<string, OpenCall>();

  constructor(order: Order) {
    this.#order = order;
  }

  /** The model begins to write a call. */
  begin(block: JsonObject, now: number): void {
    this.#add(callOf(block, { now }), { isWritten: false, uuids: [] });
  }

  /** Takes a call as it is recorded. */
  record(block: JsonObject, { parent, uuids, now }: { parent: string | null; uuids: string[]; now: number }): CallView {
    const call = callOf(block, { parent, now });
    if (parent !== null) {
      this.all.set(call.id, call);
      return call;
    }
    const begun = this.#own.get(call.id);
    if (!begun) {
      this.#add(call, { isWritten: true, uuids });
      this.all.set(call.id, call);
      return call;
    }
    if (!begun.isWritten) {
      Object.assign(begun.call, { input: call.input, subject: call.subject });
      Object.assign(begun, { isWritten: true, uuids });
      this.all.set(call.id, begun.call);
    }
    return begun.call;
  }

  deny(id: string, reason: string): boolean {
    const open = this.#own.get(id);
    if (open) open.denial = reason;
    return open !== undefined;
  }

  /** Takes a result; null where it is of no open call of the main thread. */
  end(result: JsonObject, { data, uuids, now }: { data: unknown; uuids: string[]; now: number }): EndedCall | null {
    const id = textField(result, 'tool_use_id');
    this.all.delete(id);
    const open = this.#own.get(id);
    if (!open) return null;
    this.#own.delete(id);
    const { call, denial } = open;
    const isError = result.is_error === true;
    const outcome = denial !== null ? 'denied' : isError ? 'failed' : 'done';
    const block: CallBlock = {
      ...blockOf(open, outcome),
      uuids: [...open.uuids, ...uuids],
      text: resultText(result),
      data,
      patch: isError ? null : patchOf(data),
      ms: now - call.startedAt,
    };
    return { call, outcome, data, block };
  }

  /** The calls of the main thread that get no result any more. A call that was never recorded leaves nothing behind. */
  giveUp({ except = () => false }: { except?: (id: string) => boolean } = {}): void {
    for (const [id, open] of this.#own) {
      if (except(id)) continue;
      this.#own.delete(id);
      this.all.delete(id);
      if (open.isWritten) this.#order.end(blockOf(open, open.denial === null ? 'unknown' : 'denied'));
      else this.#order.drop(open.id);
    }
  }

  /** Calls that the model had begun to write, and that will not be recorded. */
  dropUnwritten(): void {
    this.giveUp({ except: (id) => this.#own.get(id)?.isWritten === true });
  }

  clear(): void {
    this.giveUp();
    this.all.clear();
  }

  #add(call: CallView, { isWritten, uuids }: { isWritten: boolean; uuids: string[] }): void {
    const open: OpenCall = { kind: 'call', id: this.#order.newId(), call, isWritten, uuids, denial: null };
    this.#own.set(call.id, open);
    this.#order.begin(open);
  }
}

function blockOf({ id, call, uuids, denial }: OpenCall, outcome: CallOutcome): CallBlock {
  return { kind: 'call', id, uuids, call, outcome, text: '', data: undefined, patch: null, denial, ms: null };
}

/** The text of a result, as the model gets it. */
function resultText(result: JsonObject): string {
  return stringField(result, 'content') ?? objectsIn(result, 'content').map(blockText).join('\n');
}

/** The structured output belongs to the only result of its line. */
export function dataOf(line: JsonObject, results: readonly JsonObject[]): unknown {
  return results.length === 1 && isObject(results[0]) ? line.tool_use_result : undefined;
}
