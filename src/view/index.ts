export type * from './blocks.ts';
export type * from './changes.ts';
export { createViewTracker } from './tracker.ts';
export type * from './view.ts';
