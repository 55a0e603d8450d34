import type { ToolSession } from '../../src/tools/tool-session.ts';
import type { PermissionMode } from '../../src/wire/permission-modes.ts';

/** What tools share in a session where everything may be read and nobody answers. */
export function toolSession(changes: Partial<ToolSession> = {}): ToolSession {
  let mode: PermissionMode = 'default';
  return {
    id: '5e551000-0000-4000-8000-000000000000',
    mayRead: () => true,
    mode: {
      current: () => mode,
      beforePlan: () => 'default',
      set: async (next) => {
        mode = next;
      },
    },
    planFile: () => null,
    ask: async () => {
      throw new Error('no model here');
    },
    ...changes,
  };
}
