import { afterEach } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { createOutboundGuard } from '../../platform/outbound-guard.ts';
import type { OutboundGuard, OutboundGuardOptions } from '../../platform/outbound-guard.ts';
import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer } from './loopback-server.ts';
import type { Certificate } from './self-signed-certificate.ts';

/** A request that is never in a hurry. */
export const GET = { timeoutMs: 10_000 };

const cleanups: (() => Promise<void>)[] = [];

/** For each suite that uses what follows. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
}

/** A server that goes away after the test. */
export async function serve(listener: RequestListener, certificate?: Certificate): Promise<LoopbackServer> {
  const server = await startLoopbackServer(listener, certificate);
  cleanups.push(server.close);
  return server;
}

/** A guard with loopback opened, which goes away after the test. */
export function guardWith(options: Partial<OutboundGuardOptions> = {}): OutboundGuard {
  const guard = createOutboundGuard({ allow: ['127.0.0.0/8'], ...options });
  cleanups.push(guard.close);
  return guard;
}

/** Answers one after the other, the last one for ever. */
export function resolverOf(...answers: string[][]): () => Promise<string[]> {
  return async () => (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
}
