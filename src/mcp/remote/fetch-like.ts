/**
 * The fetch function for remote servers. Same as the type of the MCP package, which users of Heddle's types need not
 * install.
 */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;
