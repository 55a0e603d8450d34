import type { Logger } from '../util/runtime.ts';

/** What is said in the place of the usual note: why nothing has to be done for it. */
const STATIC_PROMPT = 'the system prompt here is the same in every place and on every day';
const NOTES = new Map([
  ['--exclude-dynamic-system-prompt-sections', `is always so: ${STATIC_PROMPT}`],
  ['--system-prompt-snapshot', `is not needed: ${STATIC_PROMPT}`],
]);

/** Says of each flag that was given, by its long name, that it was ignored. */
export function noteIgnored(flags: readonly string[], log: Logger): void {
  for (const flag of flags) log('warn', `${flag} ${NOTES.get(flag) ?? 'has no effect here and was ignored'}`);
}
