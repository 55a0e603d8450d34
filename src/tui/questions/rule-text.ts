import { isInside } from '../../util/files/path-inside.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { visible } from './shown-text.ts';

/** The updates that a question offers; none where no rule would answer it the next time. */
export function offeredUpdates(request: JsonObject): JsonObject[] {
  const { permission_suggestions: all, suppress_always_allow_rule: isSuppressed } = request;
  return isSuppressed === true || !Array.isArray(all) ? [] : all.filter(isObject);
}

/** The only rule that updates add, as it is written; null where they add none or several. */
export function onlyRule(updates: readonly JsonObject[]): string | null {
  const [rule, ...others] = updates.flatMap(rulesOf);
  return rule && others.length === 0 ? writtenRule(rule) : null;
}

/** The updates with another rule instead of the only one. */
export function withRule(updates: readonly JsonObject[], rule: string): JsonObject[] {
  const parsed = parsedRule(rule);
  return updates.map((update) => (update.type === 'addRules' && parsed ? { ...update, rules: [parsed] } : update));
}

/** A rule as it is written, as the wire has it; null for a text that is none. */
export function parsedRule(text: string): { toolName: string; ruleContent?: string } | null {
  const [, toolName, content] = /^\s*([\w*-]+)(?:\(([\s\S]*)\))?\s*$/.exec(text) ?? [];
  if (toolName === undefined) return null;
  return { toolName, ...(content !== undefined && { ruleContent: content }) };
}

/** What updates change, in a few words; empty where they change nothing that a person would notice. */
export function describedUpdates(updates: readonly JsonObject[], cwd: string): string {
  return updates
    .flatMap((update) => describedUpdate(update, cwd))
    .map(visible)
    .join(', ');
}

function describedUpdate(update: JsonObject, cwd: string): string[] {
  switch (update.type) {
    case 'addRules':
      return rulesOf(update).map(writtenRule);
    case 'setMode': {
      const mode = stringField(update, 'mode') ?? '';
      return [mode === 'acceptEdits' ? 'accept edits (mode acceptEdits)' : `mode ${mode}`];
    }
    case 'addDirectories': {
      const all = Array.isArray(update.directories) ? update.directories.map(String) : [];
      return all.filter((each) => cwd === '' || !isInside(cwd, each)).map((each) => `add directory ${each}`);
    }
    default:
      return [JSON.stringify(update)];
  }
}

function rulesOf({ type, rules }: JsonObject): JsonObject[] {
  return type === 'addRules' && Array.isArray(rules) ? rules.filter(isObject) : [];
}

function writtenRule(rule: JsonObject): string {
  const content = stringField(rule, 'ruleContent');
  return `${stringField(rule, 'toolName') ?? ''}${content === undefined ? '' : `(${content})`}`;
}

/** The files of settings, as people know them. */
export const FILE_OF_SCOPE: Readonly<Record<string, string>> = {
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: 'settings.json of the config home',
};

/** What a rule would let pass, in words. */
export function coverageOf(rule: string): string {
  const parsed = parsedRule(rule);
  if (!parsed) return 'this is no rule: write Tool(what)';
  const { toolName, ruleContent } = parsed;
  if (ruleContent === undefined) return `every call of ${visible(toolName)}`;
  const content = visible(ruleContent);
  if (content.startsWith('domain:')) return `every page of ${content.slice('domain:'.length)}`;
  if (content.endsWith(':*')) return `everything that begins with the words ${content.slice(0, -2)}`;
  if (content.includes('*')) return `what fits the pattern ${content}`;
  return toolName === 'Bash' ? 'exactly this command' : `exactly ${content}`;
}

/**
 * A wider rule to begin with: the first words of a command, up to an option or a path. An option right behind the program
 * belongs to it: `node:*` would be everything. The rule itself where there is none.
 */
export function widerRule(rule: string): string {
  const parsed = parsedRule(rule);
  if (parsed?.toolName !== 'Bash' || parsed.ruleContent === undefined) return rule;
  const words = parsed.ruleContent.trim().split(/ +/);
  const plain = words.findIndex((word) => !/^[a-z][\w:-]*$/.test(word));
  const isOption = plain === 1 && words[1]?.startsWith('-') === true;
  const kept = words.slice(0, isOption ? 2 : Math.min(2, plain === -1 ? words.length : plain));
  return kept.length === 0 || (kept.length === words.length && !isOption) ? rule : `Bash(${kept.join(' ')}:*)`;
}
