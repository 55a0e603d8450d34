import { callbackScript, reachesCallbacks } from './callbacks.ts';
import type { InteropCase } from './case.ts';
import { ourPlugin, theirPlugin } from './shared-plugins.ts';

/** Our SDK drives the command line of the reference (`npm run interop -- --reference-cli`). */
export const REVERSE_CASES: readonly InteropCase[] = [
  {
    id: 'reverse-callbacks',
    title: 'canUseTool, hooks and tools of the host are reached by an agent that works on behind the first result',
    script: callbackScript('Agent'),
    run: reachesCallbacks,
  },
  {
    id: 'reverse-plugins-theirs',
    title:
      'a plugin that the reference installed is listed here, waits to be accepted, and is uninstalled here for both',
    run: theirPlugin,
  },
  {
    id: 'reverse-plugins-ours',
    title:
      'a plugin that was installed here is listed, disabled and uninstalled by the reference, with the same fields',
    run: ourPlugin,
  },
];
