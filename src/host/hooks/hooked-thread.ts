import type { Ledger } from '../../agent/ledger.ts';
import type { EventRecorder } from '../../agent/messages/event-recorder.ts';
import type { HookPort } from '../../hooks/ask-hook.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { BackgroundTasks } from '../../tools/background/background-tasks.ts';
import type { AskModel } from '../../tools/model-question.ts';
import type { Registry } from '../../tools/registry.ts';
import type { ShellDirectory } from '../../tools/shell/shell-directory.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { TurnTriggers } from '../background/turn-triggers.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { Telemetry } from '../engine/telemetry.ts';
import type { SessionMemory } from '../extensions/session-memory.ts';
import type { TurnScope } from '../extensions/turn-scope.ts';
import type { Configuration } from '../launch/configuration.ts';
import type { HostLink } from '../link/host-link.ts';
import type { HostPreferences } from '../link/host-preferences.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import type { ModelSettings } from '../models/model-settings.ts';
import type { SessionSandbox } from '../permissions/session-sandbox.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';
import type { OpenTranscript } from '../resume/open-transcript.ts';

/** The parts of the main thread that hooks use: what events report, and what the answers of hooks change. */
export interface HookedThread {
  readonly services: HookedServices;
  readonly identity: { readonly role: { name: string } | null };
  readonly conversation: HookedConversation;
  readonly model: Pick<ModelSettings, 'selected' | 'effort'>;
  readonly scope: Pick<TurnScope, 'model'>;
  readonly permissions: Pick<Permissions, 'policy' | 'inForce'>;
  readonly workplace: HookedWorkplace;
  readonly toolbox: { readonly registry: Registry };
  readonly budget: { readonly ledger: Ledger };
  readonly askModel: AskModel;
  toolContext(toolUseId: string, signal: AbortSignal): ToolContext;
}

export interface HookedServices {
  readonly id: string;
  readonly runtime: Runtime;
  readonly preferences: Pick<HostPreferences, 'dialect'>;
  readonly link: Pick<HostLink, 'call' | 'send'>;
  readonly triggers: Pick<TurnTriggers, 'wake'>;
  readonly configuration: Pick<Configuration, 'loaded'>;
  readonly mcp: Lazy<SessionMcp>;
  readonly agents: { readonly team: { name(): string | null } | null };
  readonly background: { readonly tasks: Pick<BackgroundTasks, 'pending'> };
  readonly telemetry: Telemetry | null;
  readonly hideCredentials: <T>(value: T) => T;
  readonly warnOnce: (text: string) => void;
}

export interface HookedConversation {
  readonly transcript: Pick<OpenTranscript, 'key' | 'isSaved' | 'isResumed' | 'forkedFrom' | 'answeredAt'>;
  readonly events: Pick<EventRecorder, 'system' | 'progress'>;
  readonly messages: readonly ApiMessage[];
  readonly window: { readonly tokens: number };
  readonly memory: Pick<SessionMemory, 'onLoaded'>;
  /** `pending` is recorded with the next prompt. */
  readonly title: { pending: string | null; readonly inForce: string | null };
}

export interface HookedWorkplace {
  readonly workspace: Workspace;
  readonly sandbox: Pick<SessionSandbox, 'shell'>;
  readonly shell: Pick<ShellDirectory, 'current'>;
  readonly registeredRoots: ReadonlySet<string>;
}

/** Actions of hooks in folders that import hooks, so that these folders hand the functions in. */
export interface HookActions {
  /** Lets an agent answer the question of a hook. */
  askAgent: NonNullable<HookPort['askAgent']>;
  /** Reads the skills again, because a hook has asked for it. */
  reloadSkills(): Promise<unknown>;
  /** Reports to PostModelSwitch hooks that a fallback answers now. */
  announceFallback(change: { from: string; to: string }): Promise<void>;
}
