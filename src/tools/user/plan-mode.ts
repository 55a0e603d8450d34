import type { EnterPlanModeOutput, ExitPlanModeOutput } from '../../wire/tools/tool-outputs.ts';
import { boundField, MAX_FIELD_BYTES } from '../bounded-field.ts';
import { decodeForDisplay } from '../files/text-file.ts';
import { arrayOf, type InputOf, objectInput, objectOf, optional, string } from '../input-schema.ts';
import { type Tool, type ToolContext, ToolError } from '../tool.ts';
import { type PlanPort, planPort } from './plan-port.ts';

export const enterPlanModeTool: Tool = {
  name: 'EnterPlanMode',
  description: `Changes to plan mode: only reading, until the user has approved a plan. For work that changes much, can be done in several ways, or is unclear; not for small, plain tasks, nor when the user only wants to know something.`,
  input: objectInput({}),
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run(_input, { service }) {
    const plan = service(planPort);
    const isNew = plan.mode.current() !== 'plan';
    if (isNew) await plan.mode.set('plan');
    const message = `${isNew ? 'Plan mode is on.' : 'Plan mode was on already.'} ${planAdvice(plan)}`;
    return { content: message, data: { message } satisfies EnterPlanModeOutput };
  },
};

const WORKFLOW = 'Read what matters and look for what is there already.';

/** The instructions while plan mode is on: what it forbids, the host's way of working or Heddle's, and how it ends. */
export function planAdvice(plan: Pick<PlanPort, 'planFile' | 'planInstructions'>): string {
  const { planInstructions } = plan;
  const [before, between] = planInstructions === undefined ? [WORKFLOW, ' '] : [planInstructions, '\n\n'];
  return ['Change nothing yet.', before, ending(plan.planFile())].join(between);
}

function ending(planFile: string | null): string {
  const write =
    planFile === null
      ? 'give the plan to ExitPlanMode in `plan`, which asks the user to approve it'
      : `write the plan to ${planFile}, the one file that you may write now, then call ExitPlanMode, which asks the user to approve it`;
  return `When you know what to do, ${write}. If nobody can approve it, answer with the plan and stop.`;
}

const exitInput = objectInput(
  {
    plan: optional(string('Where it is not in the plan file')),
    allowedPrompts: optional(
      arrayOf(objectOf('', { tool: string(''), prompt: string('') }), 'What the plan will need permission for'),
    ),
  },
  // Hosts and other versions put more into it; it is passed on.
  { others: 'keep' },
);

/** The most of a plan in the question to the user; a bit less than a field, so that the note about the rest fits in. */
const MAX_PLAN_BYTES = MAX_FIELD_BYTES - 1000;

/** The user approves the plan in the plan file; without a file, the plan in the call. */
export const exitPlanModeTool: Tool<InputOf<typeof exitInput>> = {
  name: 'ExitPlanMode',
  description: `Shows the user the plan and asks to approve it; then plan mode ends and the work begins. Only in plan mode, when the plan is complete and in the plan file; ask nothing before: this call is the question.`,
  input: exitInput,
  access: () => ({ kind: 'interaction' }),
  async prepare(given, context) {
    const { mode, planFile } = context.service(planPort);
    if (mode.current() !== 'plan') {
      throw new ToolError('Plan mode is not on, so there is no plan to approve. Go on with the work.', { wrap: true });
    }
    const filePath = planFile();
    const plan = await readPlan(filePath, context);
    if (plan !== null) return { ...given, plan: boundField(plan, MAX_PLAN_BYTES), planFilePath: filePath };
    if (given.plan?.trim()) return given;
    const place = filePath === null ? 'Give it to this call in `plan`' : `Write it to ${filePath}`;
    throw new ToolError(`There is no plan yet. ${place}, then ask again.`, { wrap: true });
  },
  isConcurrencySafe: () => false,
  async run(given, context) {
    const { mode, planFile } = context.service(planPort);
    const filePath = planFile();
    // Not read again: the file may have changed since the user saw it. Without a plan file the host gets no plan.
    const plan = (await isFile(filePath, context)) ? given.plan : undefined;
    // Unless the user has chosen another mode with the approval.
    if (mode.current() === 'plan') await mode.set(mode.beforePlan());
    return {
      content: approved(given.plan, filePath),
      data: {
        plan: plan === undefined ? null : boundField(plan),
        isAgent: false,
        filePath,
      } satisfies ExitPlanModeOutput,
    };
  },
};

/** Null when there is no plan. */
async function readPlan(filePath: string | null, context: ToolContext): Promise<string | null> {
  if (filePath === null || !(await isFile(filePath, context))) return null;
  const text = decodeForDisplay(await context.workspace.readFile(filePath));
  return text.trim() === '' ? null : text;
}

async function isFile(path: string | null, { workspace }: ToolContext): Promise<boolean> {
  return path !== null && (await workspace.stat(path))?.kind === 'file';
}

function approved(plan: string | undefined, filePath: string | null): string {
  const begin = 'The user approved the plan. Plan mode is off: begin with the work.';
  if (plan === undefined) return begin;
  const place = filePath === null ? '' : ` (${filePath})`;
  return `${begin}\n\nThe approved plan${place}:\n${plan}`;
}
