import { insideReminder, reminder } from '../../util/text/reminder-text.ts';

/** A memory file that the model gets to read. */
export interface ReportedFile {
  path: string;
  /** The owner of the instructions. */
  kind: 'user' | 'project' | 'local';
  text: string;
  importedBy?: string;
  /** Holds for the files below its directory. */
  isNested?: true;
  /** Holds for the files that match one of these. */
  globs?: readonly string[];
  /** Set when the model has read an earlier version of the file. */
  isChanged?: true;
}

/** Memory files in the form for the model. The same files always give the same text: a resume depends on it. */
export function memoryReminder(files: readonly ReportedFile[], gone: readonly string[]): string {
  const parts = [
    ...(files.length > 0
      ? [INTRODUCTION, ...files.map((file) => `# ${titleOf(file)}\n\n${insideReminder(file.text.trim())}`)]
      : []),
    ...(gone.length > 0 ? [`These instructions are withdrawn, do not follow them any more: ${gone.join(', ')}`] : []),
  ];
  return reminder(parts.join('\n\n'));
}

const INTRODUCTION =
  'The user and the project keep instructions for you in these files. Follow them as far as they concern the task. Where they contradict each other the later one wins, and what the user says wins over all of them.';

const OWNERS = {
  user: "the user's own, for every project",
  project: "the project's",
  local: "the user's own, for this project",
};

function titleOf({ path, kind, importedBy, isNested, globs, isChanged }: ReportedFile): string {
  const details = [
    OWNERS[kind],
    ...(importedBy === undefined ? [] : [`imported by ${importedBy}`]),
    ...(isNested ? ['for the files below its directory'] : []),
    ...(globs ? [`for files that match ${insideReminder(globs.join(', ').trim())}`] : []),
    ...(isChanged ? ['changed: this replaces what it said before'] : []),
  ];
  return `${path} (${details.join('; ')})`;
}
