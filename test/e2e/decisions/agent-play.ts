import { type AnswerLike, type FakeApiRequest, toolUse } from '../../../src/testing/index.ts';
import { messagesOf, task } from '../../support/cast.ts';
import type { Block } from '../../support/lines.ts';
import { CALLERS, type Caller } from './agent-matrix.ts';
import { MODES } from './hook-matrix.ts';

/** A model for all callers, begun with GO: each makes its calls in its first answer, and is done with the second. */
export class AgentPlay {
  readonly results = new Map<string, Block>();
  readonly #callsOf: (caller: Caller) => ReturnType<typeof toolUse>[];
  readonly #done = new Set<string>();

  constructor(callsOf: (caller: Caller) => ReturnType<typeof toolUse>[]) {
    this.#callsOf = callsOf;
  }

  get isOver(): boolean {
    return this.#done.size === CALLERS.length;
  }

  answer(request: FakeApiRequest): AnswerLike {
    const messages = messagesOf(request) as { role: string; content: string | Block[] }[];
    const last = messages.at(-1)?.content ?? '';
    for (const block of Array.isArray(last) ? last : []) {
      if (block.type === 'tool_result') this.results.set(String(block.tool_use_id), block);
    }
    const name = /CALLER<(.*?)>/.exec(JSON.stringify(messages[0]))?.[1];
    const boss = /BOSS<(.*?)>/.exec(JSON.stringify(messages[0]))?.[1];
    const spoken = messages.filter(({ role }) => role === 'assistant').length;
    if (boss !== undefined) return spoken === 0 ? startOf(callerNamed(boss), boss) : 'It is done.';
    if (name === undefined) return this.#main(last);
    if (spoken === 0) return this.#callsOf(callerNamed(name));
    this.#done.add(name);
    return 'Done.';
  }

  #main(last: string | Block[]): AnswerLike {
    if (JSON.stringify(last).includes('GO')) {
      return [
        toolUse('TeamCreate', { team_name: 'crew', description: 'd' }, 'team'),
        ...this.#callsOf(callerNamed('main')),
      ];
    }
    if (!Array.isArray(last) || !last.some(({ tool_use_id }) => tool_use_id === 'team')) return 'Done.';
    this.#done.add('main');
    return CALLERS.filter(({ how }) => how !== 'main').map((caller) => startOf(caller, null));
  }
}

/** For `--agents`: the kinds of all callers, where those that start others have these tools. */
export function agentsWith(tools: readonly string[]): string {
  const kinds = ['none', ...MODES].flatMap((mode) => {
    const common = { description: 'd', prompt: 'p', ...(mode !== 'none' && { permissionMode: mode }) };
    return [
      [`kind-${mode}`, common],
      [`boss-${mode}`, { ...common, tools: ['Task', ...tools] }],
    ];
  });
  return JSON.stringify(Object.fromEntries(kinds));
}

/** The call that starts an agent; of a nested one the boss, unless the boss itself makes it. */
function startOf({ name, how, modes: [first = 'none', second = 'none'] }: Caller, boss: string | null) {
  if (how === 'nested' && boss === null) return task(`BOSS<${name}>`, { subagent_type: `boss-${first}` });
  const kind = { subagent_type: `kind-${how === 'nested' ? second : first}` };
  const more = { background: { run_in_background: true }, teammate: { team_name: 'crew', name } };
  return task(`CALLER<${name}>`, { ...kind, ...(how in more && more[how as keyof typeof more]) });
}

function callerNamed(name: string): Caller {
  const found = CALLERS.find((caller) => caller.name === name);
  if (!found) throw new Error(`Nobody is called ${name}`);
  return found;
}
