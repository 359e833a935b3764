/** Declares the operations by which an intern sends requests with secrets to other hosts. */
import { z } from 'zod';
import { defineOperations, type Verb } from '../operation.ts';
import { internOperation } from './interns.ts';

/** The largest body that is sent to a host, in bytes. */
export const MAX_EGRESS_BODY_BYTES = 8 * 1024 ** 2;

const params = z.object({
  internId: z.string().meta({ description: 'The intern whose key calls.' }),
  scheme: z.string().meta({ description: '`https`; `http` only where the operator allows it.' }),
  host: z.string().meta({
    description: 'The name of the host. A port other than 443 follows a colon, where the operator allows it.',
  }),
  path: z.string().optional().meta({
    description:
      'The rest of the path, with its slashes, as the host receives it. Segments `.` and `..` are resolved first. It may be empty, and its percent-encoding must be UTF-8. The host also receives the query, unchanged.',
  }),
});

const description = [
  'Sends the request to the host and returns the host’s response as it arrives, with any status. `Sluice-Egress: forwarded` distinguishes it from responses of the gateway itself.',
  'Send the intern’s own key in `Sluice-Authorization`; all other headers are for the host.',
  'In the value of a header, `{{secret:name}}` becomes the value of the secret with that name, and `{{basic:user:name}}` becomes a Basic credential with that value. A request needs at least one of these placeholders.',
  'Each request that is sent is logged for the intern. Redirects are returned, not followed.',
  'The gateway requests an unencoded response, in which it replaces the values with their placeholders. Clients that are generated from this description must not encode the slashes of `path`.',
].join(' ');

/** Describes the operation of one HTTP method. The operations differ in the method only. */
function sendBy(verb: Verb) {
  return {
    route: `${verb} /interns/{internId}/egress/{scheme}/{host}/{path…}`,
    credential: 'sluice-authorization',
    summary: `Send a ${verb} request with an intern’s secrets`,
    description,
    params,
    callsOut: true,
    rawBody: { maxBytes: MAX_EGRESS_BODY_BYTES },
    responses: {
      200: {
        description: 'The response of the host, which may have any other status as well.',
        mediaType: '*/*',
        headers: { 'Sluice-Egress': '`forwarded`: the response is the host’s, not the gateway’s.' },
      },
    },
    errors: [422, 502, 503, 524],
  } as const;
}

export const egressOperations = defineOperations(internOperation, {
  egressByGet: sendBy('GET'),
  egressByPost: sendBy('POST'),
  egressByPut: sendBy('PUT'),
  egressByPatch: sendBy('PATCH'),
  egressByDelete: sendBy('DELETE'),
});
