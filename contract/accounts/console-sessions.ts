/** Declares the operations that sign a browser in to the console and out of it. */
import { z } from 'zod';
import { defineOperations } from '../operation.ts';

const common = { tag: 'Console' } as const;

const session = z
  .object({
    id: z.uuid(),
    expires_at: z.iso.datetime(),
    csrf_token: z.string().meta({
      description: 'Send it in the header `Sluice-CSRF-Token` with every call that is not a GET.',
    }),
    key: z.object({
      hash: z.string(),
      label: z.string().meta({ description: 'The key, masked.' }),
      kind: z.enum(['regular', 'management']),
    }),
    organization_id: z.uuid(),
    workspace_id: z.uuid().nullable().meta({
      description: 'The workspace that the session reads; null if it reads the whole organization.',
    }),
    temporal_ui_url: z.string().nullable().meta({
      description:
        'The namespace of this installation in the Temporal UI. Null if no UI is set, and for regular keys.',
    }),
    retention_days: z
      .object({
        generations: z.number().meta({ description: 'The days for which a generation is listed.' }),
        contents: z.number().meta({ description: 'The days for which logged input and output are kept.' }),
      })
      .meta({ description: 'How long this installation keeps records. Parts of a day are fractions.' }),
  })
  .meta({ id: 'ConsoleSession' });

export type ConsoleSessionBody = z.output<typeof session>;

const newSession = z
  .strictObject({
    api_key: z.string().max(256).optional().meta({ description: 'A regular or a management key.' }),
    link: z.string().max(256).optional().meta({
      description:
        'The token of a sign-in link, which `npm start` and `admin console-link` print. It works once.',
    }),
  })
  .refine(({ api_key, link }) => (api_key === undefined) !== (link === undefined), {
    message: 'must have either `api_key` or `link`',
  })
  .meta({ id: 'NewConsoleSession' });

const example: ConsoleSessionBody = {
  id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  expires_at: '2026-01-01T12:00:00.000Z',
  csrf_token: 'mJ3xQk1wz2pVYc8sX0n4tA7uF5rE9gHbLdKqWvTjRyM',
  key: {
    hash: 'f01d52606dc8f0a8303a7b5cc3fa07109c2e346cec7c0a16b40de462992ce943',
    label: 'sk-slc-abc...wxyz',
    kind: 'management',
  },
  organization_id: '6f1c2c1e-5a3a-4b61-9a53-0f2c6f3d1f10',
  workspace_id: null,
  temporal_ui_url: 'http://127.0.0.1:8233/namespaces/default',
  retention_days: { generations: 90, contents: 30 },
};

const answer = (description: string) => ({
  description,
  schema: z.object({ data: session }),
  example: { data: example },
});

export const consoleSessionOperations = defineOperations(common, {
  createConsoleSession: {
    route: 'POST /console/sessions',
    access: 'public',
    summary: 'Sign in to the console',
    description:
      'Exchanges a key, or a sign-in link, for a cookie that lasts 12 hours. The browser does not keep the key. The session may do what the key may, and ends with it. After five wrong keys in a minute an address gets 429.',
    body: {
      schema: newSession,
      examples: {
        key: {
          summary: 'With a key',
          value: { api_key: 'sk-slc-EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE' },
        },
      },
    },
    responses: {
      201: {
        ...answer('The session.'),
        headers: { 'Set-Cookie': 'The session, readable by this server only.' },
      },
    },
    errors: [401, 403],
  },

  getConsoleSession: {
    route: 'GET /console/sessions',
    access: 'any',
    summary: 'Get the session of the cookie',
    description: 'Returns the session; 404 for a call with a key in place of the cookie.',
    responses: { 200: answer('The session.') },
    errors: [404],
  },

  deleteConsoleSession: {
    route: 'DELETE /console/sessions',
    access: 'any',
    summary: 'Sign out of the console',
    description: 'Ends the session of the cookie; 404 for a call with a key in place of the cookie.',
    responses: { 204: { description: 'The session has ended.' } },
    errors: [404],
  },
});
