import { insideReminder } from '../util/reminder-text.ts';

/** A memory file of which the model is told. */
export interface ToldFile {
  path: string;
  /** Whose instructions these are. */
  kind: 'user' | 'project' | 'local';
  text: string;
  importedBy?: string;
  /** Holds for the files below its directory. */
  isNested?: true;
  /** Holds for the files that match one of these. */
  globs?: readonly string[];
  /** The model knows what it said before. */
  isChanged?: true;
}

/** Memory files as the model gets them. Ours, and the same for the same files: a resume depends on it. */
export function memoryReminder(files: readonly ToldFile[], gone: readonly string[]): string {
  const parts = [
    ...(files.length > 0
      ? [INTRODUCTION, ...files.map((file) => `# ${titleOf(file)}\n\n${insideReminder(file.text.trim())}`)]
      : []),
    ...(gone.length > 0 ? [`These instructions are withdrawn, do not follow them any more: ${gone.join(', ')}`] : []),
  ];
  return `<system-reminder>\n${parts.join('\n\n')}\n</system-reminder>`;
}

const INTRODUCTION =
  'The user and the project keep instructions for you in these files. Follow them as far as they concern the task. Where they contradict each other the later one wins, and what the user says wins over all of them.';

const OWNERS = {
  user: "the user's own, for every project",
  project: "the project's",
  local: "the user's own, for this project",
};

function titleOf({ path, kind, importedBy, isNested, globs, isChanged }: ToldFile): string {
  const facts = [
    OWNERS[kind],
    ...(importedBy === undefined ? [] : [`imported by ${importedBy}`]),
    ...(isNested ? ['for the files below its directory'] : []),
    ...(globs ? [`for files that match ${insideReminder(globs.join(', ').trim())}`] : []),
    ...(isChanged ? ['changed: this replaces what it said before'] : []),
  ];
  return `${path} (${facts.join('; ')})`;
}
