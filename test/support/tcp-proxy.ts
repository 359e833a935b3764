import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * `refusal`: what is open is reset, and what is new is refused, as by a server that died. `silence`: all stays
 * open and nothing comes or goes, as on a broken network; what was sent meanwhile arrives afterwards.
 */
export type Outage = 'refusal' | 'silence';

/** A way to a server that can be cut. */
export interface TcpProxy {
  /** The URL, by this way. */
  through(url: string): string;
  cut(outage: Outage): void;
  restore(): Promise<void>;
  /** What is new passes; what was opened before stays silent, as behind a router that forgot it. */
  restoreForNew(): void;
  /** Connections of clients that are open. */
  open(): number;
  /** Cuts the way as soon as a client has sent this text: the server gets it, and no answer comes back. */
  cutAfter(sent: string, outage: Outage): Promise<void>;
  close(): Promise<void>;
}

/** Listens on a port of its own and passes everything on to the server of the URL. */
export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const connections = createConnections(new URL(serverUrl));
  const server = createServer({ allowHalfOpen: true }, connections.accept);
  const listen = (port: number): Promise<unknown> => {
    server.listen(port, '127.0.0.1');
    return once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  const cut = (outage: Outage): void => {
    if (outage === 'silence') return connections.silence();
    server.close();
    connections.reset();
  };
  return {
    through(url) {
      const changed = new URL(url);
      changed.host = `127.0.0.1:${port}`;
      return changed.href;
    },
    cut,
    async restore() {
      connections.resume();
      if (!server.listening) await listen(port);
    },
    restoreForNew: connections.resumeNew,
    open: connections.count,
    cutAfter: (text, outage) => connections.afterSent(text, () => cut(outage)),
    async close() {
      connections.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/** Connects each client to the server, and holds both ends of every connection. */
function createConnections(target: URL) {
  const clients = new Set<Socket>();
  const upstreams = new Set<Socket>();
  let isSilent = false;
  let awaited: { text: string; act: () => void } | undefined;

  const keep = (socket: Socket, ends: Set<Socket>): void => {
    ends.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => ends.delete(socket));
    if (isSilent) socket.pause();
  };
  const forAll = (act: (socket: Socket) => void): void => [...clients, ...upstreams].forEach(act);
  return {
    accept(client: Socket): void {
      const upstream = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
      pass(client, upstream);
      pass(upstream, client);
      client.on('data', (chunk: Buffer) => {
        if (awaited !== undefined && chunk.includes(awaited.text)) awaited.act();
      });
      keep(client, clients);
      keep(upstream, upstreams);
    },
    silence(): void {
      isSilent = true;
      forAll((socket) => socket.pause());
    },
    resume(): void {
      isSilent = false;
      forAll((socket) => socket.resume());
    },
    resumeNew: (): void => void (isSilent = false),
    reset(): void {
      for (const client of clients) client.resetAndDestroy();
      // What was sent reaches the server all the same.
      for (const upstream of upstreams) upstream.destroySoon();
    },
    destroy: (): void => forAll((socket) => socket.destroy()),
    count: (): number => clients.size,
    /** Acts as soon as a client has sent this text. */
    afterSent: (text: string, act: () => void): Promise<void> =>
      new Promise((resolve) => {
        awaited = {
          text,
          act() {
            awaited = undefined;
            act();
            resolve();
          },
        };
      }),
  };
}

function pass(from: Socket, to: Socket): void {
  from.on('data', (chunk: Buffer) => to.write(chunk));
  from.on('end', () => to.end());
  from.on('error', () => to.destroy());
}
