import { join } from 'node:path';
import { directoryPath } from '../../permissions/policy.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { stringField } from '../../util/json.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { reloadExtensions } from '../session/reload-extensions.ts';
import type { MainThread } from '../thread/thread.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/**
 * `register_repo_root`: adds a working directory to this session, and announces it to MCP servers and hooks. Its real path
 * must lie below the directories of the launch, so that nothing becomes reachable that was not before.
 */
export async function registerRepoRoot({ main }: ControlContext, request: ControlBody): Promise<{ directory: string }> {
  const text = stringField(request, 'directory');
  if (!text) throw invalidRequest('directory', 'a path');
  const { workplace, permissions } = main;
  const { workspace } = workplace;
  const { policy } = permissions;
  const real = policy.realPath(directoryPath(text, policy));
  const isDirectory = real !== null && (await workspace.stat(real))?.kind === 'directory';
  if (real === null || !isDirectory) throw refused(text, 'it is no directory');
  if (policy.roots.includes(real)) throw refused(text, 'it is one already');
  if (!workspace.roots.some((root) => real !== root && isInside(root, real))) {
    throw refused(text, 'it does not lie below the directories that the session was started with');
  }
  workplace.registeredRoots.add(real);
  await permissions.apply([{ type: 'addDirectories', directories: [real], destination: 'session' }]);
  await reload(main, request, real);
  return { directory: real };
}

/** Reads what the request asks for again. What counts of a project's files still depends on trust. */
async function reload(main: MainThread, request: ControlBody, directory: string): Promise<void> {
  if (request.reload_claude_md === true) main.conversation.memory.touch([join(directory, 'CLAUDE.md')]);
  if (request.reload_skills !== true && request.reload_plugins !== true) return;
  await reloadExtensions(main);
}

function refused(directory: string, why: string): ControlError {
  return new ControlError(
    `${JSON.stringify(directory)} cannot be added to the working directories: ${why}`,
    'invalid_directory',
  );
}
