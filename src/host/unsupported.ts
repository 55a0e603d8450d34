import type { Logger } from '../util/runtime.ts';
import type { initializeFields } from '../wire/control/initialize.ts';
import { FLAGS } from '../wire/flags.ts';
import type { ControlBody } from '../wire/peer.ts';
import type { RunConfig } from '../wire/run-config.ts';

/** Settings that are understood but do nothing in this version. */
const NOT_YET: readonly (keyof RunConfig)[] = ['permissionPrompts'];

/** Says once for each setting that it has no effect: accepted, but never silently (ruling K38). */
export function noteUnsupported(config: RunConfig, log: Logger): void {
  for (const key of NOT_YET) if (asksForSomething(config[key])) note(flagOf(key), log);
}

/** The same for what an `initialize` request asks for. */
export function noteUnsupportedFields(request: ControlBody, log: Logger): void {
  for (const field of FIELDS_NOT_YET) if (asksForSomething(request[field])) note(`initialize.${field}`, log);
}

const FIELDS_NOT_YET: readonly (keyof ReturnType<typeof initializeFields>)[] = [
  'agentProgressSummaries',
  'planModeInstructions',
  'plugins',
  'promptSuggestions',
  'toolAliases',
];

function asksForSomething(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function note(name: string, log: Logger): void {
  log('warn', `${name} has no effect in this version and was ignored`);
}

function flagOf(key: keyof RunConfig): string {
  return FLAGS.find((flag) => flag.key === key)?.name ?? key;
}
