import { planAdvice } from '../tools/plan-advice.ts';
import type { ToolSession } from '../tools/tool-session.ts';

/** What the model is told with a prompt in plan mode, and with the first one behind it. */
export function planReminder(session: ToolSession): string {
  const isOn = session.mode.current() === 'plan';
  return `<system-reminder>\n${isOn ? `${RULE} ${planAdvice(session)}` : 'Plan mode is off.'}\n</system-reminder>`;
}

const RULE = 'Plan mode is on: only reading is possible, and nothing else is allowed, until the user approves a plan.';
