/** Sends the same HTTP request over raw sockets, and measures throughput and delays. */
import net from 'node:net';

export interface SocketLoad {
  origin: string;
  /** The whole request, head and body. */
  request: Buffer;
  connections: number;
  durationMs: number;
  /** The requests per second of all connections, evenly spaced; absent: as fast as they are answered. */
  perSecond?: number | undefined;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  /** Milliseconds, ascending, from the sending or due time of the request to the answer's first and last byte. */
  firstByteMs: number[];
  wholeMs: number[];
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** A load with the times that its connections share. */
interface RunningLoad extends SocketLoad {
  stopAtMs: number;
  /** The time between two requests of the load; 0 without a fixed rate. */
  spacingMs: number;
  firstByteMs: number[];
  wholeMs: number[];
}

/**
 * Sends one request repeatedly on bare sockets, each waiting for its answer. It parses only the end and status of
 * answers, so that on a small machine the load generator itself uses little processor time.
 */
export async function loadSockets(load: SocketLoad): Promise<LoadResult> {
  const { connections, durationMs, perSecond } = load;
  const startedAtMs = performance.now();
  const spacingMs = perSecond === undefined ? 0 : 1_000 / perSecond;
  const firstByteMs: number[] = [];
  const wholeMs: number[] = [];
  const running = { ...load, stopAtMs: startedAtMs + durationMs, spacingMs, firstByteMs, wholeMs };
  await Promise.all(
    Array.from({ length: connections }, (_, n) => runConnection(running, startedAtMs + n * spacingMs)),
  );
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const ascending = (a: number, b: number) => a - b;
  return {
    requests: wholeMs.length,
    perSecond: wholeMs.length / seconds,
    firstByteMs: firstByteMs.toSorted(ascending),
    wholeMs: wholeMs.toSorted(ascending),
  };
}

/**
 * Sends the requests of one connection at due times of its own: requests that several connections send together would
 * queue in the server.
 */
function runConnection(load: RunningLoad, firstDueAtMs: number): Promise<void> {
  const { origin, request, connections, perSecond, stopAtMs, spacingMs, firstByteMs, wholeMs } = load;
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    socket.setNoDelay(true);
    let answer = newAnswer();
    let dueAtMs = firstDueAtMs;
    let sentAtMs = 0;
    let isWhole = false;
    const send = (): void => {
      isWhole = false;
      answer = newAnswer();
      // At a fixed rate the measured time starts at the due time, so it includes the delay of a late request.
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
      // Adds the spacing to the due time, not to the clock: otherwise connections that were late together would send
      // together from then on.
      dueAtMs += spacingMs * connections;
      if (Math.max(dueAtMs, nowMs) < stopAtMs) setTimeoutOrNow(send, dueAtMs - nowMs);
      else socket.end();
    });
  });
}

/** Runs work after a delay, at once if it is below a millisecond, the precision of Node's timers. */
function setTimeoutOrNow(work: () => void, delayMs: number): void {
  if (delayMs < 1) work();
  else setTimeout(work, delayMs);
}

interface Answer {
  received: number;
  /** Set when the head has arrived; -1 for chunked answers. */
  wholeLength: number | undefined;
  head: Buffer;
  status: number;
}

function newAnswer(): Answer {
  return { received: 0, wholeLength: undefined, head: Buffer.alloc(0), status: 0 };
}

/** Adds bytes. Returns true if the answer is complete. */
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
