import type { Ledger } from '../../agent/ledger.ts';
import type { TurnEnd } from '../../agent/loop.ts';
import type { TurnTools } from '../../agent/turn-tools.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { SelectedModel } from './engine-models.ts';
import type { Env } from './environment.ts';

/** Options for the spans that Heddle sends to OpenTelemetry. */
export interface TelemetryOptions {
  /** Adds messages and the inputs and outputs of tools, cut to a length. Default: none of these contents. */
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
  /**
   * Remembers what the sender of this message is doing now. The span of the turn that answers it is a child of that.
   */
  noteSender(line: JsonObject): void;
  open(session: TracedSession): Telemetry;
}

/** Resolves with null, after one warning, when the OpenTelemetry package is missing. */
export type LoadTelemetry = (log: Logger) => Promise<EngineTelemetry | null>;

export interface TracedSession {
  /** Called with the first span: models are selected before the session has its id. */
  id(): string;
  env: Env;
  hide: <T>(found: T) => T;
}

/** The spans of one session. Each wraps an existing function, and ends when the function returns or throws. */
export interface Telemetry {
  /** Wraps models, so that each call has a `chat` span. */
  models(choose: SelectModel): SelectModel;
  /** Wraps tool calls, so that each call has an `execute_tool` span; denied calls, too. */
  calls(calls: TracedCalls): TracedCalls;
  /** Runs a turn of the main thread in an `invoke_agent` span, below the span in which the message was sent. */
  turn(thread: TracedThread, input: UserInput, work: () => Promise<Message>): Promise<Message>;
  /** Runs an agent in an `invoke_agent` span, below the call that started the agent. */
  agent<End extends TracedEnd>(thread: TracedThread, prompt: string, work: () => Promise<End>): Promise<End>;
  /** TRACEPARENT and TRACESTATE for a program that starts now: they name the span that it works for. */
  variables(): Record<string, string>;
}

/** The fields of a thread that its span reports. */
export interface TracedThread {
  readonly identity: { readonly agent: { id: string; type: string } | null; readonly role: { name: string } | null };
  readonly model: { readonly selected: SelectedModel };
  readonly budget: { readonly ledger: Ledger };
}

/** How the work of an agent ended. */
export interface TracedEnd {
  end: TurnEnd;
  content: readonly { text: string }[];
  usage: { costUsd?: number | undefined };
}

export type SelectModel = (name: string | undefined) => Promise<SelectedModel>;

/** The part of a turn's tools that is traced. */
export type TracedCalls = Pick<TurnTools, 'registry' | 'gate'>;
