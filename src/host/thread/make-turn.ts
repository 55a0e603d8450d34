import type { Ask, AskRequest } from '../../agent/calls/ask.ts';
import { createGate } from '../../agent/calls/gate.ts';
import { OVERLOADS_BEFORE_FALLBACK } from '../../agent/fallback.ts';
import type { Fallback, Tally, Turn } from '../../agent/turn.ts';
import type { Gate } from '../../agent/turn-tools.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import { type RequestingThread, requestSettings } from '../models/request-settings.ts';
import type { Thread } from './thread.ts';

/** The services of the session that a turn needs. */
export interface TurnDependencies {
  send(message: Message): Promise<void> | undefined;
  takeQueued(): Promise<Message[]>;
}

/** A turn of the main thread or of an agent, from the settings in force now. */
export function makeTurn(thread: Thread, tally: Tally, asked: ContentBlock[], dependencies: TurnDependencies): Turn {
  const { services, identity, conversation, model, toolbox, budget, hooks, scope } = thread;
  const { runtime, preferences, options } = services;
  const { fallbacks } = model;
  const ofConversation = conversation.forTurn();
  const isMain = identity.agent === null;
  const calls = { registry: toolbox.registry, gate: gateOf(thread) };
  const stamp = inputStamp(isMain && preferences.dialect === '2.1.325', tally);
  const sayPartial = (line: Message) => dependencies.send(stamp(line));
  const turn: Turn = {
    runtime,
    sessionId: services.id,
    parentToolUseId: identity.agent?.toolUseId ?? null,
    ...candidate(thread, scope.model ?? model.selected, fallbacks[0]),
    fallbacks: fallbacks.map((each, at) => candidate(thread, each, fallbacks[at + 1])),
    conversation: {
      ...ofConversation,
      async record(message, details) {
        const recorded = await ofConversation.record(message, details);
        return recorded.type === 'assistant' ? stamp(recorded) : recorded;
      },
    },
    asked,
    get partial() {
      return isMain && preferences.partials ? sayPartial : null; // a host may ask for it during the turn
    },
    tools: {
      ...(services.telemetry?.calls(calls) ?? calls),
      aliases: model.settings.toolAliases,
      ordered: options.ordered,
      context: (toolUseId, signal) => thread.toolContext(toolUseId, signal),
      hideCredentials: services.hideCredentials,
      progressMs: options.progressMs,
    },
    get hooks() {
      return hooks.current; // a skill may bring the first ones
    },
    limits: budget.limits,
    ledger: budget.ledger,
    tally,
    structured: toolbox.output?.begin() ?? null,
    summaries: isMain && options.toolUseSummaries,
    mentionsToday: preferences.dialect === '2.1.325',
    async takeQueued() {
      await conversation.attachPending();
      return dependencies.takeQueued();
    },
    beforeStop: async (again, signal) => (await hooks.current?.beforeStop(again, signal)) ?? { kind: 'stop' },
  };
  scope.turn = turn;
  return turn;
}

/** `ask`: answers the questions, instead of the session's host. */
export function gateOf(thread: Thread, ask: () => Ask | null = () => askerOf(thread)): Gate {
  const { services, workplace, permissions, conversation, hooks } = thread;
  return createGate({
    workspace: workplace.workspace,
    policy: () => permissions.inForce(),
    ask,
    async onUpdates(updates) {
      await permissions.apply(updates);
      await services.mcp.current?.policies.approvals.remember(updates);
    },
    onFileAccess(paths) {
      workplace.plan.ensureName();
      conversation.memory.touch(paths);
    },
    hooks: () => hooks.current,
  });
}

/** Adds the agent and a preview to a permission question, and why an approved tool needs another approval. */
function askerOf(thread: Thread): Ask | null {
  const { ask, services } = thread;
  const { agent } = thread.identity;
  const mcp = services.mcp.current;
  const { previews } = services.preferences;
  if (!ask || !(agent || mcp || previews)) return ask;
  return async (request, signal) => {
    const explained = mcp?.policies.approvals.explained(request) ?? request;
    const preview = previews ? await previewFor(thread, request, signal) : {};
    return ask({ ...explained, ...(agent && { agentId: agent.id }), ...preview }, signal);
  };
}

/** With the first question of a host that wants previews. */
async function previewFor(
  thread: Thread,
  { toolName, input, toolUseId }: AskRequest,
  signal: AbortSignal,
): Promise<Pick<AskRequest, 'preview' | 'commandPreview'>> {
  const tool = thread.toolbox.registry.get(toolName);
  if (!tool) return {};
  const { callPreview, commandPreview } = await import('../link/read-permission-answer.ts');
  if (tool.name === 'Bash') {
    const { permissions, workplace } = thread;
    const isSandboxed = workplace.sandbox.info().enabled;
    return { commandPreview: await commandPreview(input, { policy: permissions.inForce(), isSandboxed }) };
  }
  const preview = await callPreview(tool, input, thread.toolContext(toolUseId, signal));
  return preview ? { preview } : {};
}

/** A model that has a fallback gets fewer retries when it is overloaded, so that the fallback answers sooner. */
function candidate(thread: Thread, selected: SelectedModel, next: SelectedModel | undefined): Fallback {
  const limit = next && { overloadLimit: OVERLOADS_BEFORE_FALLBACK };
  return { model: selected.model, request: { ...requestSettings(requestingIn(thread), selected), ...limit } };
}

/** The parts of a thread that the settings of a request are made from. */
export function requestingIn({ model, identity, services, toolbox }: Thread): RequestingThread {
  const { extensions, warnOnce } = services;
  return { model, role: identity.role, style: extensions.current.style, tools: toolbox.registry, warnOnce };
}

/**
 * Adds to the first line of each type which messages the turn answers, so that a host need not wait for the result.
 * `isOn`: whether the host reads this field.
 */
function inputStamp(isOn: boolean, { userMessageUuids }: Tally) {
  const stamped = new Set<Message['type']>();
  return <Line extends Message>(line: Line): Line => {
    const [first] = userMessageUuids;
    if (!isOn || first === undefined || stamped.has(line.type)) return line;
    stamped.add(line.type);
    return { ...line, user_message_uuid: first, user_message_uuids: [...userMessageUuids] };
  };
}
