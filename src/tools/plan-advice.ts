import type { ToolSession } from './tool-session.ts';

const WORKFLOW = 'Read what matters and look for what is there already.';

/** How to work while plan mode is on: what it forbids, the host's way of working or ours, and how it ends. */
export function planAdvice(session: Pick<ToolSession, 'planFile' | 'planInstructions'>): string {
  const { planInstructions } = session;
  const [before, between] = planInstructions === undefined ? [WORKFLOW, ' '] : [planInstructions, '\n\n'];
  return ['Change nothing yet.', before, ending(session.planFile())].join(between);
}

function ending(planFile: string | null): string {
  const write =
    planFile === null
      ? 'give the plan to ExitPlanMode in `plan`, which asks the user to approve it'
      : `write the plan to ${planFile}, the one file that you may write now, then call ExitPlanMode, which asks the user to approve it`;
  return `When you know what to do, ${write}. If nobody can approve it, answer with the plan and stop.`;
}
