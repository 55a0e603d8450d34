import type { ExitPlanModeOutput } from '../wire/tool-outputs.ts';
import { boundField, MAX_FIELD_BYTES } from './bounded-field.ts';
import { arrayOf, type InputOf, objectInput, objectOf, optional, string } from './input-schema.ts';
import { type Tool, type ToolContext, ToolError } from './tool.ts';

const input = objectInput(
  {
    plan: optional(string('The plan, where it is not in the plan file')),
    allowedPrompts: optional(
      arrayOf(objectOf('', { tool: string(''), prompt: string('') }), 'What the plan will need permission for'),
    ),
  },
  // Hosts and other versions put more into it; it is passed on.
  { others: 'keep' },
);

/** What the question to the user carries of a plan; a bit less than a field, so that the note on the rest fits in. */
const MAX_PLAN_BYTES = MAX_FIELD_BYTES - 1000;

/** The plan that the user approves is the one in the plan file; without one it is what the call brings. */
export const exitPlanModeTool: Tool<InputOf<typeof input>> = {
  name: 'ExitPlanMode',
  description: `Shows the user the plan and asks to approve it; approved, plan mode ends and the work begins.

- Only in plan mode, when the plan is complete. Write it to the plan file before.
- Not to ask whether the plan is good, or for questions: this call is the question.`,
  input,
  access: () => ({ kind: 'interaction' }),
  async prepare(given, context) {
    if (context.session.mode.current() !== 'plan') {
      throw new ToolError('Plan mode is not on, so there is no plan to approve. Go on with the work.', { wrap: true });
    }
    const filePath = context.session.planFile();
    const plan = await readPlan(filePath, context);
    if (plan !== null) return { ...given, plan: boundField(plan, MAX_PLAN_BYTES), planFilePath: filePath };
    if (given.plan?.trim()) return given;
    const place = filePath === null ? 'Give it to this call in `plan`' : `Write it to ${filePath}`;
    throw new ToolError(`There is no plan yet. ${place}, then ask again.`, { wrap: true });
  },
  isConcurrencySafe: () => false,
  async run(given, context) {
    const { mode } = context.session;
    const filePath = context.session.planFile();
    // Not read again: the file may have changed since the user saw it. Without one, hosts are told of no plan.
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

/** Null when there is none. */
async function readPlan(filePath: string | null, context: ToolContext): Promise<string | null> {
  if (filePath === null || !(await isFile(filePath, context))) return null;
  const { decodeForDisplay } = await import('./text-file.ts');
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
