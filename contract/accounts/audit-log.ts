/** Declares the operation that lists the audit log, and the shape of its entries. */
import { z } from 'zod';
import { pageOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';
import { text } from '../text.ts';

const common = { access: 'management', tag: 'Audit log' } as const;

const entry = z
  .object({
    id: z.uuid(),
    action: z.string().meta({
      description:
        'The `operationId` of the operation in this document. Changes that no operation makes have names of their own, such as `reportFailingCallbackUrl` or `addCredits`.',
    }),
    target: z.string().meta({
      description:
        'The changed resource, as its path below the base, with its canonical id. Resources that only operators change have a name of the same form, such as `organization/members/<user>`.',
    }),
    actor: z.enum(['key', 'operator', 'system']).meta({
      description:
        '`key`: a management key or a SCIM token. `operator`: an operator at the command line. `system`: no request caused the change.',
    }),
    key_hash: z.string().nullable().meta({
      description:
        'The hash of the management key or SCIM token that made the change; null: an operator or the system made it.',
    }),
    request_id: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'AuditLogEntry' });

export type AuditLogEntry = z.output<typeof entry>;

const example = {
  id: '7d2f0a6b-5a0e-4c0c-9a44-8d4b6f4f1a52',
  action: 'updateKey',
  target: 'keys/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  actor: 'key',
  key_hash: '3c9909afec25354d551dae21590bb26e38d53f2173b8d3dc3eee4c047e7ab1c1',
  request_id: 'req_2b8XQ1mZr7KcW4tYp0LdVn3E',
  created_at: '2026-01-01T00:00:00.000Z',
};

export const auditLogOperations = defineOperations(common, {
  listAuditLog: {
    route: 'GET /audit-log',
    summary: 'List the audit log',
    description:
      'Lists the changes that keys, operators and the system made in the organization, the newest first. Pages read with `before` neither repeat nor skip entries when new ones are added.',
    query: z.object({
      ...pageQuery,
      before: z
        .uuid()
        .optional()
        .meta({ description: 'The `id` of an entry. Only the entries after it in the list are returned.' }),
      action: text({ min: 1, max: 100 }).optional(),
      target: text({ min: 1, max: 10_000 }).optional(),
      key_hash: text({ min: 1, max: 64 }).optional(),
    }),
    responses: {
      200: {
        description: 'One page of entries. `total_count` does not depend on `before`.',
        ...pageOf('AuditLog', entry, example),
      },
    },
  },
});
