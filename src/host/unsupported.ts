import type { Logger } from '../util/runtime.ts';
import { FLAGS } from '../wire/flags.ts';
import type { RunConfig } from '../wire/run-config.ts';

/** Settings that are understood but do nothing in this version. */
const NOT_YET: readonly (keyof RunConfig)[] = ['agents', 'agent', 'permissionPrompts', 'forwardSubagentText'];

/** Says once for each setting that it has no effect: accepted, but never silently (ruling K38). */
export function noteUnsupported(config: RunConfig, log: Logger): void {
  for (const key of NOT_YET) {
    const value = config[key];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) continue;
    log('warn', `${flagOf(key)} has no effect in this version and was ignored`);
  }
  const asks = config.permissionPromptTool;
  if (asks !== undefined && asks !== 'stdio') {
    log('warn', `--permission-prompt-tool ${asks} is not supported in this version: what would be asked is denied`);
  }
}

function flagOf(key: keyof RunConfig): string {
  return FLAGS.find((flag) => flag.key === key)?.name ?? key;
}
