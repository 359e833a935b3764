import net from 'node:net';

export interface SocketLoad {
  origin: string;
  /** The whole request, head and body. */
  request: Buffer;
  connections: number;
  durationMs: number;
  /** All connections together, evenly spaced; as fast as they are answered when absent. */
  perSecond?: number;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Milliseconds, ascending: from when the request is sent, or due, to the answer's first and last byte. */
  firstByteMs: number[];
  wholeMs: number[];
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/**
 * Sends the same request over and over on bare sockets, each waiting for its answer. Looks at answers no closer than
 * to find their end and status, so that on a small machine it is the server that is measured.
 */
export async function loadSockets({
  origin,
  request,
  connections,
  durationMs,
  perSecond,
}: SocketLoad): Promise<LoadResult> {
  const { hostname, port } = new URL(origin);
  const firstByteMs: number[] = [];
  const wholeMs: number[] = [];
  const startedAtMs = performance.now();
  const stopAtMs = startedAtMs + durationMs;
  const spacingMs = perSecond === undefined ? 0 : 1_000 / perSecond;
  const address = { hostname, port: Number(port) };
  await Promise.all(
    Array.from({ length: connections }, (_, n) => runConnection(address, startedAtMs + n * spacingMs)),
  );
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const ascending = (a: number, b: number) => a - b;
  return {
    requests: wholeMs.length,
    perSecond: wholeMs.length / seconds,
    firstByteMs: firstByteMs.toSorted(ascending),
    wholeMs: wholeMs.toSorted(ascending),
  };

  /** Its requests are due at times of its own: sent together, they would wait for one another. */
  function runConnection(address: { hostname: string; port: number }, firstDueAtMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(address.port, address.hostname);
      socket.setNoDelay(true);
      let answer = newAnswer();
      let dueAtMs = firstDueAtMs;
      let sentAtMs = 0;
      let isWhole = false;
      const send = (): void => {
        isWhole = false;
        answer = newAnswer();
        // A caller at a fixed rate waits from when it is due: who is kept from sending waits too.
        sentAtMs = perSecond === undefined ? performance.now() : dueAtMs;
        socket.write(request);
      };
      socket.on('connect', () => setTimeoutOrNow(send, dueAtMs - performance.now()));
      socket.on('error', reject);
      socket.on('close', () => {
        if (isWhole) resolve();
        else reject(new Error(`${origin} closed the connection before its answer was whole`));
      });
      socket.on('data', (bytes) => {
        if (answer.received === 0) firstByteMs.push(performance.now() - sentAtMs);
        if (!take(answer, bytes)) return;
        if (answer.status !== 200) {
          reject(new Error(`${origin} answered ${answer.status}`));
          return;
        }
        isWhole = true;
        const nowMs = performance.now();
        wholeMs.push(nowMs - sentAtMs);
        // Never from now: who was late together would stay together.
        dueAtMs += spacingMs * connections;
        if (Math.max(dueAtMs, nowMs) < stopAtMs) setTimeoutOrNow(send, dueAtMs - nowMs);
        else socket.end();
      });
    });
  }
}

/** Timers of Node are good to a millisecond, which a pause of tens bears. */
function setTimeoutOrNow(work: () => void, delayMs: number): void {
  if (delayMs < 1) work();
  else setTimeout(work, delayMs);
}

interface Answer {
  received: number;
  /** Known once the head is there; -1 for chunked answers. */
  wholeLength: number | undefined;
  head: Buffer;
  status: number;
}

function newAnswer(): Answer {
  return { received: 0, wholeLength: undefined, head: Buffer.alloc(0), status: 0 };
}

/** True when the answer is whole. */
function take(answer: Answer, bytes: Buffer): boolean {
  answer.received += bytes.length;
  if (answer.wholeLength === undefined) {
    answer.head = answer.head.length === 0 ? bytes : Buffer.concat([answer.head, bytes]);
    const end = answer.head.indexOf(HEAD_END);
    if (end === -1) return false;
    const head = answer.head.toString('latin1', 0, end);
    answer.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    answer.wholeLength = length === undefined ? -1 : end + HEAD_END.length + Number(length);
  }
  if (answer.wholeLength >= 0) return answer.received >= answer.wholeLength;
  return bytes.length >= LAST_CHUNK.length
    ? bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
    : LAST_CHUNK.subarray(-bytes.length).equals(bytes);
}
