import { z } from 'zod';
import { createFaultQueue, faultSchema, type FaultQueue } from './faults.ts';
import { jsonReply, UpstreamError } from './reply.ts';
import type { RequestLog } from './request-log.ts';
import type { Exchange, Route } from './route.ts';

/**
 * Creates the control routes, which the vendor does not have:
 * - `POST /control/faults` `{ faults: [...] }`: queues faults for the next matching requests
 * - `GET /control/faults`: returns the queue and the JSON Schema of a fault
 * - `GET /control/requests?target=create`: returns the received requests; `DELETE` clears them
 */
export function createControlRoutes(queue: FaultQueue, log: RequestLog): Route[] {
  return [
    {
      method: 'POST',
      path: '/control/faults',
      async handle(exchange) {
        const { values } = await exchange.fields();
        queue.add(parseFaults(values['faults']));
        return jsonReply(200, { queued: queue.waiting() });
      },
    },
    {
      method: 'GET',
      path: '/control/faults',
      handle: () =>
        jsonReply(200, { queued: queue.waiting(), schema: z.toJSONSchema(faultSchema, { io: 'input' }) }),
    },
    {
      method: 'GET',
      path: '/control/requests',
      handle: ({ query }) => jsonReply(200, { data: log.list({ target: query.get('target') ?? undefined }) }),
    },
    {
      method: 'DELETE',
      path: '/control/requests',
      handle() {
        log.clear();
        return jsonReply(200, { data: [] });
      },
    },
  ];
}

/** Parses a list of faults: JSON, or its text in a form. Throws an UpstreamError that names each problem. */
export function parseFaults(value: unknown) {
  const parsed = z.array(faultSchema).safeParse(typeof value === 'string' ? parseText(value) : value);
  if (parsed.success) return parsed.data;
  throw new UpstreamError(400, z.prettifyError(parsed.error), { param: 'faults' });
}

/** Returns the faults in a request's field `faults`. Throws UpstreamError. */
export async function faultsIn(exchange: Exchange): Promise<FaultQueue> {
  const { faults } = (await exchange.fields()).values;
  return createFaultQueue(faults === undefined ? [] : parseFaults(faults));
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
