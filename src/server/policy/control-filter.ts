import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { hostRequests } from '../../wire/control/host-requests.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Scope } from '../ports/tokens.ts';
import { checkMode } from './launch-filter.ts';
import type { LaunchPolicy } from './launch-policy.ts';

const READING = [
  ...['branches', 'explain_permission', 'get_binary_version', 'get_context_usage', 'get_hooks_listing'],
  ...['get_session_cost', 'get_task_output', 'get_usage', 'list_models', 'list_permission_rules', 'mcp_status'],
  ...['session_messages', 'session_tree', 'file_suggestions', 'mcp_list_resources'],
];

const WRITING = [
  ...['initialize', 'interrupt', 'cancel_async_message', 'continue_turn', 'set_model', 'set_permission_mode'],
  ...['set_max_thinking_tokens', 'set_partial_messages', 'background_tasks', 'stop_task', 'rewind_files'],
  ...['rename_session', 'generate_session_title', 'set_color', 'set_has_subscribers', 'reload_skills'],
  ...['reload_plugins', 'reload_output_styles', 'switch_leaf', 'fork_session', 'mcp_reconnect', 'mcp_toggle'],
];

const SCOPES: ReadonlyMap<string, Scope> = new Map([
  ...READING.map((subtype) => [subtype, 'sessions:read'] as const),
  ...WRITING.map((subtype) => [subtype, 'sessions:write'] as const),
]);

/** Fields of `initialize` that name programs, files or settings of the server. */
const KEPT_OF_INITIALIZE = ['agents', 'plugins', 'managedSettings'];

/** Whether the operator may permit it by this name. */
export function isControlName(name: string): boolean {
  return SCOPES.has(name) || KEPT_OF_INITIALIZE.includes(name) || Object.hasOwn(hostRequests, name);
}

/**
 * What the token must allow for this control request. Throws `not_permitted` for requests that would start programs of the
 * server, read its files, or change which rules are in force, unless the policy names them.
 */
export function scopeOfControl(request: JsonObject, policy: LaunchPolicy): Scope {
  const subtype = stringField(request, 'subtype') ?? '';
  const scope = SCOPES.get(subtype);
  if (!scope && !policy.controls?.includes(subtype)) throw notPermitted(`The control request '${subtype}'`, subtype);
  if (subtype === 'set_permission_mode') checkMode(stringField(request, 'mode'), policy);
  if (subtype !== 'initialize') return scope ?? 'sessions:write';
  for (const field of KEPT_OF_INITIALIZE) {
    const isAllowed = request[field] === undefined || policy.controls?.includes(field) === true;
    if (!isAllowed) throw notPermitted(`initialize.${field}`, field);
  }
  return 'sessions:write';
}

/**
 * Checks what an answer to a question would change besides: rules and modes of this session only. Throws
 * `not_permitted`.
 */
export function checkAnswer(answer: JsonObject, policy: LaunchPolicy): void {
  const updates = Array.isArray(answer.updatedPermissions) ? answer.updatedPermissions : [];
  for (const update of updates) {
    if (!isObject(update)) continue;
    if (update.destination !== undefined && update.destination !== 'session') {
      throw notPermitted(
        `A rule for ${String(update.destination)}`,
        'updatedPermissions',
        'Use the destination session.',
      );
    }
    if (update.type === 'addDirectories') throw notPermitted('Another directory', 'updatedPermissions');
    if (update.type === 'setMode') checkMode(stringField(update, 'mode'), policy);
  }
}

/** The same for what a hook of the program that drives decides about a question. */
export function checkHookAnswer(answer: JsonObject, policy: LaunchPolicy): void {
  const specific = isObject(answer.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  if (isObject(specific.decision)) checkAnswer(specific.decision, policy);
}

function notPermitted(what: string, field: string, advice?: string): HeddleError {
  const remedy = advice ?? `The operator can permit it: heddle serve --allow ${field}`;
  return new HeddleError('not_permitted', `${what} is not permitted from the network. ${remedy}`, { facts: { field } });
}
