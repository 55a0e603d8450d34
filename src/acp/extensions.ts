import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import type { ControlBody } from '../wire/link/peer.ts';
import { AcpError } from './rpc-link.ts';

type Request = (params: JsonObject) => ControlBody;

/** Methods beyond the protocol: the tree of a session, and going back in it. Each is a control request. */
export const EXTENSIONS: ReadonlyMap<string, Request> = new Map<string, Request>([
  [
    '_heddle/session/tree',
    ({ offset, limit }) => ({
      subtype: 'session_tree',
      ...(offset !== undefined && { offset }),
      ...(limit !== undefined && { limit }),
    }),
  ],
  ['_heddle/session/branches', () => ({ subtype: 'branches' })],
  [
    '_heddle/session/switch',
    ({ leaf, restoreFiles, dryRun }) => ({
      ...{ subtype: 'switch_leaf', leaf_uuid: leaf },
      ...{ restore_files: restoreFiles === true, dry_run: dryRun === true },
    }),
  ],
  [
    '_heddle/session/rewind',
    ({ message, dryRun }) => ({ subtype: 'rewind_files', user_message_id: message, dry_run: dryRun === true }),
  ],
  [
    '_heddle/session/explain',
    ({ tool, input }) => ({ subtype: 'explain_permission', tool_name: tool, input: isObject(input) ? input : {} }),
  ],
]);

/** Rejects with the session's reason, as an error about the parameters. */
export async function callExtension(
  method: string,
  params: JsonObject,
  session: { call(request: ControlBody): Promise<JsonObject> },
): Promise<JsonObject> {
  const request = EXTENSIONS.get(method);
  if (!request) throw new AcpError(RPC_ERRORS.unknownMethod, `There is no method ${method}`);
  try {
    return await session.call(request(params));
  } catch (error) {
    const code = isObject(error) ? stringField(error, 'code') : undefined;
    const message = error instanceof Error ? error.message : String(error);
    throw new AcpError(RPC_ERRORS.invalidParams, message, { error_code: code ?? 'invalid_request' });
  }
}

/** The message behind which a prompt continues: edit and resend. */
export function parentOf({ parentUuid }: JsonObject): { parentUuid?: string | null } {
  if (parentUuid === undefined) return {};
  if (parentUuid === null || typeof parentUuid === 'string') return { parentUuid };
  throw new AcpError(RPC_ERRORS.invalidParams, 'parentUuid must be the uuid of a message, or null', {
    error_code: 'invalid_request',
  });
}
