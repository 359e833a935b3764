/**
 * Handles `/interns/{internId}/egress/{scheme}/{host}/…`: sends an intern's request to a host and returns the host's
 * answer.
 */
import { operations } from '../../contract/operations.ts';
import { AppError } from '../../domain/errors.ts';
import { defineRoute } from '../http/route.ts';

type EgressOperation = (typeof operations)[`egressBy${'Get' | 'Post' | 'Put' | 'Patch' | 'Delete'}`];

/** The number of segments before the host's path: `/api/v1/interns/{internId}/egress/{scheme}/{host}`. */
const SEGMENTS_BEFORE_PATH = 8;

export const egressByGet = sendBy(operations.egressByGet);
export const egressByPost = sendBy(operations.egressByPost);
export const egressByPut = sendBy(operations.egressByPut);
export const egressByPatch = sendBy(operations.egressByPatch);
export const egressByDelete = sendBy(operations.egressByDelete);

function sendBy(operation: EgressOperation) {
  return defineRoute(operation, async (call, { services }) => {
    const { principal, params, method } = call;
    // The router treats HEAD as GET.
    if (method === 'HEAD') throw new AppError('method_not_allowed', { headers: { allow: 'GET' } });
    const answer = await services.egress.send({
      principal,
      internId: params.internId,
      scheme: params.scheme,
      host: params.host,
      path: pathOfHost(call.rawPath),
      query: call.rawQuery,
      method,
      headers: call.rawHeaders,
      body: call.rawBody,
      gone: call.gone(),
    });
    // The contract declares only 200, which stands for every status of a host.
    return { ...answer, status: answer.status as 200 };
  });
}

/** Returns the path as received: escaped slashes are not separators. */
function pathOfHost(rawPath: string): string {
  return `/${rawPath.split('/').slice(SEGMENTS_BEFORE_PATH).join('/')}`;
}
