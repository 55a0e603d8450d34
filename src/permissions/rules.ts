import { currentToolName } from '../wire/tools/tool-names.ts';

/** A rule as hosts and settings write it (`PermissionRuleValue` on the wire), and its origin. */
export interface Rule {
  toolName: string;
  /** The text in the parentheses; absent when the rule means every call of the tool. */
  ruleContent?: string;
  /** The settings scope or command line that the rule comes from; updates change only rules of their own source. */
  source?: string;
  /** For people: the file or the flag that holds the rule. Absent for rules from an update. */
  where?: string;
}

export interface ParsedRules {
  rules: Rule[];
  /** One sentence for each text that is not a valid rule. A caller must not continue as if the text were absent. */
  problems: string[];
}

/**
 * Reads rules from a list (`['Read', 'Bash(git commit:*)']`), from text separated by commas or spaces
 * (`Bash(git commit:*), Read`), or from a list of such texts. Inside parentheses nothing separates.
 */
export function parseRules(input: string | readonly string[], source?: string): ParsedRules {
  const parsed: ParsedRules = { rules: [], problems: [] };
  for (const text of typeof input === 'string' ? [input] : input) {
    for (const piece of splitList(text)) {
      const result = parseRule(piece);
      if ('problem' in result) parsed.problems.push(result.problem);
      else parsed.rules.push(source === undefined ? result.rule : { ...result.rule, source });
    }
  }
  return parsed;
}

/** Reads one rule: `Tool`, `Tool(spec)`, `mcp__server` or `mcp__server__tool`. `Tool(*)` means `Tool`. */
export function parseRule(text: string): { rule: Rule } | { problem: string } {
  const trimmed = text.trim();
  const open = trimmed.indexOf('(');
  const toolName = canonicalToolName(open === -1 ? trimmed : trimmed.slice(0, open));
  if (!TOOL_NAME.test(toolName)) {
    const [, tool] = /^(\w+):/.exec(trimmed) ?? [];
    const right = tool === undefined ? '' : ` Write '${tool}' for every call, or '${tool}(…)' for some.`;
    return { problem: `'${trimmed}' is no permission rule: it must begin with a tool name.${right}` };
  }
  if (open === -1) return { rule: { toolName } };

  const end = closingParenthesis(trimmed, open);
  if (end === -1) return { problem: `'${trimmed}' is no permission rule: its parenthesis is never closed.` };
  if (end !== trimmed.length - 1) {
    return { problem: `'${trimmed}' is no permission rule: nothing may follow the closing parenthesis.` };
  }
  const ruleContent = unescapeContent(trimmed.slice(open + 1, end)).trim();
  if (ruleContent === '') {
    return {
      problem: `'${trimmed}' is no permission rule: its parentheses are empty. Write '${toolName}' for every call.`,
    };
  }
  return { rule: ruleContent === '*' ? { toolName } : { toolName, ruleContent } };
}

/** The text that `parseRule` reads back as the same rule. */
export function formatRule(rule: Rule): string {
  return rule.ruleContent === undefined ? rule.toolName : `${rule.toolName}(${escapeContent(rule.ruleContent)})`;
}

/**
 * A rule binds a tool under every name it can be called by, such as `Agent` for `Task`. A dot in the name of an MCP
 * server or tool is `_` in the name that the model calls.
 */
export function canonicalToolName(name: string): string {
  if (name.startsWith('mcp__')) return name.replaceAll('.', '_');
  return currentToolName(name);
}

/**
 * Whether a rule's tool name covers a tool: the same name, or the MCP server that the tool belongs to.
 *
 * Names with a further `__` are ambiguous: `mcp__a__b__c` may be tool `b__c` of server `a` or tool `c` of server `a__b`.
 * A rule that forbids takes both readings, one that allows takes neither.
 */
export function coversTool(rule: Rule, toolName: string, reading: 'forbid' | 'allow'): boolean {
  const name = canonicalToolName(toolName);
  if (canonicalToolName(rule.toolName) === name) return true;
  const server = /^mcp__(.+?)(?:__\*)?$/.exec(canonicalToolName(rule.toolName))?.[1];
  if (server === undefined || !name.startsWith(`mcp__${server}__`)) return false;
  const tool = name.slice(`mcp__${server}__`.length);
  return reading === 'forbid' || !(server.includes('__') || tool.includes('__'));
}

export function sameRule(a: Rule, b: Rule): boolean {
  return canonicalToolName(a.toolName) === canonicalToolName(b.toolName) && a.ruleContent === b.ruleContent;
}

const TOOL_NAME = /^(?:mcp__[A-Za-z0-9_.-]+(?:__\*)?|[A-Za-z][A-Za-z0-9_-]*)$/;

function splitList(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') {
      const end = closingParenthesis(text, at);
      // Never closed: the rest is one piece, which `parseRule` then reports.
      at = end === -1 ? text.length : end;
    } else if (/[,\s]/.test(text[at] as string)) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces.filter((piece) => piece !== '');
}

/** The index of the parenthesis that closes the one at `open`; backslashes take the next character out of the count. */
function closingParenthesis(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

function unescapeContent(text: string): string {
  return text.replaceAll(/\\([\\()])/g, '$1');
}

/** Balanced parentheses may stand as they are, so that the usual rules stay readable. */
function escapeContent(content: string): string {
  const readable = !content.includes('\\') && closingParenthesis(`(${content})`, 0) === content.length + 1;
  return readable ? content : content.replaceAll(/[\\()]/g, '\\$&');
}
