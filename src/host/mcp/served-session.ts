import type { Hooks } from '../../hooks/dispatch.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { AskModel } from '../../tools/model-question.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { LoadedSettings } from '../launch/load-settings.ts';
import type { HostLink } from '../link/host-link.ts';
import type { Permissions } from '../permissions/thread-permissions.ts';

/** The parts of a session that its MCP servers use. */
export interface ServedSession {
  id: string;
  runtime: Runtime;
  /** Where servers start, and the directory that project approvals belong to. */
  cwd: string;
  /** Where approvals are saved; null: the session writes no files. */
  home: string | null;
  configuration: { readonly loaded: Pick<LoadedSettings, 'layers'> };
  permissions: Pick<Permissions, 'on'> & { readonly policy: Pick<Policy, 'roots' | 'deny'> };
  link: Pick<HostLink, 'call' | 'send'>;
  hooks: Pick<Lazy<Pick<Hooks, 'fire'>>, 'current'>;
  /** The model that answers the questions of servers. */
  model: { readonly selected: { id: string } };
  askModel: AskModel;
  hideCredentials<T>(value: T): T;
}
