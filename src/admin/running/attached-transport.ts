import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Transport } from '../../wire/link/transport.ts';

/** A session that was joined. */
export interface Attached {
  /** Its lines begin with the messages of before. */
  transport: Transport;
  /** The body of the answer to `attach`. */
  result: JsonObject;
}

/** The id of the request, and of the line with which `heddle attach --stdio` begins. */
export const ATTACH_ID = 'attach';

/**
 * Attaches over a connection. `request` null: the far end has attached already, and its first line is the answer.
 * `earlier` reads the messages of before; it is called when lines have begun, so that none is missed between them.
 * Rejects with `cannot_attach`.
 */
export async function attachOver(
  transport: Transport,
  request: JsonObject | null,
  earlier: () => readonly JsonObject[],
): Promise<Attached> {
  await transport.connect();
  const lines = transport.readMessages()[Symbol.asyncIterator]();
  if (request) await transport.write({ type: 'control_request', request_id: ATTACH_ID, request });
  const result = await firstAnswer(lines);
  const history = earlier();
  return { transport: { ...methodsOf(transport), readMessages: () => joined(history, lines) }, result };
}

/** The transport for a host that wants the answer to its first request before any other line, as from a new session. */
export function answerFirst(transport: Transport): Transport {
  async function* ordered(): AsyncGenerator<JsonObject | Error> {
    const held: (JsonObject | Error)[] = [];
    let isAnswered = false;
    for await (const line of transport.readMessages()) {
      if (isAnswered) yield line;
      else if (line instanceof Error || line.type !== 'control_response') held.push(line);
      else {
        isAnswered = true;
        yield line;
        yield* held.splice(0);
      }
    }
  }
  return { ...methodsOf(transport), readMessages: ordered };
}

type Lines = AsyncIterator<JsonObject | Error>;

async function firstAnswer(lines: Lines): Promise<JsonObject> {
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value;
    if (line instanceof Error || line.type !== 'control_response' || !isObject(line.response)) continue;
    const { response } = line;
    if (response.request_id !== ATTACH_ID) continue;
    if (isObject(response.response)) return response.response;
    throw cannotAttach(stringField(response, 'error') ?? 'It has refused');
  }
  throw cannotAttach('Its process has closed the connection');
}

function cannotAttach(problem: string): HeddleError {
  return new HeddleError('cannot_attach', `The session cannot be joined. ${problem}.`);
}

/** What was on disk before its line was read comes once. */
async function* joined(history: readonly JsonObject[], lines: Lines): AsyncGenerator<JsonObject | Error> {
  yield* history;
  const known = new Set(history.flatMap(({ uuid }) => (typeof uuid === 'string' ? uuid : [])));
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value;
    const isMessage = !(line instanceof Error) && (line.type === 'user' || line.type === 'assistant');
    if (isMessage && known.has(String(line.uuid))) continue;
    yield line;
  }
}

function methodsOf(transport: Transport): Omit<Transport, 'readMessages'> {
  return {
    connect: async () => {},
    write: (line) => transport.write(line),
    endInput: () => transport.endInput(),
    close: () => transport.close(),
    isReady: () => transport.isReady(),
    exit: transport.exit,
  };
}
