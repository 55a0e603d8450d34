import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import { Peer, type PeerOptions } from '../wire/link/peer.ts';
import type { Transport } from '../wire/link/transport.ts';
import { LineReader, soon } from './linked-pair.ts';

export function peerOn(transport: Transport, options: Partial<PeerOptions> = {}): Peer {
  return new Peer(transport, { newId: randomUUID, onRequest: refuse, ...options });
}

function refuse(): never {
  throw new Error('no request was expected here');
}

/** A peer on the near end, and a reader for the lines at the far end. */
export function driven(near: Transport, far: Transport): { peer: Peer; reader: LineReader } {
  return { peer: peerOn(near), reader: new LineReader(far) };
}

export function request(requestId: string, body: JsonObject): JsonObject {
  return { type: 'control_request', request_id: requestId, request: body };
}

export function response(body: JsonObject): JsonObject {
  return { type: 'control_response', response: body };
}

/** Reads a request and returns its id. */
export async function requestId(reader: LineReader): Promise<string> {
  const line = await reader.line();
  assert.equal(line.type, 'control_request');
  assert.equal(typeof line.request_id, 'string');
  return line.request_id as string;
}

export function responseId(line: JsonObject): unknown {
  assert.equal(line.type, 'control_response');
  return (line.response as JsonObject).request_id;
}

export async function failure(promise: Promise<unknown>): Promise<Error> {
  const outcome = promise.then(
    (value) => new assert.AssertionError({ message: `resolved with ${JSON.stringify(value)}` }),
    (error: Error) => error,
  );
  const error = await soon(outcome, 'the rejection');
  if (error instanceof assert.AssertionError) throw error;
  return error;
}

export function assertCode(error: Error, code: string): void {
  assert.ok(HeddleError.isInstance(error), `not a HeddleError: ${error}`);
  assert.equal(error.code, code);
}

export async function nextMessage(peer: Peer): Promise<JsonObject> {
  const next = await soon(peer.messages[Symbol.asyncIterator]().next(), 'a message');
  assert.ok(!next.done, 'the messages ended');
  return next.value;
}

export async function messagesOf(peer: Peer): Promise<JsonObject[]> {
  const messages: JsonObject[] = [];
  const reading = (async () => {
    for await (const message of peer.messages) messages.push(message);
  })();
  await soon(reading, 'the end of the messages');
  return messages;
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
