import { type PromptFile, wantsPermission } from '../config/prompt-file.ts';
import { createSkillTool } from '../tools/skill.ts';
import type { Tool } from '../tools/tool.ts';
import { enabledSkills, findPrompt } from './load-extensions.ts';
import type { Parts } from './parts.ts';

/** The tool with which the model loads the skills of a session. `parts` is asked late: some of it changes. */
export function skillTool(parts: () => Parts): Tool {
  return toolFor(
    () => parts(),
    async (skill, args, signal) => (await import('./expand-prompt.ts')).expandSkill(skill, args, parts(), signal),
  );
}

/** The same where nothing is loaded: for whoever only wants to know what would become of a call. */
export function skillToolToJudge(holder: SkillHolder): Tool {
  return toolFor(
    () => holder,
    async () => '',
  );
}

type SkillHolder = Pick<Parts, 'extensions' | 'enabledSkills'>;

function toolFor(
  holder: () => SkillHolder,
  expand: (skill: PromptFile, args: string, signal: AbortSignal) => Promise<string>,
): Tool {
  const skills = () => enabledSkills(holder().extensions.skills, holder().enabledSkills);
  const find = (name: string) => findPrompt(skills(), name.trim().replace(/^\//, ''));
  const tool = createSkillTool({
    find(name) {
      const skill = find(name);
      return skill && { name: skill.name, asks: wantsPermission(skill) };
    },
    names: () => skills().map(({ name }) => name),
    async open({ name }, args, { signal }) {
      const skill = find(name);
      if (!skill) throw new Error(`The skill ${name} is gone`);
      return expand(skill, args, signal);
    },
  });
  return tool as unknown as Tool;
}
