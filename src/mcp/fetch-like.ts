/** How remote servers are asked; that of the MCP package, whose types programs that use ours need not have. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;
