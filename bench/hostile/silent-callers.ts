/**
 * Opens connections from several addresses, sends half of a head over each, and replaces those that are closed.
 * Arguments: the gateway's port and the number of connections. Answers each message with the number of connections that
 * were opened so far.
 */
import { connect } from 'node:net';

const ADDRESSES = 8;
const AGAIN_AFTER_MS = 2_000;
const HALF_HEAD = 'POST /api/v1/chat/completions HTTP/1.1\r\nHost: gateway\r\nX-Rest:';

const [port, connections] = process.argv.slice(2).map(Number);
let opened = 0;

function open(n: number): void {
  const localAddress = `127.0.9.${(n % ADDRESSES) + 1}`;
  const socket = connect({ host: '127.0.0.1', port: port!, localAddress });
  socket.once('connect', () => {
    opened += 1;
    socket.write(HALF_HEAD);
  });
  socket.on('error', () => {});
  socket.resume();
  socket.once('close', () => setTimeout(open, AGAIN_AFTER_MS, n));
}

for (let n = 0; n < connections!; n += 1) open(n);
process.on('message', () => process.send?.(opened));
process.on('disconnect', () => process.exit());
