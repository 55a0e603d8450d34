import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { toHeddleError } from '../../wire/errors.ts';
import { addressOf, checkScope, type Gatekeeper, noSession } from '../http/gatekeeper.ts';
import { MAX_BODY } from '../http/read-body.ts';
import { errorBody, retryAfter, statusOf } from '../http/statuses.ts';
import type { SessionRecord } from '../ports/session-records.ts';
import type { TokenInfo } from '../ports/tokens.ts';
import { SessionId } from '../routes/schemas.ts';
import { sessionOf } from '../routes/session-routes.ts';
import { cursorOf } from './event-routes.ts';
import { type SocketOptions, SocketSession } from './socket-session.ts';
import type { Tickets } from './tickets.ts';

export interface UpgradeOptions
  extends Omit<SocketOptions, 'record' | 'token' | 'after' | 'slot' | 'asked' | 'isValid'> {
  gate: Gatekeeper;
  tickets: Tickets;
}

const PROTOCOL = 'heddle.v1';
const TICKET = /^heddle\.ticket\.([\w-]{1,100})$/;
const PATH = /^\/v1\/sessions\/([^/]{1,100})\/connect$/;

/** Lets WebSockets in. All checks come before the handshake; who fails them gets a plain answer with the reason. */
export function acceptUpgrades(server: Server, options: UpgradeOptions): void {
  const sockets = new WebSocketServer({
    ...{ noServer: true, maxPayload: MAX_BODY, perMessageDeflate: false, clientTracking: false },
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {}); // it is gone
    admit(request, options).then(
      (admitted) => {
        // A handshake that fails has no WebSocket that would leave.
        const { slot } = admitted;
        if (socket.destroyed) return slot.leave();
        socket.once('close', () => slot.leave());
        sockets.handleUpgrade(request, socket, head, (opened: WebSocket) =>
          new SocketSession(opened, admitted).start(),
        );
      },
      (error) => refuse(socket, error, options.newId()),
    );
  });
}

async function admit(request: IncomingMessage, options: UpgradeOptions): Promise<SocketOptions> {
  const { gate, sessions, events, streams } = options;
  gate.checkSource(request.headers);
  const [path = '', asking = ''] = (request.url ?? '').split('?');
  const { token, isValid } = await tokenOf(request, options);
  checkScope(token, 'sessions:read', null);
  const id = PATH.exec(path)?.[1] ?? '';
  if (!SessionId.safeParse(id).success) throw noSession(id);
  const record: SessionRecord = await sessionOf(sessions, token, id);
  const query = new URLSearchParams(asking);
  const asked = { deltas: query.get('deltas') === '1', acks: query.get('acks') === '1' };
  const given = query.get('after') ?? undefined;
  const after = await cursorOf(record.id, { given, after: undefined }, events);
  return { ...options, record, token, after, asked, isValid, slot: streams.take(token.id) };
}

/** A program sends its token; a page has a ticket. */
async function tokenOf(
  request: IncomingMessage,
  { gate, tickets }: UpgradeOptions,
): Promise<{ token: TokenInfo; isValid: () => Promise<boolean> }> {
  const { authorization, 'sec-websocket-protocol': protocols = '' } = request.headers;
  const [, ticket] =
    protocols
      .split(/, */)
      .map((each) => TICKET.exec(each))
      .find((each) => each !== null) ?? [];
  const byTicket = ticket === undefined ? null : tickets.use(ticket);
  const token = byTicket ?? (await gate.authenticate(authorization, addressOf(request)));
  if (byTicket) await gate.checkStillValid(byTicket);
  const isValid = () => gate.isStillValid(token);
  return { token, isValid };
}

function refuse(socket: Duplex, thrown: unknown, requestId: string): void {
  const error = toHeddleError(thrown);
  const status = statusOf(error);
  const body = JSON.stringify(errorBody(error, requestId));
  const wait = retryAfter(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...(wait === null ? [] : [`retry-after: ${wait}`]),
    ...(status === 401 ? ['www-authenticate: Bearer'] : []),
  ];
  // Who keeps its own end open would keep the connection.
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
