import { type ModelChoice, modelChoices } from '../model/model-choices.ts';
import { formatRule, type Rule } from '../permissions/rules.ts';
import type { HooksListing, ListedRule, PermissionRules } from '../wire/control/index.ts';
import { HEDDLE_VERSION, WIRE_VERSION } from '../wire/version.ts';
import type { Parts } from './parts.ts';
import { ruleOrigin } from './rule-origin.ts';

/** The control requests that list what there is. */

export function listModels({ choice }: Parts): { models: ModelChoice[] } {
  return { models: modelChoices(choice.env, choice.model) };
}

/** `list_permission_rules`: the rules in force now, those of the settings and those of the session. */
export function listPermissionRules({ permissions, workspace, mcp }: Parts): PermissionRules {
  const policy = mcp?.policies.applied(permissions.policy) ?? permissions.policy;
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

/** One that is in a file by now, but holds because the session remembers it, belongs to that file. */
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

/** `get_hooks_listing`: the hooks of this session, and the events that there are. */
export async function getHooksListing({ hooks }: Parts): Promise<HooksListing> {
  const { hooksListing } = await import('./hooks-listing.ts');
  return hooksListing(hooks?.all() ?? []);
}

export function getBinaryVersion(): { version: string; heddle_version: string } {
  return { version: WIRE_VERSION, heddle_version: HEDDLE_VERSION };
}
