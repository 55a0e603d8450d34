import type { Gate } from '../../agent/gate.ts';
import type { Registry } from '../../tools/registry.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { AgentEnd } from '../agents/run-agent.ts';
import type { Env } from '../home.ts';
import type { Chosen } from '../models.ts';
import type { Parts } from '../parts.ts';

/** What is told of a session to OpenTelemetry, beside that it is. */
export interface TelemetryOptions {
  /** Adds what was said, and what tools were given and found, cut to a length. Default: nothing of it is told. */
  captureContent?: boolean;
  /** Starts the spans. Default: the tracer of the provider that the program has registered. */
  tracer?: SpanStarter;
}

/** A tracer of `@opentelemetry/api`, without the need to have its types. */
export interface SpanStarter {
  startSpan(name: string, options?: object, context?: object): object;
}

/** The telemetry of an engine for which it is on. */
export interface EngineTelemetry {
  /** Whoever sends this message now is doing something; the turn that answers it belongs to that. */
  noteSender(line: JsonObject): void;
  open(session: TracedSession): Telemetry;
}

export interface TracedSession {
  /** Asked with the first span: models are chosen before a session has its id. */
  id(): string;
  env: Env;
  hide: Parts['hideCredentials'];
}

/** The spans of one session. Each wraps a seam that is there anyway; whatever comes of the work, its span ends. */
export interface Telemetry {
  /** Models whose calls are spans, `chat`. */
  models(choose: ChooseModel): ChooseModel;
  /** Calls of tools as spans, `execute_tool`; those that were denied, too. */
  calls(calls: TurnCalls): TurnCalls;
  /** A turn of the main thread as a span, `invoke_agent`, below what the sender of the message was doing. */
  turn(parts: Parts, input: UserInput, work: () => Promise<Message>): Promise<Message>;
  /** The same for an agent, below the call that has started it. */
  agent(parts: Parts, prompt: string, work: () => Promise<AgentEnd>): Promise<AgentEnd>;
  /** What tells a program that is started now which span it works for: TRACEPARENT, TRACESTATE. */
  variables(): Record<string, string>;
}

export type ChooseModel = (name: string | undefined) => Promise<Chosen>;

/** What the loop calls tools through. */
export interface TurnCalls {
  tools: Registry;
  gate: Gate;
}
