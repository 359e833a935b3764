/** A small load balancer: it probes `/readyz` of its backends, and sends each request once, to a ready one. */
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  origin: string;
  /** Errors of connections to backends: each is a request that a caller lost. */
  lost: string[];
  /** The requests that each backend has answered. */
  answered: Map<string, number>;
  /** The backends that get requests now. */
  ready(): string[];
  close(): Promise<void>;
}

const PROBE_EVERY_MS = 100;

export async function startBalancer(backends: string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>();
  const lost: string[] = [];
  const answered = new Map<string, number>();
  let turn = 0;
  const probe = async (backend: string): Promise<void> => {
    const isReady = await fetch(`${backend}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(backend);
    else ready.delete(backend);
  };
  const probeAll = (): Promise<unknown> => Promise.all(backends.map(probe));
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const choices = [...ready];
    const backend = choices[(turn += 1) % choices.length];
    if (backend === undefined) {
      lost.push('no backend is ready');
      outgoing.writeHead(503).end();
      return;
    }
    const { method, headers, url } = incoming;
    const sent = request(`${backend}${url}`, { agent, method, headers }, (answer) => {
      answered.set(backend, (answered.get(backend) ?? 0) + 1);
      outgoing.writeHead(answer.statusCode ?? 502);
      answer.pipe(outgoing);
    });
    sent.on('error', (error) => {
      lost.push(`${backend}: ${error.message}`);
      outgoing.writeHead(502).end();
    });
    incoming.pipe(sent);
  };
  await probeAll();
  const timer = setInterval(() => void probeAll(), PROBE_EVERY_MS);
  const server = createServer(forward);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    answered,
    ready: () => [...ready],
    async close() {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
      agent.destroy();
    },
  };
}
