import { definePort } from '../port.ts';

/** The files that searches may show. */
export interface SearchPort {
  /**
   * Resolves with a filter for absolute paths: searches leave out the paths that a rule hides. It checks each symlink
   * once, so do not keep it beyond one search.
   */
  readableFilter(): Promise<(path: string) => boolean>;
}

export const searchPort = definePort<SearchPort>('search');
