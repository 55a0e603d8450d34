import { expect, test } from 'vitest';
import { createBashTool } from '../../../src/tools/shell/bash.ts';
import type { ShellSandbox } from '../../../src/tools/shell-sandbox.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { toolServices } from '../../support/tool-services.ts';

const bash = createBashTool({ isReadOnly: () => false, canDetach: true });
const sandbox: ShellSandbox = {
  confines: () => false,
  inside: async () => {
    throw new Error('not here');
  },
  explain: () => '',
  outside: (env) => env,
  beside: (env) => env,
};

test('detach is refused where a sandbox is in force, also for what would run outside of it', async () => {
  const context = { service: toolServices({ shell: { sandbox } }) } as unknown as ToolContext;
  const call = { command: 'true', run_in_background: true, detach: true };
  await expect(bash.prepare?.(call, context)).rejects.toThrow(/cannot run where a sandbox is in force/);
  await expect(bash.prepare?.({ ...call, detach: false }, context)).resolves.toBeDefined();
});

test('detach is refused without run_in_background', async () => {
  const context = { service: toolServices() } as unknown as ToolContext;
  await expect(bash.prepare?.({ command: 'true', detach: true }, context)).rejects.toThrow(
    /only with run_in_background/,
  );
});

test('the field is there only where it was allowed', () => {
  const names = (options: { canDetach?: boolean }) => {
    const { json } = createBashTool({ isReadOnly: () => false, ...options }).input;
    return Object.keys(json.properties as object);
  };
  expect(names({ canDetach: true })).toContain('detach');
  expect(names({})).not.toContain('detach');
});
