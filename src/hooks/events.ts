import { basename } from 'node:path';
import type { HookEvent } from '../wire/hooks/hook-inputs.ts';

export interface EventInfo {
  /**
   * The field of the input that matchers test, and that names a run (`PreToolUse:Read`). Absent: matchers are ignored.
   */
  subject?: string;
  /** Only the last part of the field counts, because it is a path. */
  isPath?: true;
  /** The input has the permission mode. */
  hasMode?: true;
  /** Output of a command that is not JSON goes to the model. */
  hasPlainContext?: true;
  /** An objection (exit 2, `decision: "block"`) prevents the event, or makes the model continue. */
  canBlock?: true;
}

const TOOL: EventInfo = { subject: 'tool_name', hasMode: true };

/** Every event of both reference versions. Without schemas, because most sessions with hooks need none. */
const EVENTS: Readonly<Record<HookEvent, EventInfo>> = {
  PreToolUse: { ...TOOL, canBlock: true },
  PostToolUse: { ...TOOL, canBlock: true },
  PostToolUseFailure: { ...TOOL, canBlock: true },
  PostToolBatch: { hasMode: true, canBlock: true },
  PermissionRequest: { ...TOOL, canBlock: true },
  PermissionDenied: TOOL,
  UserPromptSubmit: { hasMode: true, hasPlainContext: true, canBlock: true },
  UserPromptExpansion: { subject: 'command_name', hasMode: true, hasPlainContext: true, canBlock: true },
  SessionStart: { subject: 'source', hasPlainContext: true },
  SessionEnd: { subject: 'reason' },
  Stop: { hasMode: true, canBlock: true },
  StopFailure: { subject: 'error', hasMode: true },
  SubagentStart: { subject: 'agent_type' },
  SubagentStop: { subject: 'agent_type', hasMode: true, canBlock: true },
  PreCompact: { subject: 'trigger', canBlock: true },
  PostCompact: { subject: 'trigger' },
  Notification: { subject: 'notification_type' },
  Setup: { subject: 'trigger', hasPlainContext: true },
  TeammateIdle: { canBlock: true },
  TaskCreated: { canBlock: true },
  TaskCompleted: { canBlock: true },
  PreModelSwitch: { subject: 'to_model', canBlock: true },
  PostModelSwitch: { subject: 'to_model' },
  Elicitation: { subject: 'mcp_server_name', canBlock: true },
  ElicitationResult: { subject: 'mcp_server_name' },
  ConfigChange: { subject: 'source', canBlock: true },
  WorktreeCreate: { canBlock: true },
  WorktreeRemove: {},
  InstructionsLoaded: { subject: 'load_reason' },
  CwdChanged: {},
  FileChanged: { subject: 'file_path', isPath: true },
  DirectoryAdded: {},
  MessageDisplay: {},
};

export const EVENT_NAMES = Object.keys(EVENTS) as HookEvent[];

/** An unknown event has no info. */
export function eventInfo(event: string): EventInfo {
  return Object.hasOwn(EVENTS, event) ? EVENTS[event as HookEvent] : {};
}

export function isKnownEvent(event: string): event is HookEvent {
  return Object.hasOwn(EVENTS, event);
}

/** Whether the event is about a call of a tool. */
export function isCall(event: string): boolean {
  return eventInfo(event).subject === 'tool_name';
}

/** The text that matchers are compared with; undefined when the event has none. */
export function subjectOf(event: string, input: { readonly [key: string]: unknown }): string | undefined {
  const { subject, isPath } = eventInfo(event);
  const value = subject === undefined ? undefined : input[subject];
  if (typeof value !== 'string') return undefined;
  return isPath ? basename(value) : value;
}

/** `PreToolUse:Read`, or the bare event. */
export function runName(event: string, subject: string | undefined): string {
  return subject ? `${event}:${subject}` : event;
}
