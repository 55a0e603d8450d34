import type { JsonObject } from '../util/json.ts';
import type { ClientDependencies, McpClient } from './client.ts';

/** A server and how to reach it. */
export interface ServerDefinition {
  name: string;
  /**
   * `local`, `project`, `user` or `plugin`: the file that defines it. `dynamic`: it came with the launch or a request.
   */
  scope: string;
  /** The origin of the definition: `sdk` for the host's own servers, otherwise the scope. */
  source: string;
  transport: string;
  /** As `mcp_status` shows it: without secrets. */
  config: JsonObject;
  /** How long a call may take, in milliseconds; absent: the limit for all servers. */
  timeoutMs?: number | undefined;
  /** Its tools are never left out of requests. */
  alwaysLoad?: boolean | undefined;
  /** It is not connected until the user or host enables it. */
  isDisabled?: boolean | undefined;
  /** Opens a client that is not initialized yet. Rejects with the reason when that is impossible. */
  open(dependencies: OpenDependencies): McpClient | Promise<McpClient>;
}

export interface OpenDependencies extends ClientDependencies {
  /** To be called when the connection is lost: the server is then reconnected. */
  onLost(reason: Error): void;
}
