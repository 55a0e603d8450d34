/** `heddle`: run an agent and talk to it. Loads no engine code; the agent is a subprocess unless a transport is given. */
export type {
  FlagSettingsResult,
  PermissionExplanation,
  RewindFilesResult,
  SettingsInForce,
} from '../wire/control/index.ts';
export * from '../wire/errors.ts';
export type * from '../wire/messages/index.ts';
export type {
  PermissionBehavior,
  PermissionMode,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdate,
} from '../wire/permissions.ts';
export type { Connect, Launch, RunConfig } from '../wire/run-config.ts';
export type { SandboxSettings } from '../wire/sandbox-settings.ts';
export type { ExitInfo, Transport } from '../wire/transport.ts';
export { HEDDLE_VERSION, PROTOCOL_VERSION, WIRE_VERSION } from '../wire/version.ts';
export type { CanUseTool, Options, SystemPromptOption, ThinkingOption } from './options.ts';
export { type Query, query } from './query.ts';
