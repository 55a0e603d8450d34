import { insideReminder, reminder } from '../../util/text/reminder-text.ts';
import type { PromptFile } from './prompt-file.ts';

/** The maximum length of the list of skills in a request, in characters. An environment variable may change it. */
export const LISTING_BUDGET = 15_000;

export interface SkillListing {
  text: string;
  /** How many skills did not fit. */
  leftOut: number;
}

/**
 * The list of skills for the model; null when there are none. Descriptions are shortened before names are left out. The
 * same skills always give the same text.
 */
export function skillListing(skills: readonly PromptFile[], budget: number): SkillListing | null {
  if (skills.length === 0) return null;
  for (const limit of [MAX_DESCRIPTION, 200, 60, 0]) {
    const lines = skills.map((skill) => lineOf(skill, limit));
    if (fitting(lines, budget).length === lines.length) return { text: listing(lines), leftOut: 0 };
  }
  const names = skills.map((skill) => lineOf(skill, 0));
  const kept = fitting(names, budget);
  const leftOut = skills.length - kept.length;
  return { text: listing([...kept, `(${leftOut} more are not listed here)`]), leftOut };
}

const MAX_DESCRIPTION = 1024;

/** The first lines that fit into `budget` characters, with their line feeds. */
function fitting(lines: readonly string[], budget: number): readonly string[] {
  let size = 0;
  const end = lines.findIndex((line) => {
    size += line.length + 1;
    return size > budget;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function listing(lines: readonly string[]): string {
  const head =
    'These skills can be loaded with the Skill tool. Before you begin a task that one of them is made for, load it and follow what it says.';
  return reminder([head, ...lines].join('\n'));
}

/** One line for each skill: a description must not look like another skill, nor close the reminder. */
function lineOf({ name, description }: PromptFile, limit: number): string {
  const words = insideReminder(description.replaceAll(/\s+/g, ' ')).trim();
  if (limit === 0 || words === '') return `- ${name}`;
  return `- ${name}: ${words.length > limit ? `${words.slice(0, limit - 1)}…` : words}`;
}
