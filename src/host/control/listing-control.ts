import { EVENT_NAMES, eventInfo } from '../../hooks/events.ts';
import { hookLabel } from '../../hooks/hook.ts';
import { type ModelChoice, modelChoices } from '../../model/model-choices.ts';
import { ruleOrigin } from '../../permissions/rule-origin.ts';
import { formatRule, type Rule } from '../../permissions/rules.ts';
import type { HooksListing, ListedRule, PermissionRules } from '../../wire/control/index.ts';
import { HEDDLE_VERSION, WIRE_VERSION } from '../../wire/version.ts';
import type { ControlContext } from './control-handler.ts';

/** The control requests that list models, rules and hooks. */

export function listModels({ services }: ControlContext): { models: ModelChoice[] } {
  const { choice } = services.models;
  return { models: modelChoices(choice.env, choice.model) };
}

/** `list_permission_rules`: the rules in force now, from the settings and from the session. */
export function listPermissionRules({ main, services }: ControlContext): PermissionRules {
  const { permissions } = main;
  const { workspace } = main.workplace;
  const policy = services.mcp.current?.policies.applied(permissions.policy) ?? permissions.policy;
  const launched = workspace.roots;
  const listed = (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    policy[behavior].map((rule) => toListedRule(rule, behavior)),
  );
  return {
    state: {
      rules: listed,
      workspaceDirectories: policy.roots
        .filter((root) => root !== policy.cwd)
        .map((path) => ({ path, source: launched.includes(path) ? 'cliArg' : 'session' })),
      originalCwd: workspace.cwd,
      managedOnly: false,
    },
  };
}

function toListedRule(rule: Rule, behavior: ListedRule['behavior']): ListedRule {
  const { toolName, ruleContent } = rule;
  const source = sourceOf(rule);
  return {
    behavior,
    toolName,
    ...(ruleContent !== undefined && { ruleContent }),
    rule: formatRule(rule),
    source,
    editability: EDITABILITY[source] ?? 'readonly',
    where: ruleOrigin(rule),
  };
}

/** A rule that the session remembers, and that is in a file by now, belongs to that file. */
function sourceOf({ source = 'session' }: Rule): ListedRule['source'] {
  return source.replace(/^kept:/, '') as ListedRule['source'];
}

const EDITABILITY: Partial<Record<ListedRule['source'], ListedRule['editability']>> = {
  userSettings: 'persistent',
  projectSettings: 'persistent',
  localSettings: 'persistent',
  cliArg: 'session',
  session: 'session',
};

/** `get_hooks_listing`: the hooks of this session, and all events. */
export function getHooksListing({ main }: ControlContext): HooksListing {
  const hooks = main.hooks.current?.all() ?? [];
  return {
    events: [...new Set(hooks.map(({ event }) => event))],
    hooks: hooks.map((hook) => ({
      event: hook.event,
      matcher: hook.matcher,
      type: hook.kind,
      [hook.kind]: hook.kind === 'callback' ? hook.callbackId : hookLabel(hook),
      timeout: hook.timeoutMs / 1000,
      source: hook.source.scope,
      where: hook.source.where,
    })),
    eventCatalog: EVENT_NAMES.map((name) => ({ name, supportsMatcher: eventInfo(name).subject !== undefined })),
  };
}

export function getBinaryVersion(): { version: string; heddle_version: string } {
  return { version: WIRE_VERSION, heddle_version: HEDDLE_VERSION };
}
