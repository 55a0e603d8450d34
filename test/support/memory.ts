import { openMemory } from '../../src/host/extensions/open-memory.ts';
import type { SessionMemory } from '../../src/host/extensions/session-memory.ts';

/** The memory of a directory without settings, in which everything may be read, and what was told of its loading. */
export function memoryIn(cwd: string): { memory: SessionMemory; loaded: unknown[] } {
  const memory = openMemory({
    config: {},
    env: {},
    configHome: null,
    workspace: { cwd, roots: [cwd] } as never,
    readableFilter: async () => () => true,
    excludes: () => [],
    warn: () => {},
  });
  const loaded: unknown[] = [];
  memory.onLoaded((file) => loaded.push(file));
  return { memory, loaded };
}
