import { WebSocket } from 'ws';
import { Channel } from '../../util/channel.ts';
import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import { startTimer, within } from '../../util/timer.ts';
import { ConnectionError, HeddleError, toHeddleError } from '../../wire/errors.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';
import type { RemoteOptions } from './remote.ts';
import { SentLines } from './sent-lines.ts';
import { refusalIn, ServerCalls, type ServerSession } from './server-calls.ts';

const PATIENCE_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5000;
/** More text than this waits for the connection. */
const HIGH_WATER = 1_000_000;
const ROOM_MS = 20;
const INTERRUPT_MS = 2000;

/** The server has said why it will not work, however often it is tried. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 421]);
const FINAL_CODES: ReadonlySet<number> = new Set([4401, 4403, 4404, 4410]);

/** A session of a server as a transport: over a WebSocket that is opened again when it breaks. */
export class RemoteTransport implements Transport {
  readonly #url: string;
  readonly #options: RemoteOptions;
  readonly #begin: (calls: ServerCalls) => Promise<ServerSession>;
  readonly #calls: ServerCalls;
  readonly #incoming = new Channel<JsonObject | Error>();
  readonly #sent = new SentLines();
  #session: ServerSession = { id: '', after: 0 };
  #socket: WebSocket | null = null;
  #isClosed = false;
  #hasEnded = false;
  #isTurn = false;
  #brokenAt: number | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #settle: (exit: ExitInfo) => void = () => {};
  readonly exit: Promise<ExitInfo> = new Promise((resolve) => {
    this.#settle = resolve;
  });

  /** `begin` makes or finds the session. */
  constructor(url: string, options: RemoteOptions, begin: (calls: ServerCalls) => Promise<ServerSession>) {
    this.#url = url;
    this.#options = options;
    this.#begin = begin;
    this.#calls = new ServerCalls(url, options.token);
  }

  async connect(): Promise<void> {
    this.#session = await this.#begin(this.#calls);
    await this.#open();
  }

  isReady(): boolean {
    return !this.#isClosed;
  }

  write(line: JsonObject): Promise<void> | undefined {
    if (this.#isClosed) return Promise.reject(new HeddleError('closed', 'The connection is closed'));
    if (line.type === 'control_request' && stringField(line.request, 'subtype') === 'end_input') this.#hasEnded = true;
    this.#transmit(this.#sent.add(line));
    const waits = (this.#socket?.bufferedAmount ?? 0) > HIGH_WATER;
    return waits ? this.#room() : undefined;
  }

  readMessages(): AsyncIterable<JsonObject | Error> {
    return this.#incoming;
  }

  endInput(): void {
    if (this.#hasEnded || this.#isClosed) return;
    this.#hasEnded = true;
    this.#transmit(this.#sent.add(this.#sent.own({ subtype: 'end_input' })));
  }

  /** The session stays on the server. A turn that runs is interrupted, unless it is to be left. */
  async close(): Promise<ExitInfo> {
    if (!this.#isClosed && this.#isTurn && this.#options.onClose !== 'leave') {
      const path = `/v1/sessions/${this.#session.id}/interrupt`;
      await within(
        INTERRUPT_MS,
        this.#calls.call('POST', path).catch(() => null),
      );
    }
    this.#end({ code: 0, signal: null, stderr: '' });
    return this.exit;
  }

  #end(exit: ExitInfo, error?: unknown): void {
    this.#isClosed = true;
    this.#socket?.close();
    if (error === undefined) this.#incoming.end();
    else this.#incoming.fail(error);
    this.#settle(exit);
  }

  /** Rejects when the server refuses, or is not there. */
  #open(): Promise<void> {
    const { id, after } = this.#session;
    const address = `${this.#url.replace(/^http/, 'ws')}/v1/sessions/${id}/connect?after=${after}&deltas=1&acks=1`;
    const socket = new WebSocket(address, ['heddle.v1'], {
      headers: { authorization: `Bearer ${this.#options.token}` },
      perMessageDeflate: false,
    });
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      socket.once('unexpected-response', (_request, response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.once('end', () => reject(refusalIn(tryParseJson(text), response.statusCode ?? 0)));
      });
      socket.on('error', (error) =>
        reject(new ConnectionError(`The server ${this.#url} cannot be reached`, { cause: error })),
      );
      socket.once('open', () => {
        this.#brokenAt = null;
        this.#pauseMs = FIRST_PAUSE_MS;
        socket.on('message', (data) => this.#arrived(String(data)));
        socket.once('close', (code, reason) => this.#broke(code, String(reason)));
        resolve();
      });
    });
  }

  #arrived(text: string): void {
    const line = tryParseJson(text);
    if (!isObject(line)) return;
    if (typeof line.seq === 'number') {
      if (line.seq <= this.#session.after) return;
      this.#session.after = line.seq;
    }
    const { seq: _, ...plain } = line;
    if (plain.type === 'system' && plain.subtype === 'init') this.#isTurn = true;
    if (plain.type === 'result') this.#isTurn = false;
    const { answer, isForHost } = this.#sent.arrived(plain);
    if (answer) this.#transmit(answer);
    if (isForHost) this.#incoming.push(plain);
  }

  #broke(code: number, reason: string): void {
    if (this.#isClosed) return;
    const said = tryParseJson(reason);
    if (code === 1000) {
      const exitCode = isObject(said) && typeof said.exit_code === 'number' ? said.exit_code : 0;
      this.#end({ code: exitCode, signal: null, stderr: '' });
    } else if (FINAL_CODES.has(code)) {
      this.#fail(refusalIn({ error: said }, code - 4000));
    } else this.#again();
  }

  #again(): void {
    this.#brokenAt ??= performance.now();
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    startTimer(pauseMs, () => {
      if (this.#isClosed) return;
      this.#open().then(
        () => {
          for (const line of this.#sent.again()) this.#transmit(line);
        },
        (thrown) => {
          const error = toHeddleError(thrown);
          const { patienceMs = PATIENCE_MS } = this.#options;
          const isLate = performance.now() - (this.#brokenAt ?? 0) > patienceMs;
          if (FINAL.has(Number(error.facts.status)) || isLate) this.#fail(error);
          else this.#again();
        },
      );
    });
  }

  #fail(error: HeddleError): void {
    this.#end({ code: 1, signal: null, stderr: error.message, error }, error);
  }

  #transmit(line: JsonObject): void {
    const socket = this.#socket;
    if (socket?.readyState === socket?.OPEN) socket?.send(JSON.stringify(line), () => {});
  }

  async #room(): Promise<void> {
    while (!this.#isClosed && (this.#socket?.bufferedAmount ?? 0) > HIGH_WATER) {
      await new Promise((resolve) => setTimeout(resolve, ROOM_MS));
    }
  }
}
