import type { EnterPlanModeOutput } from '../wire/tool-outputs.ts';
import { objectInput } from './input-schema.ts';
import type { Tool } from './tool.ts';

export const enterPlanModeTool: Tool = {
  name: 'EnterPlanMode',
  description: `Changes to plan mode: from then on only reading is possible, until the user has approved a plan.

- For work that changes much, can be done in several ways, or is unclear. Small, plain tasks are done at once.
- Not when the user only wants to know something.`,
  input: objectInput({}),
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run(_input, { session }) {
    const isNew = session.mode.current() !== 'plan';
    if (isNew) await session.mode.set('plan');
    const message = `${isNew ? 'Plan mode is on.' : 'Plan mode was on already.'} ${advice(session.planFile())}`;
    return { content: message, data: { message } satisfies EnterPlanModeOutput };
  },
};

function advice(planFile: string | null): string {
  const write =
    planFile === null
      ? 'give the plan to ExitPlanMode in `plan`, which asks the user to approve it'
      : `write the plan to ${planFile}, the one file that you may write now, then call ExitPlanMode, which asks the user to approve it`;
  return `Change nothing yet. Read what matters and look for what is there already; when you know what to do, ${write}. If nobody can approve it, answer with the plan and stop.`;
}
