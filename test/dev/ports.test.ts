import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import { findFreePorts, requireFreePorts } from '../../dev/ports.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done)))));

async function listen(host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the check of ports', () => {
  test('accepts free ports', async () => {
    const [first = 0, second = 0] = await findFreePorts(2);
    await requireFreePorts([
      { port: first, variable: 'PORT', purpose: 'the API' },
      { port: second, variable: 'POSTGRES_PORT', purpose: 'Postgres' },
    ]);
  });

  test.each(['127.0.0.1', '0.0.0.0'])(
    'names port and variable when the port is in use on %s',
    async (host) => {
      const [free = 0] = await findFreePorts(1);
      const taken = await listen(host);
      const checked = requireFreePorts([
        { port: free, variable: 'PORT', purpose: 'the API' },
        { port: taken, variable: 'TEMPORAL_PORT', purpose: 'Temporal' },
      ]);
      await expect(checked).rejects.toThrow(
        `Port ${taken} for Temporal (TEMPORAL_PORT) is in use.\nStop what listens there, or use another port: TEMPORAL_PORT=`,
      );
    },
  );

  test('names two variables that ask for the same port', async () => {
    const [port = 0] = await findFreePorts(1);
    const checked = requireFreePorts([
      { port, variable: 'PORT', purpose: 'the API' },
      { port, variable: 'UPSTREAM_PORT', purpose: 'the local upstream' },
    ]);
    await expect(checked).rejects.toThrow('(UPSTREAM_PORT) is the same as PORT');
  });
});
