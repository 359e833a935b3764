/** Finds free ports, and reports ports of the laptop stack that are in use. */
import { randomInt } from 'node:crypto';
import { createConnection, createServer } from 'node:net';
import { HOST } from './settings.ts';
import { StackError } from './stack-error.ts';

export interface PortNeed {
  port: number;
  /** The environment variable that changes the port. */
  variable: string;
  /** The program that will listen, as errors name it. */
  purpose: string;
}

/** Throws one StackError that names every used port with its variable. Reserves nothing. */
export async function requireFreePorts(needs: PortNeed[]): Promise<void> {
  const problems: string[] = [];
  let firstUsed: PortNeed | undefined;
  for (const [index, need] of needs.entries()) {
    const samePort = needs.slice(0, index).find((other) => other.port === need.port);
    const problem =
      samePort === undefined ? await portProblem(need.port) : `is the same as ${samePort.variable}`;
    if (problem === undefined) continue;
    firstUsed ??= need;
    problems.push(`Port ${need.port} for ${need.purpose} (${need.variable}) ${problem}.`);
  }
  if (firstUsed === undefined) return;
  const example = `${firstUsed.variable}=${firstUsed.port + 1000}`;
  throw new StackError(
    `${problems.join('\n')}\nStop what listens there, or use another port: ${example} npm start`,
  );
}

async function portProblem(port: number): Promise<string | undefined> {
  // Connecting finds a listener on any address; binding alone misses some on some systems.
  if (await canConnect(port)) return 'is in use';
  const error = await bindError(port);
  if (error === undefined) return undefined;
  if (error.code === 'EADDRINUSE') return 'is in use';
  return error.code === 'EACCES'
    ? 'needs privileges that this user lacks'
    : `cannot be used: ${error.message}`;
}

/** Returns whether a program accepts connections on the port. */
function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: HOST, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function bindError(port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host: HOST, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** The ports from which `findFreePorts` chooses. Systems give the higher ones to outgoing connections at any moment. */
const CHOSEN_PORTS = { first: 15_000, last: 30_000 };

/** Returns different ports that were free a moment ago. */
export async function findFreePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(CHOSEN_PORTS.first, CHOSEN_PORTS.last);
    if (!found.has(port) && (await portProblem(port)) === undefined) found.add(port);
  }
  return [...found];
}
