import { canonicalToolName, type Rule } from '../permissions/rules.ts';
import { slipOf } from '../util/nearest.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import { BUILTIN_TOOL_NAMES, OTHER_TOOL_NAMES } from '../wire/known-tool-names.ts';

/** All names that tools of a session, of other sessions and of other versions go by. */
export function knownTools(toolNames: readonly string[]): string[] {
  return [...toolNames, ...BUILTIN_TOOL_NAMES, ...OTHER_TOOL_NAMES];
}

/**
 * Says of tools that a launch names and the session does not have. Throws `invalid_option` for one that is a slip away from
 * a known one: an agent without the tool that was meant is not what was asked for (ruling K51).
 */
export function noteMissing(missing: readonly string[], toolNames: readonly string[], log: Logger): void {
  const known = knownTools(toolNames);
  for (const name of missing) refuseSlip('--tools', name, known);
  for (const name of missing) log('warn', `--tools names ${name}, which does not exist here`);
}

/** Throws `invalid_option` for a rule of the launch whose tool is a slip away from a known one: it would hold nothing. */
export function refuseMistypedRules(rules: readonly Rule[], toolNames: readonly string[]): void {
  const known = knownTools(toolNames);
  for (const { toolName, source, where } of rules) {
    if (source !== 'cliArg' || toolName.startsWith('mcp__') || known.includes(canonicalToolName(toolName))) continue;
    refuseSlip(where ?? 'A rule', toolName, known);
  }
}

function refuseSlip(where: string, name: string, known: readonly string[]): void {
  const meant = slipOf(name, known);
  if (meant === null) return;
  const facts = { option: where.replace(/^--/, ''), name, meant };
  throw new HeddleError('invalid_option', `${where} names the tool '${name}'; did you mean '${meant}'?`, { facts });
}
