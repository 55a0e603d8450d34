import { objectInput, optional, string } from './input-schema.ts';
import { refusal, type Tool, type ToolContext } from './tool.ts';

/** The skills that the model may load. */
export interface SkillShelf {
  /** The one that is meant; null when there is none of that name, or none for the model. */
  find(name: string): ShelvedSkill | null;
  /** The names, for whoever asked for one that is not there. */
  names(): readonly string[];
  /** Its text, filled in and with the output of its commands. Throws ToolError when one of them may not run. */
  open(skill: ShelvedSkill, args: string, context: ToolContext): Promise<string>;
}

export interface ShelvedSkill {
  /** Its whole name. */
  name: string;
  /** Whether it allows itself something, or runs commands. */
  asks: boolean;
}

const input = objectInput({
  skill: string('The name of the skill, as it is listed'),
  args: optional(string('What the skill is to be applied to, where it takes something')),
});

export function createSkillTool(shelf: SkillShelf): Tool<{ skill: string; args?: string | undefined }> {
  return {
    name: 'Skill',
    description: `Loads a skill: instructions that the user or the project has written for a kind of task. Its text comes behind the result.

- A system reminder lists the skills and what each is for. Load one before you begin a task that it is made for, and then follow it.
- Only names that are listed exist. A user who writes "/name" means the skill of that name.
- Do not load again what is already in this conversation.`,
    input,
    access: ({ skill }) => {
      const found = shelf.find(skill);
      return { kind: 'named', name: found?.name ?? skill, asks: found?.asks ?? false };
    },
    isConcurrencySafe: () => false,
    async prepare(call) {
      if (shelf.find(call.skill)) return call;
      const names = shelf.names().join(', ') || 'none';
      throw refusal(`Unknown skill: ${call.skill}. These can be loaded: ${names}`);
    },
    async run({ skill, args = '' }, context) {
      const found = shelf.find(skill);
      if (!found) throw refusal(`Unknown skill: ${skill}`);
      const followUp = await shelf.open(found, args, context);
      return {
        content: `The skill ${found.name} is loaded; its text follows.`,
        data: { success: true, commandName: found.name },
        followUp,
      };
    },
  };
}
