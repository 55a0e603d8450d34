import type { Registry } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Parts } from '../parts.ts';
import type { AgentNotes } from './agent-notes.ts';
import { agentTools, namedTools } from './agent-tools.ts';
import type { AgentType } from './agent-types.ts';
import { forkTools } from './fork-tools.ts';

export interface ChildToolsOptions {
  type: AgentType;
  /** It has those of the one that it works for, in the same order. */
  isFork: boolean;
  /** Whether it is not too deep to start others. */
  mayStart: boolean;
  /** What loads skills for it; empty: nothing does. */
  skills: readonly Tool[];
  notes: AgentNotes | null;
  /** It lives on between its turns: what the session comes to have meanwhile is there for it, too. */
  isLasting: boolean;
}

/** The tools of an agent, which may become more while it lives. */
export interface ChildTools {
  current(): Registry;
  replace(next: Registry): void;
}

export function childTools(parent: Parts, options: ChildToolsOptions): ChildTools {
  const { type, isFork, mayStart, skills, notes, isLasting } = options;
  let tools = isFork
    ? forkTools(parent.tools, skills, { mayStart })
    : agentTools(parent.tools, type, {
        mayStart,
        own: skills,
        forNotes: notes?.tools ?? [],
        log: (_level, text) => parent.warnOnce(text),
      });
  /** There were no skills when it began, and now there are. */
  const isNew = ({ name }: Tool) => !tools.get(name) && parent.tools.get(name) !== undefined && mayHave(type, name);
  return {
    current() {
      const missing = isLasting ? skills.filter(isNew) : [];
      if (missing.length > 0) tools = tools.plus(missing);
      return tools;
    },
    replace(next) {
      tools = next;
    },
  };
}

function mayHave({ definition }: AgentType, name: string): boolean {
  const { wants, refuses } = namedTools(definition);
  return (wants(name) ?? true) && !refuses(name);
}
