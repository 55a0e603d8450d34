import { WebSocket } from 'ws';
import type { Line } from './lines.ts';
import type { ServedCli } from './serve-cli.ts';

/** A WebSocket of a session, with the protocol written independently of ours. */
export interface SocketClient {
  lines: Line[];
  send(line: object): void;
  next(wanted: (line: Line) => boolean): Promise<Line>;
  request(request: object): Promise<Record<string, unknown>>;
  /** Resolves with how it was closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  end(): void;
}

export async function openSocket(
  server: ServedCli,
  session: string,
  { query = '', token = server.token }: { query?: string; token?: string } = {},
): Promise<SocketClient> {
  const address = `${server.url.replace('http', 'ws')}/v1/sessions/${session}/connect${query}`;
  const socket = new WebSocket(address, ['heddle.v1'], { headers: { authorization: `Bearer ${token}` } });
  const lines: Line[] = [];
  let wake = () => {};
  let requests = 0;
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: String(reason) });
      wake();
    });
  });
  socket.on('message', (data) => {
    lines.push(JSON.parse(String(data)));
    wake();
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, response) => reject(new Error(`HTTP ${response.statusCode}`)));
  });
  const next: SocketClient['next'] = async (wanted) => {
    for (;;) {
      const found = lines.find(wanted);
      if (found) return found;
      if (socket.readyState > 1) throw new Error(`Closed; seen: ${JSON.stringify(lines).slice(-1500)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 200);
      });
    }
  };
  return {
    lines,
    send: (line) => socket.send(JSON.stringify(line)),
    next,
    async request(request) {
      const id = `r${++requests}`;
      socket.send(JSON.stringify({ type: 'control_request', request_id: id, request }));
      const isAnswer = (line: Line) => (line.response as { request_id?: string } | undefined)?.request_id === id;
      return (await next(isAnswer)).response as Record<string, unknown>;
    },
    closed,
    end: () => socket.terminate(),
  };
}
