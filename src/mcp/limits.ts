/** The limits for everything that a server sends. docs/mcp.md lists these. */

/** For one message: far above any reasonable result, far below a size that would harm the process. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** For the pages of a list: a server whose pages form a circle must not block the session. */
export const MAX_PAGES = 100;
/** For each kind of list: tools, prompts or resources. */
export const MAX_LISTED = 1000;
/** For one tool, prompt or resource, as JSON. */
export const MAX_ITEM_CHARS = 256 * 1024;
/** For the nesting of objects in one item: code that walks through it must not run out of stack. */
export const MAX_ITEM_DEPTH = 100;
export const MAX_DESCRIPTION_CHARS = 10_000;
/** For requests of a server that are answered at the same time. */
export const MAX_ASKED = 32;
/** For answers that the server has not read yet, in bytes: about 20,000 answers. */
export const MAX_UNREAD_BYTES = 1024 * 1024;
/** For answers that are being sent to a remote server at the same time. */
export const MAX_UNSENT = 256;
/** Milliseconds from one reading of a list to the next, however often a server reports a change. */
export const RELIST_MS = 500;
