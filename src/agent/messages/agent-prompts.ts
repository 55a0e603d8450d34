import { CARE, REMINDERS, TOOLS } from './system-prompt.ts';

/** The prompt of an agent that works for another: its purpose, and the parts that hold for all agents. Byte-stable. */
export function agentPrompt(purpose: string): string {
  return [purpose, TOOLS, CARE, `${REPORT}\n${REMINDERS}`].join('\n\n');
}

/** The purpose of a team member, and how it deals with the others. */
export function teammatePrompt(purpose: string, { name, team }: { name: string; team: string }): string {
  const rules = `# Your team
- You are ${name}, a member of the team ${team}. Its leader is team-lead, who has given you your task and speaks with the user.
- What others say to you comes as <teammate-message>. They see nothing of what you write, only what you send with SendMessage: send your results and questions to team-lead, short and complete.
- When you have nothing left to do, end your turn. You are woken by the next message.
- When you are asked to shut down, answer with SendMessage, shutdown_response: approve if your work is done or can be left; otherwise reject and say what is still to be done.`;
  return [purpose, TOOLS, CARE, `${rules}\n${REMINDERS}`].join('\n\n');
}

/** The prompt of an agent that speaks with the user itself. */
export function mainAgentPrompt(purpose: string): string {
  return [purpose, TOOLS, CARE, REMINDERS].join('\n\n');
}

const REPORT = `# Your report
- You work for another agent, not for a person: nobody answers questions. Decide what you can, and say what you had to assume.
- Your last message is what the other agent gets, and all that it gets. Put everything into it that was asked for.`;
