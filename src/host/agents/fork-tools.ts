import { TASK } from '../../tools/agents/agent.ts';
import type { Registry } from '../../tools/registry.ts';
import { STRUCTURED_OUTPUT } from '../../tools/structured-output.ts';
import { refusal, type Tool } from '../../tools/tool.ts';
import { OF_MAIN_THREAD } from './agent-tools.ts';

/**
 * The tools of a fork: its requests list the tools of the caller in the same order. A call of a tool that only the main
 * thread may use is refused.
 */
export function forkTools(tools: Registry, own: readonly Tool[], { mayStart }: { mayStart: boolean }): Registry {
  const isRefused = (name: string) =>
    OF_MAIN_THREAD.has(name) || name === STRUCTURED_OUTPUT || (name === TASK && !mayStart);
  const refused = tools.all().flatMap((tool) => (isRefused(tool.name) ? refusing(tool) : []));
  const kept = tools.subset(() => true, [...own, ...refused]);
  const sent = tools.apiTools();
  let known = kept.apiTools();
  let all = sent;
  return {
    ...kept,
    apiTools() {
      if (kept.apiTools() !== known) {
        known = kept.apiTools();
        all = [...sent, ...known.filter(({ name }) => !sent.some((each) => each.name === name))];
      }
      return all;
    },
  };
}

function refusing(tool: Tool): Tool {
  return {
    ...tool,
    async prepare() {
      throw refusal(
        `${tool.name} belongs to whoever leads the conversation, and you are a fork. Put it into your report.`,
      );
    },
  };
}
