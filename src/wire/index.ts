/** The public face of `heddle/wire`: schemas and types of every line, the framing, and both ends of the protocol. */
export * from './agent-definition.ts';
export * from './content.ts';
export * from './control/index.ts';
export * from './entries.ts';
export * from './errors.ts';
export { ProcessError, RunError } from './exit-errors.ts';
export * from './hooks.ts';
export * from './jsonl.ts';
export * from './mcp.ts';
export * from './messages/index.ts';
export * from './peer.ts';
export * from './permissions.ts';
export { firstIssue } from './schema.ts';
export type { ExitInfo, Transport } from './transport.ts';
export * from './usage.ts';
export * from './version.ts';
