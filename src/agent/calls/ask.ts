import type { Decision } from '../../permissions/decide.ts';
import type { Tool } from '../../tools/tool.ts';
import type { JsonObject } from '../../util/json.ts';
import type { PermissionUpdate } from '../../wire/permissions.ts';

/** Asks the host or the user. Absent in a headless run: every question is then denied at once. */
export type Ask = (request: AskRequest, signal: AbortSignal) => Promise<AskAnswer>;

export interface AskRequest {
  toolName: string;
  input: JsonObject;
  toolUseId: string;
  decision: Extract<Decision, { behavior: 'ask' }>;
  /** The MCP server whose tool it is. */
  server?: Tool['server'];
  /** The agent that wants it; absent on the main thread. */
  agentId?: string;
  /** What the call would change, where the host wants to see that. */
  preview?: JsonObject;
  /** What a command would do, likewise. */
  commandPreview?: JsonObject;
}

export type AskAnswer =
  | { behavior: 'allow'; updatedInput?: JsonObject; updatedPermissions?: PermissionUpdate[] }
  | { behavior: 'deny'; message: string; interrupt?: boolean /** Why a hook ends the turn. */; stopReason?: string };
