import { join } from 'node:path';
import type { AskRequest } from '../../agent/calls/gate.ts';
import { changeJsonFile } from '../../config/json-file.ts';
import { readSettingsFile } from '../../config/settings/settings-file.ts';
import { toolFingerprint } from '../../mcp/server-answers.ts';
import { canonicalToolName, coversTool, formatRule, type Rule } from '../../permissions/rules.ts';
import type { Tool } from '../../tools/tool.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import type { PermissionUpdate } from '../../wire/permissions.ts';

/**
 * Remembers approvals that answered a question, with the description of the tool at that time. A tool that changes its
 * description needs another approval. Rules in files or of the launch are not affected: they approve the name.
 */
export interface Approvals {
  /** Remembers updates that answered a question and apply. Never rejects; logs what cannot be saved. */
  remember(updates: readonly PermissionUpdate[]): Promise<void>;
  /** The allow rules in force: a rule that was approved applies only to tools that have not changed since. */
  holding(allow: readonly Rule[]): readonly Rule[];
  /** The question, with the reason if the tool was approved and has changed since. */
  explained(request: AskRequest): AskRequest;
  /** Called when the tools have changed. Warns about each approved tool that describes itself differently. */
  noteChanges(): void;
  /** Limits a rule to a tool as it is now, unless the rule is bound already. Only this session remembers it. */
  bind(rule: Rule, tool: Tool): void;
  unbind(rules: readonly Rule[]): void;
}

export interface ApprovalsOptions {
  /** The config home; null: only this session remembers. */
  home: string | null;
  cwd: string;
  /** The current tools of MCP servers. */
  tools(): readonly Tool[];
  log: Logger;
}

/** The fingerprint of each tool, by its name. */
type Fingerprints = Record<string, string>;
/** The approved fingerprints, by scope and rule. */
type Entries = Map<string, Fingerprints>;

export function openApprovals({ home, cwd, tools, log }: ApprovalsOptions): Approvals {
  const path = home === null ? null : join(home, 'mcp-approvals.json');
  const entries: Entries = path === null ? new Map() : readEntries(path, cwd, log);
  const known = new WeakMap<Tool, string>();
  const said = new Set<string>();

  function fingerprint(tool: Tool): string {
    const found = known.get(tool) ?? toolFingerprint({ description: tool.description, inputSchema: tool.input.json });
    known.set(tool, found);
    return found;
  }

  const isSame = (approved: Fingerprints, tool: Tool) =>
    Object.hasOwn(approved, tool.name) && approved[tool.name] === fingerprint(tool);

  const hasChanged = (tool: Tool): boolean => {
    const lists = [...entries.values()].filter((approved) => Object.hasOwn(approved, tool.name));
    return lists.length > 0 && !lists.some((approved) => isSame(approved, tool));
  };

  return {
    async remember(updates) {
      const changed = updates.flatMap((update) => note(update, entries, tools, fingerprint));
      if (changed.length === 0) return;
      for (const key of changed) for (const name of Object.keys(entries.get(key) ?? {})) said.delete(name);
      const kept = changed.filter((key) => isSaved(scopeIn(key)));
      if (path === null || kept.length === 0) return;
      await changeJsonFile(path, (values) => withEntries(values, entries, { keys: kept, cwd })).catch((error) => {
        log('warn', `What was approved could not be kept in ${path}: ${messageOf(error)}`);
      });
    },
    holding(allow) {
      if (entries.size === 0) return allow;
      return allow.flatMap((rule) => {
        const approved = entries.get(keyOf(rule.source ?? '', rule));
        if (!approved) return rule;
        return tools().flatMap((tool) => (isSame(approved, tool) ? { ...rule, toolName: tool.name } : []));
      });
    },
    bind(rule, tool) {
      const key = keyOf(rule.source ?? '', rule);
      if (!entries.has(key)) entries.set(key, { [tool.name]: fingerprint(tool) });
    },
    unbind(rules) {
      for (const rule of rules) entries.delete(keyOf(rule.source ?? '', rule));
    },
    explained(request) {
      const tool = tools().find(({ name }) => name === request.toolName);
      if (!tool || !hasChanged(tool)) return request;
      return { ...request, decision: { ...request.decision, layer: 'allow-rule', reason: APPROVED_OTHERWISE } };
    },
    noteChanges() {
      for (const tool of tools()) {
        const { name } = tool;
        if (said.has(name) || !hasChanged(tool)) continue;
        said.add(name);
        log('warn', `The tool ${name} describes itself otherwise than when it was approved: it is asked for again`);
      }
    },
  };
}

const APPROVED_OTHERWISE = 'The tool describes itself or its input otherwise than when it was approved.';

/** Applies an update to the entries, and returns the keys of the changed ones. */
function note(
  update: PermissionUpdate,
  entries: Entries,
  tools: () => readonly Tool[],
  fingerprint: (tool: Tool) => string,
): string[] {
  if (!('rules' in update) || update.behavior !== 'allow') return [];
  const { type, destination } = update;
  const given = update.rules.filter(({ toolName }) => toolName.startsWith('mcp__'));
  const keys = given.map((rule) => keyOf(destination, rule));
  const before = [...entries.keys()].filter((key) => scopeIn(key) === destination);
  const gone = type === 'replaceRules' ? before : keys;
  for (const key of gone) entries.delete(key);
  for (const rule of type === 'removeRules' ? [] : given) {
    const covered = tools().filter(({ name }) => coversTool(rule, name, 'allow'));
    const approved = Object.fromEntries(covered.map((tool) => [tool.name, fingerprint(tool)]));
    // A rule that matches no existing tool has no entry.
    if (covered.length > 0) entries.set(keyOf(destination, rule), approved);
  }
  return [...new Set([...gone, ...keys])];
}

/** The key of an entry: `localSettings mcp__calc__add`. The same for a rule that only the session keeps in force. */
function keyOf(source: string, { toolName, ruleContent }: Pick<Rule, 'toolName' | 'ruleContent'>): string {
  const rule = { toolName: canonicalToolName(toolName), ...(ruleContent !== undefined && { ruleContent }) };
  return `${source.replace(/^kept:/, '')} ${formatRule(rule)}`;
}

function scopeIn(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

function isSaved(scope: string): boolean {
  return scope.endsWith('Settings');
}

/** Rules of the user apply in every directory, others in one. */
const EVERYWHERE = '*';

function fileOf(key: string, cwd: string): string {
  return scopeIn(key) === 'userSettings' ? EVERYWHERE : cwd;
}

function readEntries(path: string, cwd: string, log: Logger): Entries {
  try {
    const values = readSettingsFile(path) ?? {};
    const lists = [values[EVERYWHERE], values[cwd]].flatMap((list) => (isObject(list) ? Object.entries(list) : []));
    return new Map(lists.filter((entry): entry is [string, Fingerprints] => isObject(entry[1])));
  } catch (error) {
    log('warn', `${path} cannot be read, so that changed tools are not noticed: ${messageOf(error)}`);
    return new Map();
  }
}

function withEntries(values: JsonObject, entries: Entries, { keys, cwd }: { keys: string[]; cwd: string }): JsonObject {
  const next = { ...values };
  for (const key of keys) {
    const place = fileOf(key, cwd);
    const { [key]: _before, ...others } = isObject(next[place]) ? next[place] : ({} as JsonObject);
    const approved = entries.get(key);
    next[place] = approved ? { ...others, [key]: approved } : others;
  }
  return next;
}
