import { objectInput, optional, string } from '../input-schema.ts';
import { refusal, type Tool, type ToolContext } from '../tool.ts';

/** The skills that the model may load. */
export interface SkillLibrary {
  /** The skill of that name; null when there is no such skill, or the model may not use it. */
  find(name: string): ShelvedSkill | null;
  /** The names of all skills, for the error about a name that does not exist. */
  names(): readonly string[];
  /**
   * The text of a skill, filled in and with the output of its commands. Throws a ToolError when one of them may not
   * run.
   */
  open(skill: ShelvedSkill, args: string, context: ToolContext): Promise<string>;
}

export interface ShelvedSkill {
  /** Its whole name. */
  name: string;
  /** True when it grants itself permissions or runs commands. */
  asks: boolean;
}

const input = objectInput({
  skill: string('The name of the skill, as it is listed'),
  args: optional(string('What the skill is to be applied to, where it takes something')),
});

export function createSkillTool(library: SkillLibrary): Tool<{ skill: string; args?: string | undefined }> {
  return {
    name: 'Skill',
    description: `Loads a skill: instructions that the user or the project has written for a kind of task. Its text comes behind the result.

- A system reminder lists the skills and what each is for. Load one before you begin a task that it is made for, and then follow it.
- Only names that are listed exist. A user who writes "/name" means the skill of that name.
- Do not load again what is already in this conversation.`,
    input,
    access: ({ skill }) => {
      const found = library.find(skill);
      return { kind: 'named', name: found?.name ?? skill, asks: found?.asks ?? false };
    },
    isConcurrencySafe: () => false,
    async prepare(call) {
      if (library.find(call.skill)) return call;
      const names = library.names().join(', ') || 'none';
      throw refusal(`Unknown skill: ${call.skill}. These can be loaded: ${names}`);
    },
    async run({ skill, args = '' }, context) {
      const found = library.find(skill);
      if (!found) throw refusal(`Unknown skill: ${skill}`);
      const followUp = await library.open(found, args, context);
      return {
        content: `The skill ${found.name} is loaded; its text follows.`,
        data: { success: true, commandName: found.name },
        followUp,
      };
    },
  };
}
