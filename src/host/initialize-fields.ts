import { slipIn } from '../util/checks.ts';
import { isObject, stringField } from '../util/json.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import { DIALECTS } from '../wire/dialect.ts';
import { HeddleError, toHeddleError } from '../wire/errors.ts';
import { HOOK_EVENTS } from '../wire/hook-events.ts';
import type { ControlBody } from '../wire/peer.ts';
import { currentToolName } from '../wire/tool-names.ts';
import { pluginsApplied } from './initialize-answer.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Parts } from './parts.ts';
import { promptBlocks } from './prompt-blocks.ts';
import type { SessionSettings } from './session-settings.ts';
import { noteUnsupportedFields } from './unsupported.ts';

/** What an `initialize` request asks of a session, but for servers and a schema. Rejects when it cannot be had. */
export async function useFields(parts: Parts, request: ControlBody): Promise<void> {
  noteUnsupportedFields(request, parts.runtime.log);
  notePlugins(parts, request);
  refuseUnknownDialect(request);
  Object.assign(parts.settings, settingsIn(request));
  useTitle(parts, request);
  await useTools(parts, request);
  noteAliases(parts);
  await useHooks(parts, request);
  await useExtensions(parts, request);
}

/** What the host says itself counts for more than the version of its SDK (ruling K46). */
export function useDialect(parts: Parts, { clientDialect }: ControlBody): void {
  parts.dialect = DIALECTS.find((known) => known === clientDialect) ?? parts.dialect;
}

function refuseUnknownDialect({ clientDialect }: ControlBody): void {
  if (clientDialect === undefined || clientDialect === null) return;
  if (!DIALECTS.some((known) => known === clientDialect)) throw invalidRequest('clientDialect', DIALECTS.join(' or '));
}

/** They are part of the launch, and cannot come later this way. */
function notePlugins(parts: Parts, { plugins }: ControlBody): void {
  if (pluginsApplied(parts, plugins).plugins_applied !== false) return;
  const how = 'start the agent with --await-initialize or --plugin-dir, or add them with reload_plugins';
  parts.runtime.log('warn', `Not all plugins of initialize are loaded: ${how}`);
}

/** The servers that live in the host's program, and those that were configured. */
export async function startServers(parts: Parts, request: ControlBody): Promise<void> {
  const isNamingSome = Array.isArray(request.sdkMcpServers) && request.sdkMcpServers.length > 0;
  await (isNamingSome ? await parts.openMcp() : parts.mcp)?.start(request);
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

function isPrompt(given: unknown): given is string | unknown[] {
  return typeof given === 'string' || Array.isArray(given);
}

/** Newer SDKs send a list of texts; blocks as the API knows them are understood, too. */
function blocksIn(given: string | unknown[]): string[] {
  return [given].flat().map((part) => (isObject(part) ? (stringField(part, 'text') ?? '') : String(part)));
}

function aliasesIn(given: unknown): ReadonlyMap<string, string> {
  const entries = isObject(given) ? Object.entries(given) : null;
  const isFine = entries?.every((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '');
  if (!entries || !isFine) throw invalidRequest('toolAliases', 'an object of names of tools');
  return new Map(entries as [string, string][]);
}

/** What stands behind another name may still come, with a server; what is of no server is there or is not. */
function noteAliases({ settings, tools, warnOnce }: Parts): void {
  for (const [name, target] of settings.toolAliases ?? []) {
    if (target.startsWith('mcp__') || tools.get(currentToolName(target)) !== undefined) continue;
    warnOnce(printable(`toolAliases: ${name} is to be ${target}, and there is no such tool`));
  }
}

/** A new session gets the title with its first message; one that is gone on with keeps its own. */
function useTitle(parts: Parts, request: ControlBody): void {
  const title = stringField(request, 'title')?.trim();
  if (title && parts.messages.length === 0) parts.title ??= title;
}

/** Tools that the host runs. What makes tools of them is loaded where there are some. */
async function useTools(parts: Parts, { hostTools }: ControlBody): Promise<void> {
  if (hostTools === undefined || hostTools === null || (Array.isArray(hostTools) && hostTools.length === 0)) return;
  await (await import('./host-tools.ts')).useHostTools(parts, hostTools);
}

/** Functions of the host, by their ids. The next turn waits for them: no hook, no protection. */
async function useHooks(parts: Parts, { hooks }: ControlBody): Promise<void> {
  if (hooks === undefined || hooks === null || (isObject(hooks) && Object.keys(hooks).length === 0)) return;
  const slip = slipIn(hooks, HOOK_EVENTS);
  if (slip) throw new HeddleError('invalid_option', `initialize.hooks ${slip.says}`, { facts: { option: 'hooks' } });
  try {
    (await parts.openHooks()).add(hooks, { scope: 'host', where: 'the host' });
  } catch (error) {
    const { code, message } = toHeddleError(error);
    throw new HeddleError(code, `The hooks could not be loaded: ${message}`, { cause: error });
  }
}

/** The agents that the host defines, what it wants to hear of them, and the skills that it wants the model to have. */
async function useExtensions(parts: Parts, request: ControlBody): Promise<void> {
  const { agents, skills, forwardSubagentText, perTaskStopAffordance } = request;
  if (forwardSubagentText === true) parts.forwardsAgentText = true;
  if (perTaskStopAffordance === true) parts.interruptSparesTasks = true;
  if (isObject(agents)) await parts.setHostAgents(agents);
  if (!Array.isArray(skills)) return;
  parts.enabledSkills = skills.filter((name) => typeof name === 'string');
  const known = parts.extensions.skills.map(({ name }) => name);
  for (const name of parts.enabledSkills.filter((each) => !known.includes(each))) {
    const meant = nearestWord(name, known);
    const hint = meant === null ? '' : `. Did you mean ${meant}?`;
    parts.warnOnce(printable(`skills names ${name}, and there is no such skill here${hint}`));
  }
}
