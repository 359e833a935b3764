import { operations } from '../../contract/operations.ts';
import { AppError } from '../../domain/errors.ts';
import { defineRoute } from '../http/route.ts';

type EgressOperation = (typeof operations)[`egressBy${'Get' | 'Post' | 'Put' | 'Patch' | 'Delete'}`];

/** The path of the host begins behind so many segments: `/api/v1/interns/{internId}/egress/{scheme}/{host}`. */
const SEGMENTS_BEFORE_PATH = 8;

export const egressByGet = sendBy(operations.egressByGet);
export const egressByPost = sendBy(operations.egressByPost);
export const egressByPut = sendBy(operations.egressByPut);
export const egressByPatch = sendBy(operations.egressByPatch);
export const egressByDelete = sendBy(operations.egressByDelete);

function sendBy(operation: EgressOperation) {
  return defineRoute(operation, async (call, { services }) => {
    const { principal, params, method } = call;
    // The router takes it for a GET.
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
    // The contract names 200 for every status that a host may answer with.
    return { ...answer, status: answer.status as 200 };
  });
}

/** Takes the path as it was sent: its escaped slashes are not slashes. */
function pathOfHost(rawPath: string): string {
  return `/${rawPath.split('/').slice(SEGMENTS_BEFORE_PATH).join('/')}`;
}
