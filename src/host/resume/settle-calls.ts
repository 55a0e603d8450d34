import { blocksOf } from '../../sessions/entry-fields.ts';
import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import type { DeferredCall } from '../../sessions/tree/deferred-calls.ts';
import type { UnpairedCall } from '../../sessions/tree/repair-calls.ts';
import type { ToolUseBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';

/** The calls that were open when the session was left. */
export interface SettledCalls {
  /** Calls that get a result now: nobody knows their outcome, or they did not run and are not to run any more. */
  unpaired: UnpairedCall[];
  /** Calls that the next turn judges and runs: those that hooks have deferred, and those that had never begun. */
  toRun: DeferredCall[];
}

/** What a stored session tells of its calls. */
interface StoredCalls {
  unpaired: UnpairedCall[];
  deferred: DeferredCall[];
  path: readonly Entry[];
}

/**
 * Tells calls that were interrupted from calls that had not begun. The latter run only when the turn itself is continued:
 * after a new message, a call that the user may have forgotten must not run.
 */
export async function settleCalls(
  { unpaired, deferred, path }: StoredCalls,
  { store, key, continues }: { store: SessionStore; key: SessionKey; continues: boolean },
): Promise<SettledCalls> {
  const ids = unpaired.map(({ toolUseId }) => toolUseId);
  const untouched = new Set(ids.length > 0 ? await store.neverStarted?.(key, ids) : []);
  if (untouched.size === 0) return { unpaired, toRun: deferred };
  const marked = unpaired.map((call) => (untouched.has(call.toolUseId) ? { ...call, hasNotBegun: true } : call));
  const blocks = new Map(path.flatMap((entry) => blocksOf(entry).map((block) => [block.id, block] as const)));
  const waiting = new Map<UnpairedCall, DeferredCall>();
  for (const call of continues ? marked : []) {
    const { toolUseId, assistantUuid, isPassed, hasNotBegun } = call;
    if (!hasNotBegun || isPassed || assistantUuid === null) continue;
    waiting.set(call, { block: blocks.get(toolUseId) as unknown as ToolUseBlock, assistantUuid });
  }
  return { unpaired: marked.filter((call) => !waiting.has(call)), toRun: [...deferred, ...waiting.values()] };
}
