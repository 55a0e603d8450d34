export type * from './blocks.ts';
export type * from './changes.ts';
export type * from './view.ts';
