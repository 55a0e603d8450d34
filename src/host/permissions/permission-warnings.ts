import { whyIneffective } from '../../permissions/ineffective-rules.ts';
import type { Policy } from '../../permissions/policy.ts';
import { ruleOrigin } from '../../permissions/rule-origin.ts';
import { canonicalToolName, formatRule, type Rule } from '../../permissions/rules.ts';
import type { Logger } from '../../util/runtime.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import { knownTools, refuseMistypedRules } from './mistyped-tools.ts';

/** Warns about permissions of a session that probably do not have the intended effect. */
export interface PermissionNotes {
  /** Checks the rules at the start. Throws `invalid_option` for a rule of the launch that names a mistyped tool. */
  launch(policy: Policy): void;
  /** Checks the rules. Warns about each rule once. */
  rules(policy: Policy): void;
  /** Warns a host that answers permission questions about calls for which it is not asked. */
  asking(policy: Policy): void;
}

/** `toolNames` are those of all tools that the session has, including those that rules remove. */
export function permissionNotes(toolNames: readonly string[], log: Logger): PermissionNotes {
  const said = new Set<string>();
  const rules = (policy: Policy) => {
    for (const note of ineffectiveRules(policy, toolNames)) {
      if (!said.has(note)) log('warn', note);
      said.add(note);
    }
  };
  return {
    launch(policy) {
      refuseMistypedRules([...policy.deny, ...policy.allow], toolNames);
      rules(policy);
    },
    rules,
    asking({ mode, allow }) {
      const silence = SILENT_MODES[mode];
      if (silence !== undefined) log('warn', `canUseTool will not be asked: ${silence}`);
      else if (HEEDING_MODES.includes(mode)) noteCovered(allow, log);
    },
  };
}

/** Modes in which the host is never asked, even if it can answer. */
const SILENT_MODES: Partial<Record<Policy['mode'], string>> = {
  bypassPermissions: 'the mode bypassPermissions allows all that no rule and no protected path holds back',
  dontAsk: 'the mode dontAsk denies what would have to be asked for',
};

/** Modes in which an allow rule is enough to run a call. */
const HEEDING_MODES: readonly Policy['mode'][] = ['default', 'acceptEdits', 'auto'];

function noteCovered(allow: readonly Rule[], log: Logger): void {
  const covering = allow.filter(({ ruleContent }) => ruleContent === undefined);
  if (covering.length === 0) return;
  const names = [...new Set(covering.map(({ toolName }) => toolName))].join(', ');
  log('warn', `canUseTool will not be asked about ${names}: allow rules cover every call (${originsOf(covering)})`);
}

/** The rules that match nothing. A typing error in a deny rule would allow what the rule should forbid. */
function ineffectiveRules(policy: Policy, toolNames: readonly string[]): string[] {
  const known = new Set(knownTools(toolNames).map(canonicalToolName));
  return [...policy.deny, ...policy.ask, ...policy.allow].flatMap((rule) => {
    const why = withoutTool(rule, known) ?? (policy.allow.includes(rule) ? ineffectiveContent(rule, policy) : null);
    return why === null
      ? []
      : [`The rule ${printable(`${formatRule(rule)} (${ruleOrigin(rule)})`)} matches nothing: ${why}`];
  });
}

function withoutTool({ toolName }: Rule, known: ReadonlySet<string>): string | null {
  if (toolName.startsWith('mcp__') || known.has(canonicalToolName(toolName))) return null;
  const near = nearestWord(toolName, known);
  return `there is no tool ${toolName}.${near === null ? '' : ` Did you mean ${near}?`}`;
}

function ineffectiveContent(rule: Rule, policy: Policy): string | null {
  const why = whyIneffective(rule, policy);
  return why === null ? null : `${why}.`;
}

function originsOf(rules: readonly Rule[]): string {
  return [...new Set(rules.map(ruleOrigin))].join(', ');
}
