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
    const { planAdvice } = await import('./plan-advice.ts');
    const message = `${isNew ? 'Plan mode is on.' : 'Plan mode was on already.'} ${planAdvice(session)}`;
    return { content: message, data: { message } satisfies EnterPlanModeOutput };
  },
};
