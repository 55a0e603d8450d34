import { whyIdle } from '../permissions/idle-rules.ts';
import type { Policy } from '../permissions/policy.ts';
import { canonicalToolName, formatRule, type Rule } from '../permissions/rules.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';
import { knownTools, refuseMistypedRules } from './mistyped-tools.ts';
import { ruleOrigin } from './rule-origin.ts';

/** Says what of a session's permissions cannot do what it was probably meant to do. */
export interface PermissionNotes {
  /** Of its rules at the start. Throws `invalid_option` for a rule of the launch that names a mistyped tool. */
  launch(policy: Policy): void;
  /** Of its rules, each once. */
  rules(policy: Policy): void;
  /** Of a host that wants to be asked. */
  asking(policy: Policy): void;
}

/** `toolNames` are those of all tools that the session has, or had before rules took some away. */
export function permissionNotes(toolNames: readonly string[], log: Logger): PermissionNotes {
  const said = new Set<string>();
  const rules = (policy: Policy) => {
    for (const note of idleRules(policy, toolNames)) {
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

/** Modes in which the host is not asked, whatever it brought along to answer with. */
const SILENT_MODES: Partial<Record<Policy['mode'], string>> = {
  bypassPermissions: 'the mode bypassPermissions allows all that no rule and no protected path holds back',
  dontAsk: 'the mode dontAsk denies what would have to be asked for',
};

/** Modes in which an allow rule is enough. */
const HEEDING_MODES: readonly Policy['mode'][] = ['default', 'acceptEdits', 'auto'];

function noteCovered(allow: readonly Rule[], log: Logger): void {
  const covering = allow.filter(({ ruleContent }) => ruleContent === undefined);
  if (covering.length === 0) return;
  const names = [...new Set(covering.map(({ toolName }) => toolName))].join(', ');
  log('warn', `canUseTool will not be asked about ${names}: allow rules cover every call (${placesOf(covering)})`);
}

/** A typing error in a rule that forbids would leave open what it should have closed. */
function idleRules(policy: Policy, toolNames: readonly string[]): string[] {
  const known = new Set(knownTools(toolNames).map(canonicalToolName));
  return [...policy.deny, ...policy.ask, ...policy.allow].flatMap((rule) => {
    const why = withoutTool(rule, known) ?? (policy.allow.includes(rule) ? contentIdle(rule, policy) : null);
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

function contentIdle(rule: Rule, policy: Policy): string | null {
  const why = whyIdle(rule, policy);
  return why === null ? null : `${why}.`;
}

function placesOf(rules: readonly Rule[]): string {
  return [...new Set(rules.map(ruleOrigin))].join(', ');
}
