import { basename } from 'node:path';
import type { HookEvent } from '../wire/hook-inputs.ts';

export interface EventFacts {
  /** The field of the input that matchers look at, and that names a run (`PreToolUse:Read`). Absent: matchers do not count. */
  subject?: string;
  /** Only the last part of that field counts: it is a path. */
  isPath?: true;
  /** Hooks are told the permission mode (wire.md 10.2). */
  hasMode?: true;
  /** What a command prints without being JSON is for the model. */
  hasPlainContext?: true;
  /** Someone who objects (exit 2, `decision: "block"`) keeps it from happening, or has the model go on. */
  canBlock?: true;
}

const TOOL: EventFacts = { subject: 'tool_name', hasMode: true };

/** Every event of both reference versions (ruling K5). Without schemas: most sessions with hooks need none. */
const EVENTS: Readonly<Record<HookEvent, EventFacts>> = {
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

/** An event of a version that we do not know has no facts. */
export function factsOf(event: string): EventFacts {
  return Object.hasOwn(EVENTS, event) ? EVENTS[event as HookEvent] : {};
}

export function isKnownEvent(event: string): event is HookEvent {
  return Object.hasOwn(EVENTS, event);
}

/** Whether the event is about a call of a tool. */
export function isCall(event: string): boolean {
  return factsOf(event).subject === 'tool_name';
}

/** What matchers are compared with; undefined when the event has nothing of the kind. */
export function subjectOf(event: string, input: { readonly [key: string]: unknown }): string | undefined {
  const { subject, isPath } = factsOf(event);
  const value = subject === undefined ? undefined : input[subject];
  if (typeof value !== 'string') return undefined;
  return isPath ? basename(value) : value;
}

/** `PreToolUse:Read`, or the bare event. */
export function runName(event: string, subject: string | undefined): string {
  return subject ? `${event}:${subject}` : event;
}
