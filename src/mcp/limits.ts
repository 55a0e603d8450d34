/** What is taken of a server, whatever it sends. docs/mcp.md lists these. */

/** Of one message: far above what a result may reasonably have, far below what would hurt us. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Pages of a list: a server that turns in a circle must not hold up the session. */
export const MAX_PAGES = 100;
/** Tools, prompts or resources, of each kind. */
export const MAX_LISTED = 1000;
/** Of one tool, prompt or resource, as JSON. */
export const MAX_ITEM_CHARS = 256 * 1024;
/** Objects inside each other in one: whoever walks through it must not run out of stack. */
export const MAX_ITEM_DEPTH = 100;
export const MAX_DESCRIPTION_CHARS = 10_000;
/** Requests of a server that are answered at the same time. */
export const MAX_ASKED = 32;
/** Of answers that wait for a server to read them, in bytes: some 20,000 of them. */
export const MAX_UNREAD_BYTES = 1024 * 1024;
/** Answers that are on their way to a remote server at the same time. */
export const MAX_UNSENT = 256;
/** Milliseconds from one reading of a list to the next, however often a server says that it has changed. */
export const RELIST_MS = 500;
