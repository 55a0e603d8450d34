import type { GitOperation } from '../../wire/tools/tool-outputs.ts';

/**
 * The git operation of a command that succeeded, for people who watch: read from its words and from git's output. It is
 * only a hint, and no decision depends on it; null when no operation is seen.
 */
export function gitOperation(
  command: string,
  { stdout, stderr }: { stdout: string; stderr: string },
): GitOperation | null {
  const operation: GitOperation = {};
  const picked = says(command, 'git', 'cherry-pick');
  const commit = /^\[(?<branch>[^\]\s]+)(?: \([^)]*\))? (?<sha>[0-9a-f]{7,40})\]/m.exec(stdout)?.groups;
  if (commit?.sha && commit.branch && (picked || says(command, 'git', 'commit'))) {
    const kind = picked ? 'cherry-picked' : /\s--amend\b/.test(command) ? 'amended' : 'committed';
    operation.commit = { sha: commit.sha, kind, ...(commit.branch !== 'detached' && { branch: commit.branch }) };
  }
  const pushed = /^\s*(?:[*+ =-]\s+)?(?:\S+\.\.\.?\S+|\[new branch\])\s+\S+ -> (?<branch>\S+)/m.exec(stderr)?.groups;
  if (pushed?.branch && says(command, 'git', 'push')) operation.push = { branch: pushed.branch };
  const merge = says(command, 'git', 'merge');
  const ref = merge ?? says(command, 'git', 'rebase');
  if (ref) operation.branch = { ref, action: merge ? 'merged' : 'rebased' };
  const request = /https:\/\/\S+\/pull\/(?<number>\d+)/.exec(stdout);
  if (request?.groups?.number && says(command, 'gh', 'pr create') !== null) {
    operation.pr = { number: Number(request.groups.number), url: request[0], action: 'created' };
  }
  return Object.keys(operation).length === 0 ? null : operation;
}

/** The last argument, or the word itself, of a command of this kind; null when no command is. */
function says(command: string, program: string, words: string): string | null {
  const kind = new RegExp(`^${program}\\s(?:.*\\s)?${words.replace(' ', '\\s+')}(?<rest>\\s.*)?$`);
  for (const part of command.split(/[;&|()\n]+/)) {
    const match = kind.exec(part.trim());
    if (!match) continue;
    const args = (match.groups?.rest ?? '').split(/\s+/).filter((word) => /^[\w./@^~]/.test(word));
    return args.at(-1) ?? words;
  }
  return null;
}
