import { z } from 'zod';
import { INTERNS_ENTITLEMENT } from '../../domain/entitlement.ts';
import { defineOperation, type Method } from '../operation.ts';

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
      'The rest of the path, with its slashes, as the host gets it; segments `.` and `..` are resolved first. It may be empty, and its escapes must be UTF-8. The query goes to the host too.',
  }),
});

const description = [
  'Sends the request to the host and gives back the host’s answer, as it comes and with any status; `Sluice-Egress: forwarded` tells it from answers of the gateway.',
  'The intern’s own key comes in `Sluice-Authorization`, so that all other headers are the host’s.',
  'In the value of a header, `{{secret:name}}` becomes the value of the secret of that name, and `{{basic:user:name}}` a Basic credential with it. At least one is needed.',
  'A request that is sent leaves an entry in the log of the intern. Redirects are given back, not followed.',
  'The host is asked for an unencoded answer, in which the values become placeholders again. Clients that generate code from this description must keep the slashes of `path`.',
].join(' ');

/** Defines the operation of one HTTP method. The operations differ in the method only. */
function sendBy<const Verb extends Method, const Id extends string>(method: Verb, id: Id) {
  return defineOperation({
    id,
    method,
    path: '/interns/{internId}/egress/{scheme}/{host}/{path…}',
    access: 'any',
    programme: INTERNS_ENTITLEMENT,
    credential: 'sluice-authorization',
    tag: 'Interns',
    summary: `Send a ${method.toUpperCase()} request with an intern’s secrets`,
    description,
    params,
    rawBody: { maxBytes: MAX_EGRESS_BODY_BYTES },
    responses: {
      200: {
        description: 'The answer of the host, which may have any other status as well.',
        mediaType: '*/*',
        headers: { 'Sluice-Egress': '`forwarded`: the host has answered, and not the gateway.' },
      },
    },
    errors: [422, 502, 503, 524],
  });
}

export const egressByGet = sendBy('get', 'egressByGet');
export const egressByPost = sendBy('post', 'egressByPost');
export const egressByPut = sendBy('put', 'egressByPut');
export const egressByPatch = sendBy('patch', 'egressByPatch');
export const egressByDelete = sendBy('delete', 'egressByDelete');
