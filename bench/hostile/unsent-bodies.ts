/** Opens requests whose bodies never arrive, for the benchmark of hostile requests. */
import { connect, type Socket } from 'node:net';

export interface UnsentBody {
  /** The path below the base of the API. */
  target: string;
  /** Undefined for a caller without a key. */
  apiKey?: string;
  announcedBytes: number;
  sockets: number;
}

export interface HeldSockets {
  /** The number of answers so far, by status. */
  statuses: ReadonlyMap<string, number>;
  close(): void;
}

/**
 * Opens sockets that announce a body and send one byte of it. When the API closes a socket, it is reopened after half a
 * second, so that the number of sockets stays the same.
 */
export async function holdSockets(origin: string, bodies: UnsentBody[]): Promise<HeldSockets> {
  const { hostname, port } = new URL(origin);
  const open = new Set<Socket>();
  const statuses = new Map<string, number>();
  let isOver = false;

  function hold(head: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(`${head}{`, () => resolve());
      });
      open.add(socket);
      socket.once('data', (answer) => {
        const status = answer.toString('latin1', 9, 12);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      });
      socket.on('error', () => {});
      socket.once('close', () => {
        open.delete(socket);
        setTimeout(() => (isOver ? undefined : void hold(head)), 500).unref();
      });
    });
  }

  const heads = bodies.flatMap((body) => Array.from({ length: body.sockets }, () => headOf(body)));
  await Promise.all(heads.map(hold));
  return {
    statuses,
    close() {
      isOver = true;
      for (const socket of open) socket.destroy();
    },
  };
}

function headOf({ target, apiKey, announcedBytes }: UnsentBody): string {
  const lines = [
    `POST /api/v1${target} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${announcedBytes}`,
    ...(apiKey === undefined ? [] : [`authorization: Bearer ${apiKey}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
