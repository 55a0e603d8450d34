import type { Tool } from '../../tools/tool.ts';
import type { AgentType } from '../extensions/agent-kinds.ts';
import type { AgentNotes } from '../thread/identity.ts';
import type { Toolbox } from '../thread/toolbox.ts';
import { agentTools, namedTools } from './agent-tools.ts';
import { forkTools } from './fork-tools.ts';

export interface ChildToolsOptions {
  type: AgentType;
  /** Whether it has the tools of its caller, in the same order. */
  isFork: boolean;
  /** Whether it may start agents: it is not too deep. */
  mayStart: boolean;
  /** The tool that loads skills; empty: there are no skills. */
  skills: readonly Tool[];
  notes: AgentNotes | null;
  /** Whether it outlives its turns, so that it gets the skill tool when the first skill is added. */
  isLasting: boolean;
  warnOnce(text: string): void;
}

/** The tools of an agent, made of those of its caller. More may be added while the agent lives. */
export function childTools(
  toolbox: Toolbox,
  { type, isFork, mayStart, skills, notes, isLasting, warnOnce }: ChildToolsOptions,
): Toolbox {
  let tools = isFork
    ? forkTools(toolbox.registry, skills, { mayStart })
    : agentTools(toolbox.registry, type, {
        mayStart,
        own: skills,
        forNotes: notes?.tools ?? [],
        log: (_level, text) => warnOnce(text),
      });
  /** Whether the tool was added after the agent began: there were no skills then. */
  const isNew = ({ name }: Tool) => !tools.get(name) && toolbox.registry.get(name) !== undefined && mayHave(type, name);
  const current = () => {
    const missing = isLasting ? skills.filter(isNew) : [];
    if (missing.length > 0) tools = tools.plus(missing);
    return tools;
  };
  return {
    get registry() {
      return current();
    },
    output: null,
    lend(more) {
      const before = current();
      tools = before.plus(more);
      return () => {
        tools = before;
      };
    },
  };
}

function mayHave({ definition }: AgentType, name: string): boolean {
  const { wants, refuses } = namedTools(definition);
  return (wants(name) ?? true) && !refuses(name);
}
