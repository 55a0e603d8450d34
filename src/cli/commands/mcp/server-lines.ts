import type { AdminServer, Reached } from '../../../admin/servers.ts';
import { printable } from '../../../util/text/printable.ts';

/**
 * The lines of `mcp list` and `mcp get` are those of the reference 2.1.44, because programs read them: `NAME: TARGET -
 * STATUS`, with the reason of a failure after a dash, as in later versions. Marks and words must match exactly.
 */
export const CHECKING = 'Checking MCP server health...';
export const NO_SERVERS = 'No MCP servers configured. Use `heddle mcp add` to add a server.';

/** The part of a configuration by which a person recognises a server: the command or the address. */
export function targetOf({ config: { type, command, args, url } }: AdminServer): string {
  const words = type === 'stdio' ? [command, ...(Array.isArray(args) ? args : [])] : [url, `(${kindOf(type)})`];
  return printable(words.map(String).join(' '));
}

function kindOf(type: unknown): string {
  return String(type).toUpperCase();
}

/** Followed by the reason, where there is one. */
export function statusAndReason(reached: Reached | null): string {
  const reason = reasonOf(reached);
  return reason === null ? statusText(reached) : `${statusText(reached)} — ${reason}`;
}

/** Why a server that should be connected is not; null for others. */
export function reasonOf(reached: Reached | null): string | null {
  const isRefused = reached?.status === 'failed' || reached?.status === 'denied';
  return (isRefused && printable(reached.error ?? '')) || null;
}

/** Null: the server was not contacted. */
export function statusText(reached: Reached | null): string {
  if (!reached) return 'Not checked';
  switch (reached.status) {
    case 'connected':
      return '✓ Connected';
    case 'failed':
      return '✗ Failed to connect';
    case 'needs-auth':
      return '⚠ Needs authentication';
    case 'untrusted':
      return '⏸ Pending approval (run `heddle trust` to approve)';
    case 'disabled':
      return '⏸ Disabled (by settings)';
    case 'denied':
      return '✗ Rejected';
    default:
      return reached.status satisfies never;
  }
}

/** Null for a server that would be connected. */
export function unreached({ idle }: AdminServer): Reached | null {
  return idle && { status: idle.status, error: idle.reason, tools: [], stderr: '' };
}
