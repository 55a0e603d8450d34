import { isDeepStrictEqual } from 'node:util';
import { slipIn } from '../../util/checks.ts';
import { isObject, stringField } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import type { initializeFields } from '../../wire/control/initialize.ts';
import { DIALECTS } from '../../wire/dialect.ts';
import { HeddleError, toHeddleError } from '../../wire/errors.ts';
import { HOOK_EVENTS } from '../../wire/hooks/hook-events.ts';
import type { ControlBody, RequestContext } from '../../wire/link/peer.ts';
import { currentToolName } from '../../wire/tools/tool-names.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { promptBlocks } from '../launch/system-prompt.ts';
import type { HostPreferences } from '../link/host-preferences.ts';
import type { SessionSettings } from '../models/model-settings.ts';
import type { SessionServices } from '../thread/services.ts';
import type { MainThread } from '../thread/thread.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';
import { initializeAnswer, pluginsApplied } from './initialize-answer.ts';

/** Applies an `initialize` request, except its servers and its schema. Rejects when a field cannot be applied. */
export async function useFields(main: MainThread, request: ControlBody): Promise<void> {
  noteUnsupportedFields(request, main.services.runtime.log);
  notePlugins(main, request);
  refuseUnknownDialect(request);
  main.model.change(settingsIn(request));
  useTitle(main.conversation, request);
  await useTools(main, request);
  noteAliases(main);
  await useHooks(main, request);
  await useExtensions(main.services, request);
}

/** Warns of fields that ask for something and have no effect, so that none is ignored silently. */
function noteUnsupportedFields(request: ControlBody, log: Logger): void {
  for (const field of FIELDS_NOT_YET) {
    if (!asksForSomething(request[field])) continue;
    log('warn', `initialize.${field} has no effect in this version and was ignored`);
  }
}

const FIELDS_NOT_YET: readonly (keyof ReturnType<typeof initializeFields>)[] = [
  'agentProgressSummaries',
  'promptSuggestions',
];

function asksForSomething(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** The dialect that the host names wins over the one of its SDK's version. */
export function useDialect(preferences: HostPreferences, { clientDialect }: ControlBody): void {
  preferences.dialect = DIALECTS.find((known) => known === clientDialect) ?? preferences.dialect;
}

function refuseUnknownDialect({ clientDialect }: ControlBody): void {
  if (clientDialect === undefined || clientDialect === null) return;
  if (!DIALECTS.some((known) => known === clientDialect)) throw invalidRequest('clientDialect', DIALECTS.join(' or '));
}

/** Plugins are part of the launch: an `initialize` after it cannot add them. */
function notePlugins(main: MainThread, { plugins }: ControlBody): void {
  if (pluginsApplied(main, plugins).plugins_applied !== false) return;
  const how = 'start the agent with --await-initialize or --plugin-dir, or add them with reload_plugins';
  main.services.runtime.log('warn', `Not all plugins of initialize are loaded: ${how}`);
}

/** Starts the servers that live in the host's program, and those that were configured. */
export async function startServers({ services: { mcp } }: MainThread, request: ControlBody): Promise<void> {
  const isNamingSome = Array.isArray(request.sdkMcpServers) && request.sdkMcpServers.length > 0;
  await (isNamingSome ? await mcp.open() : mcp.current)?.start(request);
}

function settingsIn(request: ControlBody): SessionSettings {
  const { systemPrompt, appendSystemPrompt, toolAliases } = request;
  const instructions = stringField(request, 'planModeInstructions')?.trim();
  return {
    ...(isPrompt(systemPrompt) && { sharedBlocks: undefined, ...promptBlocks(blocksIn(systemPrompt)) }),
    ...(isPrompt(appendSystemPrompt) && { appendSystemPrompt: blocksIn(appendSystemPrompt).join('\n') }),
    ...(toolAliases !== undefined && toolAliases !== null && { toolAliases: aliasesIn(toolAliases) }),
    ...(instructions && { planModeInstructions: instructions }),
  };
}

function isPrompt(raw: unknown): raw is string | unknown[] {
  return typeof raw === 'string' || Array.isArray(raw);
}

/** Newer SDKs send a list of texts. Blocks in the form of the API are understood, too. */
function blocksIn(prompt: string | unknown[]): string[] {
  return [prompt].flat().map((part) => (isObject(part) ? (stringField(part, 'text') ?? '') : String(part)));
}

function aliasesIn(raw: unknown): ReadonlyMap<string, string> {
  const entries = isObject(raw) ? Object.entries(raw) : null;
  const isFine = entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '');
  if (!entries || !isFine) throw invalidRequest('toolAliases', 'an object of names of tools');
  return new Map(entries as [string, string][]);
}

/** Warns of aliases for tools that do not exist. A tool of a server may still come. */
function noteAliases({ model, toolbox, services }: MainThread): void {
  for (const [name, target] of model.settings.toolAliases ?? []) {
    if (target.startsWith('mcp__') || toolbox.registry.get(currentToolName(target)) !== undefined) continue;
    services.warnOnce(printable(`toolAliases: ${name} is to be ${target}, and there is no such tool`));
  }
}

/** A new session gets the title with its first message. A resumed session keeps its own. */
function useTitle(conversation: Conversation, request: ControlBody): void {
  const title = stringField(request, 'title')?.trim();
  if (title && conversation.messages.length === 0) conversation.title.pending ??= title;
}

/** Adds the tools that the host runs. The code for them is loaded late, because it needs schemas. */
async function useTools(main: MainThread, { hostTools }: ControlBody): Promise<void> {
  if (hostTools === undefined || hostTools === null || (Array.isArray(hostTools) && hostTools.length === 0)) return;
  await (await import('./host-tools.ts')).useHostTools(main, hostTools);
}

/** Adds functions of the host as hooks. The next turn waits for them, because hooks may be protections. */
async function useHooks(main: MainThread, { hooks }: ControlBody): Promise<void> {
  if (hooks === undefined || hooks === null || (isObject(hooks) && Object.keys(hooks).length === 0)) return;
  const slip = slipIn(hooks, HOOK_EVENTS);
  if (slip) throw new HeddleError('invalid_option', `initialize.hooks ${slip.says}`, { facts: { option: 'hooks' } });
  try {
    (await main.hooks.open()).add(hooks, { scope: 'host', where: 'the host' });
  } catch (error) {
    const { code, message } = toHeddleError(error);
    throw new HeddleError(code, `The hooks could not be loaded: ${message}`, { cause: error });
  }
}

/** Applies the agents that the host defines, what it reads of them, and the skills that it enables. */
async function useExtensions(services: SessionServices, request: ControlBody): Promise<void> {
  const { agents, skills, forwardSubagentText, perTaskStopAffordance, permissionPreviews } = request;
  const { preferences, agents: service, extensions, warnOnce } = services;
  if (permissionPreviews === true) preferences.previews = true;
  if (forwardSubagentText === true) preferences.forwardsAgentText = true;
  if (perTaskStopAffordance === true) preferences.interruptSparesTasks = true;
  if (isObject(agents)) await service.define(agents);
  if (!Array.isArray(skills)) return;
  const enabled = skills.filter((name) => typeof name === 'string');
  extensions.enableSkills(enabled);
  const known = extensions.current.skills.map(({ name }) => name);
  for (const name of enabled.filter((each) => !known.includes(each))) {
    const meant = nearestWord(name, known);
    const hint = meant === null ? '' : `. Did you mean ${meant}?`;
    warnOnce(printable(`skills names ${name}, and there is no such skill here${hint}`));
  }
}

/**
 * Answers an `initialize` after the first one with the current state and the questions that are still open. It changes
 * nothing: hooks of the host are protections, and a host that has restarted may not know them all. `hooks_applied` says
 * whether the hooks of the request are those in force.
 */
export function initializeAgain(
  context: ControlContext,
  { first, request }: { first: ControlBody; request: ControlBody },
  { beside }: RequestContext,
): Record<string, unknown> {
  beside({ pending_elicitation_requests: context.services.link.pending('elicitation') });
  const { hooks, sdkMcpServers, sdkMcpServerManifests } = request;
  const named = Array.isArray(sdkMcpServers) ? sdkMcpServers : [];
  const manifests = isObject(sdkMcpServerManifests) ? Object.keys(sdkMcpServerManifests) : [];
  const known = Array.isArray(first.sdkMcpServers) ? first.sdkMcpServers : [];
  const parked = manifests
    .filter((name) => named.includes(name))
    .map((name) => [name, known.includes(name) ? 'already_connected' : 'not_honoured']);
  return {
    ...initializeAnswer(context, request),
    ...(isObject(hooks) && { hooks_applied: isDeepStrictEqual(hooks, first.hooks) }),
    ...(parked.length > 0 && { sdk_mcp_manifests_parked: Object.fromEntries(parked) }),
  };
}
