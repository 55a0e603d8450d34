import { worktreeError } from './worktree-error.ts';

const MAX_CHARS = 64;
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** Characters that git allows in no branch name, and the suffixes of files next to the worktrees. */
const FORBIDDEN = /\.\.|\.$|\.(?:lock|lease)$/i;
/** Generated names: a leftover worktree with such a name and without work may be removed. */
const MADE_UP = /^(?:agent-a[\w-]+|session-[0-9a-f]{8})$/;

/** Throws for a name that could be another path, another branch or a flag: no segment begins with a dot or a dash. */
export function checkedName(name: string): string {
  const isFine =
    name.length <= MAX_CHARS && name.split('/').every((part) => SEGMENT.test(part) && !FORBIDDEN.test(part));
  if (isFine) return name;
  throw worktreeError(
    'bad_name',
    `'${name.slice(0, MAX_CHARS)}' is no name for a worktree: at most ${MAX_CHARS} letters, digits, dots, dashes and underscores, in parts separated by /. Write --worktree= to have one made up.`,
    { facts: { name } },
  );
}

export function madeUpName(uuid: string): string {
  return `session-${uuid.slice(0, 8)}`;
}

export function agentWorktreeName(agentId: string): string {
  return checkedName(`agent-${agentId}`);
}

export function isMadeUp(name: string): boolean {
  return MADE_UP.test(name);
}

/** Each worktree has one folder: a nested worktree would be part of the outer one. */
export function folderName(name: string): string {
  return name.replaceAll('/', '+');
}

export function branchName(name: string): string {
  return `worktree-${name}`;
}
