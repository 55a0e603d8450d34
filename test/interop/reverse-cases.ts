import { callbackScript, reachesCallbacks } from './callbacks.ts';
import type { InteropCase } from './case.ts';

/** Our SDK drives the command line of the reference (`npm run interop -- --reference-cli`). */
export const REVERSE_CASES: readonly InteropCase[] = [
  {
    id: 'reverse-callbacks',
    title: 'canUseTool, hooks and tools of the host are reached by an agent that works on behind the first result',
    script: callbackScript('Agent'),
    run: reachesCallbacks,
  },
];
