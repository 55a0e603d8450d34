import { join } from 'node:path';
import { isInside } from '../permissions/paths.ts';
import { directoryPath } from '../permissions/policy.ts';
import { stringField } from '../util/json.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Parts } from './parts.ts';

/**
 * Makes a directory one of those that are worked in, for this session: MCP servers and hooks hear of it. Only one that lies
 * below those of the launch, by its real path, so that nothing becomes reachable that was not before.
 */
export async function registerRepoRoot(parts: Parts, request: ControlBody): Promise<{ directory: string }> {
  const text = stringField(request, 'directory');
  if (!text) throw invalidRequest('directory', 'a path');
  const { workspace, permissions } = parts;
  const { policy } = permissions;
  const real = policy.realPath(directoryPath(text, policy));
  const isDirectory = real !== null && (await workspace.stat(real))?.kind === 'directory';
  if (real === null || !isDirectory) throw refused(text, 'it is no directory');
  if (policy.roots.includes(real)) throw refused(text, 'it is one already');
  if (!workspace.roots.some((root) => real !== root && isInside(root, real))) {
    throw refused(text, 'it does not lie below the directories that the session was started with');
  }
  parts.registeredRoots.add(real);
  await permissions.apply([{ type: 'addDirectories', directories: [real], destination: 'session' }]);
  await reload(parts, request, real);
  return { directory: real };
}

/** What the request wants to be read again. What a project may say is still a matter of trust. */
async function reload(parts: Parts, request: ControlBody, directory: string): Promise<void> {
  if (request.reload_claude_md === true) parts.memory.touch([join(directory, 'CLAUDE.md')]);
  if (request.reload_skills !== true && request.reload_plugins !== true) return;
  const { reloadSkills } = await import('./reload-control.ts');
  await reloadSkills(parts);
}

function refused(directory: string, why: string): ControlError {
  return new ControlError(
    `${JSON.stringify(directory)} cannot be added to the working directories: ${why}`,
    'invalid_directory',
  );
}
