import { connect, type Socket } from 'node:net';

export interface IdleReaders {
  /** The number of answers that began, by status. */
  statuses: ReadonlyMap<number, number>;
  close(): void;
}

export interface IdleRequests {
  origin: string;
  apiKey: string;
  body: object;
  count: number;
  /** True: a request that was refused or cut is sent again after two seconds. */
  again?: boolean;
}

/** Sends requests for chats and reads only the status of each answer. */
export function startIdleReaders({ origin, apiKey, body, count, again }: IdleRequests): IdleReaders {
  const { hostname, port } = new URL(origin);
  const statuses = new Map<number, number>();
  const sockets = new Set<Socket>();
  let isOver = false;
  const request = requestOf(apiKey, JSON.stringify(body));
  const open = (): void => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('readable', () => {
      const beginning: Buffer | null = socket.read(12);
      if (beginning === null) return;
      const status = Number(beginning.toString('latin1', 9));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (again === true && status !== 200) socket.destroy();
    });
    socket.once('close', () => {
      sockets.delete(socket);
      if (again === true) setTimeout(() => (isOver ? undefined : open()), 2_000).unref();
    });
  };
  for (let n = 0; n < count; n += 1) open();
  return {
    statuses,
    close() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function requestOf(apiKey: string, json: string): string {
  const head = [
    'POST /api/v1/chat/completions HTTP/1.1',
    'host: 127.0.0.1',
    'content-type: application/json',
    `authorization: Bearer ${apiKey}`,
    `content-length: ${Buffer.byteLength(json)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${json}`;
}
