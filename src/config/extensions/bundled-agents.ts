/** An agent that comes with Heddle. Its prompt is in `bundled-agent-texts.ts`, which is loaded when an agent starts. */
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
