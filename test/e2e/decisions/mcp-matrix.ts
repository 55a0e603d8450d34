import { join } from 'node:path';
import { ROOT } from '../../support/root.ts';
import { type Caller, strictest } from './agent-matrix.ts';
import { type Ground, type Outcome, outcomeOn } from './hook-matrix.ts';

/**
 * What becomes of a call of a foreign tool without hooks and rules (docs/permissions.md): nobody knows what it touches, so
 * no mode but one opens it, and those that hold back hold it back.
 */
const GROUND: Readonly<Record<string, Ground>> = {
  default: 'question',
  acceptEdits: 'question',
  auto: 'question',
  plan: 'held',
  delegate: 'held',
  dontAsk: 'question',
  bypassPermissions: 'open',
};

type Rule = 'allow' | 'ask' | 'deny';
/** How a rule names a tool: `mcp__s`, `mcp__s__t`, `mcp__s__*`. */
type Form = 'server' | 'tool' | 'all';

/** A server, and the rules there are for its tools. */
export interface RuledServer {
  name: string;
  rules: Partial<Record<Rule, Form>>;
}

const FORMS: readonly Form[] = ['server', 'tool', 'all'];
const RULES: readonly Rule[] = ['allow', 'ask', 'deny'];
/** The first says that it only reads, which is nothing to go by. */
export const TOOLS = ['look', 'change'] as const;

/** One server for every rule in every form, and one without any. */
export const SERVERS: readonly RuledServer[] = [
  { name: 'none', rules: {} },
  ...FORMS.flatMap((form) => RULES.map((rule): RuledServer => ({ name: `${rule}-${form}`, rules: { [rule]: form } }))),
];

/** Where rules of several forms meet: it counts what they say, not how closely they name the tool. */
export const MIXED_SERVERS: readonly RuledServer[] = [
  { name: 'mixed-1', rules: { allow: 'tool', ask: 'server' } },
  { name: 'mixed-2', rules: { allow: 'tool', deny: 'all' } },
  { name: 'mixed-3', rules: { allow: 'server', deny: 'tool' } },
  { name: 'mixed-4', rules: { ask: 'tool', deny: 'server' } },
];

export interface McpCell {
  server: RuledServer;
  tool: string;
}

export function cellsOf(servers: readonly RuledServer[]): McpCell[] {
  return servers.flatMap((server) => TOOLS.map((tool) => ({ server, tool })));
}

export function toolNameOf({ server, tool }: McpCell): string {
  return `mcp__${server.name}__${tool}`;
}

/** `permissions` of the settings. The last two name no tool that there is, only the beginning of some. */
export function permissionsOf(servers: readonly RuledServer[]): Record<Rule, string[]> {
  const naming = (rule: Rule) => servers.flatMap((server) => namesIn(server, server.rules[rule]));
  return { allow: [...naming('allow'), 'mcp__non', 'mcp__none__loo'], ask: naming('ask'), deny: naming('deny') };
}

function namesIn(server: RuledServer, form: Form | undefined): string[] {
  const forms = {
    server: [`mcp__${server.name}`],
    tool: TOOLS.map((tool) => toolNameOf({ server, tool })),
    all: [`mcp__${server.name}__*`],
  };
  return form ? forms[form] : [];
}

/** For `--mcp-config`: they note the calls that arrive in the file. */
export function configOf(servers: readonly RuledServer[], callsFile: string): string {
  const program = join(ROOT, 'test/support/loom-mcp-server.mjs');
  const each = { command: process.execPath, args: [program, ...TOOLS], env: { CALLS_FILE: callsFile } };
  return JSON.stringify({ mcpServers: Object.fromEntries(servers.map(({ name }) => [name, each])) });
}

export function isDenied({ server: { rules } }: McpCell): boolean {
  return rules.deny !== undefined;
}

export function expectedOfMcp({ server }: McpCell, { mode, hook }: { mode: string; hook: string }) {
  const rule = RULES.findLast((each) => server.rules[each] !== undefined) ?? 'no-rule';
  return outcomeOn(GROUND[mode], { mode, rule, hook });
}

export function expectedOfAgent(cell: McpCell, caller: Caller, sessionMode: string): Outcome | undefined {
  return strictest(caller, sessionMode, (mode) => expectedOfMcp(cell, { mode, hook: 'no-hook' }));
}
