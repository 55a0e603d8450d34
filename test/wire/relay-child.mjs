// The far end of a subprocess transport, as the suites drive it: passes everything on between its pipes and a socket.
// A second connection takes one order: to die with that exit code and those last words.
import { connect } from 'node:net';

const lines = connect({ path: process.env.RELAY_SOCKET, allowHalfOpen: true }, () => {
  const orders = connect(process.env.RELAY_SOCKET);
  orders.unref();
  orders.on('error', () => {});
  orders.on('data', (data) => {
    const { code, stderr } = JSON.parse(data);
    process.stderr.write(stderr, () => process.exit(code));
  });
});
lines.on('error', () => {});
process.stdin.pipe(lines);
lines.pipe(process.stdout);
lines.on('end', () => {
  lines.destroy();
  process.stdin.destroy();
});
