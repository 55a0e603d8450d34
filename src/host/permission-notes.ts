import type { Policy } from '../permissions/policy.ts';
import { canonicalToolName, formatRule, type Rule } from '../permissions/rules.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import type { Logger } from '../util/runtime.ts';

export interface NotedSession {
  policy: Policy;
  /** The names of all tools that the session has, or had before rules took some away. */
  toolNames: readonly string[];
  /** Whether somebody at the other end answers permission questions. */
  asksHost: boolean;
}

/** Says what of a session's permissions cannot do what it was probably meant to do. Nothing of it is an error. */
export function notePermissions(session: NotedSession, log: Logger): void {
  const { policy, asksHost } = session;
  for (const note of rulesWithoutTool(session)) log('warn', note);
  if (!asksHost) return;
  const silence = SILENT_MODES[policy.mode];
  if (silence !== undefined) log('warn', `canUseTool will not be asked: ${silence}`);
  else if (HEEDING_MODES.includes(policy.mode)) noteCovered(policy.allow, log);
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
function rulesWithoutTool({ policy, toolNames }: NotedSession): string[] {
  const known = new Set([...toolNames, ...OTHER_TOOLS].map(canonicalToolName));
  return [...policy.deny, ...policy.ask, ...policy.allow]
    .filter(({ toolName }) => !toolName.startsWith('mcp__') && !known.has(canonicalToolName(toolName)))
    .map((rule) => {
      const near = nearestWord(rule.toolName, known);
      const hint = near === null ? '' : ` Did you mean ${near}?`;
      const text = printable(`${formatRule(rule)} (${placesOf([rule])})`);
      return `The rule ${text} matches nothing: there is no tool ${rule.toolName}.${hint}`;
    });
}

function placesOf(rules: readonly Rule[]): string {
  return [...new Set(rules.map(({ where, source }) => where ?? source ?? 'unknown'))].join(', ');
}

/** Tools that other sessions have, by their settings, or other versions: rules about them are no typing errors. */
const OTHER_TOOLS = [
  ...['Bash', 'Glob', 'Grep', 'Read', 'Edit', 'Write', 'NotebookEdit', 'WebFetch', 'WebSearch', 'TodoWrite'],
  ...['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'ToolSearch', 'StructuredOutput'],
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'Task', 'TaskOutput', 'TaskStop', 'SendMessage'],
  ...['MultiEdit', 'LS', 'NotebookRead', 'BashOutput', 'KillShell', 'KillBash', 'AgentOutputTool', 'LSP'],
  ...['Skill', 'SlashCommand', 'ListMcpResourcesTool', 'ReadMcpResourceTool', 'EnterWorktree', 'ExitWorktree'],
  ...['CronCreate', 'CronDelete', 'CronList', 'TeamCreate', 'TeamDelete', 'Monitor', 'PowerShell', 'Config'],
];
