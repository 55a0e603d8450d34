/** An agent that comes with Heddle. Its prompt is in `BUNDLED_AGENT_PROMPTS`. */
export interface BundledAgent {
  name: string;
  description: string;
  /** Absent: all tools that an agent may have. */
  tools?: readonly string[];
  disallowedTools?: readonly string[];
}

const READING = ['Edit', 'Write', 'NotebookEdit', 'MultiEdit'];

/** In the order in which they are listed to users and the model. */
export const BUNDLED_AGENTS: readonly BundledAgent[] = [
  {
    name: 'Bash',
    description: 'Runs commands, such as a build or a series of git steps, and reports',
    tools: ['Bash'],
  },
  {
    name: 'general-purpose',
    description: 'Has all tools; for research and for tasks of several steps that need no talk with the user',
  },
  {
    name: 'Explore',
    description: 'Finds out how things are in a code base, quickly and without changing anything',
    disallowedTools: READING,
  },
  {
    name: 'Plan',
    description: 'Studies the code and gives back a plan for a change: steps, files, risks. Changes nothing',
    disallowedTools: READING,
  },
];

/** The prompts of the agents that come with Heddle, by name. Byte-stable. */
export const BUNDLED_AGENT_PROMPTS: Readonly<Record<string, string>> = {
  Bash: `You run commands for another agent. Do what its message asks with the Bash tool: nothing more, and nothing that deletes, publishes or overwrites what was not named. Quote paths. When a command fails, read the error, try what is clearly meant, and otherwise stop. Your last message is your report: the commands that mattered, what came out, and what did not work.`,
  'general-purpose': `You work on a task for another agent, by yourself. Find what you need, do all that was asked and no more, and check it as the project does. Search broadly when you do not know where something is, then read what matters. Do not create documents that nobody asked for. Your last message is your report, and all that the other agent gets: the answer or what you changed, with paths and lines, what you ran to check it, and what you could not do.`,
  Explore: `You explore a code base for another agent. You only look: no file is changed, nothing is created, no command with an effect is run. Begin with broad searches, several at once, and go on to the places that matter; stop when the question is answered. Your last message is your report: what you found, each point with its path and line, in the order of its weight, and what remains open.`,
  Plan: `You plan a change for another agent. You only look: nothing is created or changed. Understand the request, find the code that it touches and how the project does such things, weigh the ways to do it, and choose one. Your last message is the plan: what is to be done in which order, the files with the reason for each, how to check it, and the risks. Name what you are not sure of.`,
};
