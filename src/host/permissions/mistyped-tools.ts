import { canonicalToolName, type Rule } from '../../permissions/rules.ts';
import type { Logger } from '../../util/runtime.ts';
import { slipOf } from '../../util/text/nearest.ts';
import { HeddleError } from '../../wire/errors.ts';
import { BUILTIN_TOOL_NAMES, OTHER_TOOL_NAMES } from '../../wire/tools/known-tool-names.ts';

/** All names of tools: those of this session, of other sessions and of other versions. */
export function knownTools(toolNames: readonly string[]): string[] {
  return [...toolNames, ...BUILTIN_TOOL_NAMES, ...OTHER_TOOL_NAMES];
}

/**
 * Warns about tools that a launch names and the session does not have. Throws `invalid_option` for a typing error of a
 * known name: the agent would run without a tool that the user asked for.
 */
export function noteMissing(missing: readonly string[], toolNames: readonly string[], log: Logger): void {
  const known = knownTools(toolNames);
  for (const name of missing) refuseSlip('--tools', name, known);
  for (const name of missing) log('warn', `--tools names ${name}, which does not exist here`);
}

/**
 * Throws `invalid_option` for a rule of the launch that mistypes the name of a known tool: the rule would have no
 * effect.
 */
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
