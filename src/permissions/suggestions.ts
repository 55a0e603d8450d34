import { dirname } from 'node:path';
import { isInsideAny } from '../util/files/path-inside.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import { fileCommandTargets } from './commands/judge-command.ts';
import { type Call, scriptOf } from './match-rule.ts';
import { isSearch } from './path-rules.ts';
import type { Policy } from './policy.ts';

/**
 * Updates that would let calls like this one pass without asking, in the order that hosts expect (wire `can_use_tool`).
 */
export function suggestUpdates(call: Call, policy: Policy): PermissionUpdate[] {
  const { access, toolName } = call;
  switch (access.kind) {
    case 'edit':
      return [acceptEdits, ...addDirectories(outside(access.paths, policy).map(dirname))];
    case 'read': {
      const paths = outside(access.paths, policy);
      return addDirectories(isSearch(toolName) ? paths : paths.map(dirname));
    }
    case 'execute':
      return suggestForCommand(call, access.command, policy);
    case 'named':
      return [allowRule(toolName, access.name)];
    case 'other':
      return access.host ? [allowRule(toolName, `domain:${access.host}`)] : [];
    case 'none':
    case 'interaction':
      return [];
  }
}

const acceptEdits: PermissionUpdate = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

function suggestForCommand(call: Call, command: string, policy: Policy): PermissionUpdate[] {
  const targets = fileCommandTargets(scriptOf(call), policy);
  if (targets.length > 0) return [...addDirectories(targets.map(dirname)), acceptEdits];
  const ruleContent = command.trim();
  return ruleContent === '' ? [] : [allowRule(call.toolName, ruleContent)];
}

function allowRule(toolName: string, ruleContent: string): PermissionUpdate {
  return { type: 'addRules', rules: [{ toolName, ruleContent }], behavior: 'allow', destination: 'session' };
}

function addDirectories(directories: readonly string[]): PermissionUpdate[] {
  const unique = [...new Set(directories)];
  return unique.length === 0 ? [] : [{ type: 'addDirectories', directories: unique, destination: 'session' }];
}

function outside(paths: readonly string[], policy: Policy): string[] {
  return paths.filter((path) => {
    const real = policy.realPath(path);
    return real === null || !isInsideAny(policy.roots, real);
  });
}
