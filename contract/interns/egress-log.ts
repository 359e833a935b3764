/** Declares the operation that lists the requests sent for an intern, and the shape of an entry. */
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { queryInteger } from '../query-values.ts';
import { internOperation } from './interns.ts';

const entry = z
  .object({
    created_at: z.iso.datetime(),
    key_hash: z.string().meta({ description: 'The hash of the intern’s key that called.' }),
    method: z.string(),
    host: z
      .string()
      .meta({ description: 'The name of the host, with its port if that is not the default one.' }),
    names: z.array(z.string()).meta({ description: 'The names of the secrets that the host received.' }),
    status: z.int().nullable().meta({
      description: 'The status of the host’s answer. Null: there was none, or none was recorded.',
    }),
    bytes: z.int().nullable().meta({
      description:
        "The length of the answer's body in bytes. Null: the request is running, or was never completed.",
    }),
  })
  .meta({ id: 'EgressLogEntry' });

export type EgressLogEntry = z.output<typeof entry>;

const example: EgressLogEntry = {
  created_at: '2026-01-01T00:00:00.000Z',
  key_hash: '3c9909afec25354d551dae21590bb26e38d53f2173b8d3dc3eee4c047e7ab1c1',
  method: 'POST',
  host: 'api.openai.com',
  names: ['openai_key'],
  status: 200,
  bytes: 1_204,
};

export const egressLogOperations = defineOperations(internOperation, {
  listEgressLog: {
    route: 'GET /interns/{internId}/egress-log',
    summary: 'List the requests that were sent for an intern',
    description:
      'Lists the requests with secrets of the intern that the gateway sent to hosts within 30 days, the newest first. Paths, queries, bodies and values are not recorded. Accepts a key of the intern’s workspace, or the intern’s own key.',
    params: z.object({ internId: z.string() }),
    query: z.object({
      limit: queryInteger({ min: 1, max: 100 })
        .default(100)
        .meta({ description: 'The maximum number of entries to return.' }),
      starting_after: z.string().optional().meta({ description: 'The `next_cursor` of the previous page.' }),
    }),
    responses: {
      200: {
        description: 'One page of entries.',
        schema: z
          .object({
            data: z.array(entry),
            has_more: z.boolean(),
            next_cursor: z.string().optional().meta({ description: 'Present only if more entries follow.' }),
          })
          .meta({ id: 'EgressLog' }),
        example: { data: [example], has_more: false },
      },
    },
  },
});
