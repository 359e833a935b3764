import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { presentError } from '../../../api/http/errors/present-error.ts';
import { createBodiesInFlight } from '../../../api/http/request/bodies-in-flight.ts';
import { createBodyPace } from '../../../api/http/request/body-pace.ts';
import { type BodyGuards, readBody } from '../../../api/http/request/read-body.ts';
import type { AppError } from '../../../domain/errors.ts';
import { eventually } from '../../support/eventually.ts';

export const KIB = 1024;

/**
 * Serves `readBody` alone, for bodies up to 400 KiB. The header `organization` says whose a body is. Answers 200 with
 * the number of bytes once `release` was called, and the error's status and headers for a body that was not read.
 */
export async function serveBodies(guards: Partial<BodyGuards>) {
  const { bodies = createBodiesInFlight({ maxBytes: 512 * 1024 * KIB }), pace = createBodyPace() } = guards;
  const held = Promise.withResolvers<void>();
  let [begun, read] = [0, 0];
  const server = createServer((request, response) => {
    const organizationId = request.headers['organization'] as string | undefined;
    const reading = readBody(request, response, { limitBytes: 400 * KIB, organizationId }, { bodies, pace });
    begun += 1;
    reading
      .then(async ({ length }) => {
        read += 1;
        await held.promise;
        response.end(`read ${length}`);
      })
      .catch((error: AppError) => {
        const { status, headers } = presentError(error);
        response.writeHead(status, headers).end(error.options.reason);
      });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const reached = (what: string, count: () => number, wanted: number): Promise<true> =>
    eventually(what, async () => (count() === wanted ? true : undefined));
  return {
    port,
    release: held.resolve,
    untilBegun: (wanted: number) => reached(`${wanted} bodies that have begun`, () => begun, wanted),
    untilRead: (wanted: number) => reached(`${wanted} bodies that are read`, () => read, wanted),
    /** Resolves with null where the connection was closed before the answer could be read. */
    post: (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response | null> =>
      fetch(`http://127.0.0.1:${port}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }).catch(() => null),
    async close(): Promise<void> {
      held.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
