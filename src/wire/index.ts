/** `heddle/wire`: schemas and types of every line, the framing, and both ends of the protocol. */
export * from './agent-definition.ts';
export * from './api/content.ts';
export * from './api/usage.ts';
export * from './control/index.ts';
export * from './entries.ts';
export * from './errors.ts';
export * from './hooks/hooks.ts';
export { ProcessError, RunError } from './link/exit-errors.ts';
export * from './link/jsonl.ts';
export * from './link/peer.ts';
export type { ExitInfo, Transport } from './link/transport.ts';
export * from './mcp.ts';
export * from './messages/index.ts';
export * from './permissions.ts';
export { firstIssue } from './schema.ts';
export * from './version.ts';
