/** How long a store may take to load a session. */
export const LOAD_TIMEOUT_MS = 60_000;
