import { type PromptFile, wantsPermission } from '../../config/extensions/prompt-file.ts';
import type { Tool } from '../../tools/tool.ts';
import { createSkillTool } from '../../tools/user/skill.ts';
import { type ExpansionDependencies, expandSkill } from './expand-command.ts';
import type { ExtensionSet } from './extension-set.ts';
import type { Extensions } from './extensions.ts';
import { enabledSkills, findPrompt } from './load-extensions.ts';

/** Makes the tool with which the model loads skills. */
export function skillTool(extensions: ExtensionSet, expansion: ExpansionDependencies): Tool {
  return toolFor(
    () => enabledSkills(extensions.current.skills, extensions.enabledSkills),
    (skill, args, signal) => expandSkill(skill, args, expansion, signal),
  );
}

/** Makes a Skill tool that loads nothing, to explain what the permission check would decide. */
export function skillToolToJudge({ skills }: Pick<Extensions, 'skills'>): Tool {
  return toolFor(
    () => enabledSkills(skills, null),
    async () => '',
  );
}

function toolFor(
  skills: () => readonly PromptFile[],
  expand: (skill: PromptFile, args: string, signal: AbortSignal) => Promise<string>,
): Tool {
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
