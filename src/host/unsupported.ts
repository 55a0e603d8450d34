import type { Logger } from '../util/runtime.ts';
import type { initializeFields } from '../wire/control/initialize.ts';
import type { ControlBody } from '../wire/peer.ts';

/** Says of what an `initialize` request asks for that it has no effect: accepted, but never silently (ruling K38). */
export function noteUnsupportedFields(request: ControlBody, log: Logger): void {
  for (const field of FIELDS_NOT_YET) {
    if (!asksForSomething(request[field])) continue;
    log('warn', `initialize.${field} has no effect in this version and was ignored`);
  }
}

const FIELDS_NOT_YET: readonly (keyof ReturnType<typeof initializeFields>)[] = [
  'agentProgressSummaries',
  'promptSuggestions',
];

function asksForSomething(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
