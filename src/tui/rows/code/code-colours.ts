import type { Span } from '../row.ts';

/** The colours of code, language by language. */
export interface CodeColours {
  /** Begins a block of code; null for a language that it does not know. */
  begin(language: string): LineColours | null;
}

/** The lines of one block of code, in their order. */
export interface LineColours {
  line(text: string): Span[];
  /** As `line`, for a line that is not complete; nothing changes. */
  peek(text: string): Span[];
}
