import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { printable } from '../../util/text/printable.ts';

/** The work of a run by agent: the main thread, and below it the agents, each under its parent. */
export interface AgentTree {
  /** Takes a line of the run. */
  note(line: JsonObject): void;
  /** The tree, for people; empty when no agent was started. */
  lines(): string[];
}

interface Agent {
  id: string;
  type: string;
  about: string;
  parent: string | undefined;
  status: string;
  toolUses: number;
  tokens: number;
  cost: number;
}

/** `isResumed`: the total includes the earlier cost of the session. */
export function createAgentTree({ isResumed }: { isResumed: boolean }): AgentTree {
  /** By run: a resumed agent has several. */
  const runs = new Map<string, Agent>();
  let total = 0;

  function take(line: JsonObject): void {
    const run = stringField(line, 'run_id') ?? '';
    if (line.subtype === 'task_started' && typeof line.subagent_type === 'string') {
      runs.set(run, begun(line, line.subagent_type));
    }
    const agent = runs.get(run);
    if (!agent) return;
    const status = isObject(line.patch) ? stringField(line.patch, 'status') : undefined;
    if (status !== undefined) agent.status = status;
    if (!isObject(line.usage)) return;
    agent.toolUses = numberIn(line.usage, 'tool_uses');
    agent.tokens = numberIn(line.usage, 'total_tokens');
    agent.cost = numberIn(line.usage, 'cost_usd');
  }

  return {
    note(line) {
      if (line.type === 'result') total = numberIn(line, 'total_cost_usd');
      else if (line.type === 'system' && stringField(line, 'subtype')?.startsWith('task_')) take(line);
    },
    lines() {
      const agents = [...runs.values()];
      if (agents.length === 0) return [];
      const own = agents.reduce((left, { cost }) => left - cost, total);
      const name = isResumed ? 'main thread, with the session before' : 'main thread';
      return [`${name}: ${dollars(own)}`, ...branches(agents, undefined, ''), `total: ${dollars(total)}`];
    },
  };
}

function begun(line: JsonObject, type: string): Agent {
  const id = stringField(line, 'task_id') ?? '';
  const about = stringField(line, 'description') ?? '';
  return {
    id,
    type,
    about,
    parent: stringField(line, 'parent_task_id'),
    status: 'running',
    toolUses: 0,
    tokens: 0,
    cost: 0,
  };
}

function branches(agents: readonly Agent[], parent: string | undefined, indent: string): string[] {
  const isKnown = (id: string | undefined) => agents.some((agent) => agent.id === id);
  const own = agents.filter((agent) => (isKnown(agent.parent) ? agent.parent : undefined) === parent);
  const lastRuns = new Map(own.map((agent) => [agent.id, agent]));
  return own.flatMap((agent, at) => {
    const isLast = at === own.length - 1;
    const line = `${indent}${isLast ? '└─' : '├─'} ${textOf(agent)}`;
    // The agents that one agent started in several runs are listed once, below its last run.
    if (lastRuns.get(agent.id) !== agent) return [line];
    return [line, ...branches(agents, agent.id, `${indent}${isLast ? '   ' : '│  '}`)];
  });
}

function textOf({ id, type, about, status, toolUses, tokens, cost }: Agent): string {
  const uses = `${toolUses} tool use${toolUses === 1 ? '' : 's'}`;
  return printable(`${type} ${id} "${about}": ${status}, ${uses}, ${tokens} tokens, ${dollars(cost)}`);
}

/** Enough digits that the lines add up to the total, and that cheap calls do not show as zero. */
function dollars(amount: number): string {
  return `$${Math.max(0, amount).toFixed(6)}`;
}

function numberIn(fields: JsonObject, name: string): number {
  const value = fields[name];
  return typeof value === 'number' ? value : 0;
}
