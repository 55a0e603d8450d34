import { isObject, type JsonObject } from '../../util/json.ts';
import { askingAgain, type Forms } from '../asking-again.ts';
import { explainNoTools } from '../explain-failure.ts';
import type { Credential } from '../http/credential.ts';
import type { UnsignedRequest } from '../http/endpoint.ts';
import { createEndpoint, type EndpointOptions } from '../http/endpoint.ts';
import { createStreamReader, type Dialect, type StreamReader } from '../http/stream-reader.ts';
import type { Failure, Model, ModelEvent, ModelRequest, ModelYield } from '../model.ts';
import { createRequestEncoder, type RequestEncoder, settingsOf } from './anthropic-request.ts';
import { createAnthropicDialect } from './anthropic-stream.ts';
import { type Form, FULL_FORM, withoutRefused } from './refused-parts.ts';

/** What an adapter of a cloud takes besides the endpoint. */
export interface CloudOptions extends EndpointOptions {
  /** What the user's cloud calls a model, where the user has said. */
  nameOf?: (model: string) => string | undefined;
}

/** How a server other than Anthropic's own takes requests of the Messages API. */
export interface MessagesWire {
  /** The provider's name in results and entries. */
  name: string;
  /** The address for a model. All addresses have the same origin. */
  urlOf(model: string): URL;
  /** The settings of a body: model, limits and what else the server wants in its place. */
  settings(settings: JsonObject, betas: readonly string[]): JsonObject;
  headers(credential: Credential, betas: readonly string[]): Record<string, string>;
  sign?(request: UnsignedRequest, credential: Credential): Record<string, string>;
  /** Betas that the server knows; others are not sent. Absent: all are sent. */
  betas?: ReadonlySet<string>;
  /** Reads a body; absent: server-sent events. */
  reader?(dialect: Dialect, requestId: string | null): StreamReader;
  /** Says what to set, where a failure is about the setup. */
  explain(failure: Failure, model: string): Failure;
}

/**
 * The Messages API at another place: a cloud, a gateway, a local server. A part that a server refuses is left out from
 * then on, with a warning.
 */
export function createMessagesModel(options: EndpointOptions, wire: MessagesWire): Model {
  const { log } = options.runtime;
  const endpoint = createEndpoint(options, wire.urlOf('-'));
  /** What each model refuses. */
  const forms = new Map<string, Form>();
  const encoders = new Map<string, RequestEncoder>();
  /** Betas that were left out, and said. */
  const unknown = new Set<string>();

  function encoderFor(form: Form): RequestEncoder {
    const key = JSON.stringify(form);
    const known = encoders.get(key);
    if (known) return known;
    const encode = createRequestEncoder((request) => {
      const settings = Object.entries(settingsOf(request)).filter(([name]) => !form.dropped.includes(name));
      return wire.settings(Object.fromEntries(settings), betasFor(request, form));
    });
    encoders.set(key, encode);
    return encode;
  }

  function betasFor({ betas = [] }: ModelRequest, form: Form): string[] {
    const sent = betas.filter((beta) => wire.betas?.has(beta) ?? true);
    for (const beta of betas) {
      if (sent.includes(beta) || unknown.has(beta)) continue;
      unknown.add(beta);
      log('warn', `${wire.name} does not know the beta ${beta}: requests go without it`);
    }
    return sent.filter((beta) => !form.betas.includes(beta));
  }

  function ask(request: ModelRequest, form: Form, signal: AbortSignal): AsyncIterable<ModelYield> {
    const { model } = request;
    return endpoint.ask(
      {
        url: wire.urlOf(model),
        headers: (credential) => wire.headers(credential, betasFor(request, form)),
        body: () => encoderFor(form)(form.dropped.includes('tools') ? { ...request, tools: [] } : request),
        ...(wire.sign && { sign: wire.sign }),
        read: (requestId) => {
          const dialect = underName(model, createAnthropicDialect({ requestId, log }));
          return (wire.reader ?? createStreamReader)(dialect, requestId);
        },
      },
      signal,
    );
  }

  return {
    provider: wire.name,
    stream(request, signal) {
      const { model } = request;
      const asked: Forms<Form> = {
        current: () => forms.get(model) ?? FULL_FORM,
        adapt: (form, failure) => withoutRefused(form, failure, request.betas ?? []),
        remember(form) {
          const before = forms.get(model) ?? FULL_FORM;
          const lost = [...form.dropped, ...form.betas].filter(
            (each) => ![...before.dropped, ...before.betas].includes(each),
          );
          log('warn', `${model} does not take ${lost.join(', ')}: requests go without from now on`);
          forms.set(model, form);
        },
        explain: (failure) => explainNoTools(failure) ?? wire.explain(failure, model),
      };
      return askingAgain(asked, (form) => ask(request, form, signal));
    },
    close: () => endpoint.close(),
  };
}

/**
 * Answers under the name by which the model was asked: thoughts are sent back to the model of that name, and limits and
 * prices are found by it.
 */
function underName(model: string, dialect: Dialect): Dialect {
  const renamed = (told: ModelEvent): ModelEvent => {
    if (told.type !== 'event' || told.event.type !== 'message_start' || !isObject(told.event.message)) return told;
    const event = { ...told.event, message: { ...told.event.message, model } };
    return { type: 'event', event, raw: JSON.stringify(event) };
  };
  return {
    take(event, told) {
      const before = told.length;
      const isMore = dialect.take(event, told);
      for (let at = before; at < told.length; at++) told[at] = renamed(told[at] as ModelEvent);
      return isMore;
    },
    complete: () => dialect.complete(),
    whole: (body) => dialect.whole(body)?.map(renamed) ?? null,
  };
}
