import { insideReminder } from '../util/reminder-text.ts';
import type { PromptFile } from './prompt-file.ts';

/** The characters that a list of skills may take in a request unless the environment says otherwise. */
export const LISTING_BUDGET = 15_000;

export interface SkillListing {
  text: string;
  /** How many did not fit. */
  leftOut: number;
}

/**
 * What the model is told of the skills that it may load; null when there are none. Descriptions become shorter before
 * names are left out. The same skills always give the same text.
 */
export function skillListing(skills: readonly PromptFile[], budget: number): SkillListing | null {
  if (skills.length === 0) return null;
  for (const limit of [MAX_DESCRIPTION, 200, 60, 0]) {
    const lines = skills.map((skill) => lineOf(skill, limit));
    if (fitting(lines, budget).length === lines.length) return { text: reminder(lines), leftOut: 0 };
  }
  const names = skills.map((skill) => lineOf(skill, 0));
  const kept = fitting(names, budget);
  const leftOut = skills.length - kept.length;
  return { text: reminder([...kept, `(${leftOut} more are not listed here)`]), leftOut };
}

const MAX_DESCRIPTION = 1024;

/** The first lines that take no more than so many characters, their line feeds included. */
function fitting(lines: readonly string[], budget: number): readonly string[] {
  let size = 0;
  const end = lines.findIndex((line) => {
    size += line.length + 1;
    return size > budget;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function reminder(lines: readonly string[]): string {
  const head =
    'These skills can be loaded with the Skill tool. Before you begin a task that one of them is made for, load it and follow what it says.';
  return `<system-reminder>\n${head}\n${lines.join('\n')}\n</system-reminder>`;
}

/** One line each: a description must not look like another skill, nor close the reminder. */
function lineOf({ name, description }: PromptFile, limit: number): string {
  const words = insideReminder(description.replaceAll(/\s+/g, ' ')).trim();
  if (limit === 0 || words === '') return `- ${name}`;
  return `- ${name}: ${words.length > limit ? `${words.slice(0, limit - 1)}…` : words}`;
}
