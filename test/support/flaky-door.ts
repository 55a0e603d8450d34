import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What happens to a connection, once a request has come in. */
export const DOOR_FAULTS = {
  'a reset': (socket: Socket) => socket.resetAndDestroy(),
  'an end without an answer': (socket: Socket) => socket.end(),
  'half of a head': (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-ty'),
  'no HTTP': (socket: Socket) => socket.end('220 mail.example ESMTP\r\n'),
  'half of a body': (socket: Socket) =>
    socket.end(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 5000\r\n\r\nevent: message_start\n',
    ),
} as const;
export type DoorFault = keyof typeof DOOR_FAULTS;

/** A port in front of an API whose first connections break, one for each fault; all others reach the API. */
export async function flakyDoor(
  apiUrl: string,
  faults: readonly DoorFault[],
): Promise<{ url: string; broken(): number }> {
  const { port: apiPort } = new URL(apiUrl);
  const waiting = [...faults];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    const fault = waiting.shift();
    if (fault) {
      socket.once('data', () => DOOR_FAULTS[fault](socket));
      return;
    }
    const far = connect(Number(apiPort), '127.0.0.1');
    far.on('error', () => socket.destroy());
    socket.pipe(far).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}`, broken: () => faults.length - waiting.length };
}
