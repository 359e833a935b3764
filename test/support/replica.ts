import { afterAll, beforeAll } from '@jest/globals';
import { startApi } from '../../api/start-api.ts';
import type { Config } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { type Gateway, type GatewayOptions, type GatewayTimes, startGateway } from './gateway.ts';

export interface Replica {
  origin: string;
  close(): Promise<void>;
}

/** A second API beside the gateway's own, on the same database; `change` makes its configuration another. */
export async function startReplica(
  gateway: Gateway,
  change: (config: Config) => Partial<Config> = () => ({}),
  times: GatewayTimes = gateway.times,
): Promise<Replica> {
  const logger = createLogger({ level: 'fatal', name: 'test' });
  const api = await startApi({ ...gateway.config, ...change(gateway.config) }, logger, { times });
  return {
    origin: `http://127.0.0.1:${api.port}`,
    async close() {
      for (const { run } of api.shutdownSteps) await run();
    },
  };
}

/** Opens and closes a gateway with a second API for the tests of a suite. */
export function useReplica(
  begin: (gateway: Gateway, replica: Replica) => unknown,
  options: GatewayOptions = {},
): void {
  let gateway: Gateway;
  let replica: Replica;
  beforeAll(async () => {
    gateway = await startGateway(options);
    replica = await startReplica(gateway);
    await begin(gateway, replica);
  });
  afterAll(async () => {
    await replica.close();
    await gateway.close();
  });
}

/** It hears of no change: what it knows of a key, a workspace or a preset holds for a second. */
export function startDeafReplica(gateway: Gateway): Promise<Replica> {
  return startReplica(gateway, ({ database }) => ({
    database: { ...database, listenUrl: `postgres://nobody@${CLOSED_PORT}/none` },
  }));
}

/** An address that refuses connections: port 1 of this machine, which nothing listens on. */
export const CLOSED_PORT = '127.0.0.1:1';
