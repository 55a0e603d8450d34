import { isObject } from '../util/json.ts';
import type { CallOptions, ControlBody } from '../wire/link/peer.ts';
import type { McpLink } from './client.ts';

/** Sends a control request to the host; `Peer.call`. */
export type CallHost = (request: ControlBody, options: CallOptions) => Promise<unknown>;

/**
 * Reaches a server in the host's process: each message is an `mcp_message` request, whose answer holds the response.
 */
export function sdkLink(serverName: string, call: CallHost): McpLink {
  const carry = (message: object, options: CallOptions) =>
    call({ subtype: 'mcp_message', server_name: serverName, message }, options);
  return {
    async request(message, signal) {
      const answer = await carry(message, { signal });
      // The id is not checked: the control request already identifies the response.
      if (isObject(answer) && isObject(answer.mcp_response)) return answer.mcp_response;
      throw new Error('The host answered without a response of the server');
    },
    async notify(message) {
      await carry(message, {});
    },
    async close() {},
  };
}
