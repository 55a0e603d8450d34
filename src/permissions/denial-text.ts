import type { Decision } from './decide.ts';

/** What the model reads when a call does not run: for a denial, and for a question that nobody could answer. */
export function denialText(toolName: string, decision: Exclude<Decision, { behavior: 'allow' }>): string {
  const outcome =
    decision.behavior === 'deny'
      ? `Permission to use ${toolName} was denied.`
      : `${toolName} needs permission, which was requested but not granted.`;
  const reason = decision.reason.replace(/[^.]$/, '$&.');
  return `${outcome} ${reason} Nothing was run. Do not look for a way around this; say what you need instead.`;
}
