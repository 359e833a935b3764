/** Sends an intern's requests with secrets to other hosts, and returns the answers. */
import type { egressOperations } from '../../contract/interns/egress.ts';
import { AppError } from '../../domain/errors.ts';
import type { EgressService } from '../../services/interns/egress/egress-service.ts';
import type { Api, Call, RoutesOf } from '../http/route.ts';

/** The number of segments before the host's path: `/api/v1/interns/{internId}/egress/{scheme}/{host}`. */
const SEGMENTS_BEFORE_PATH = 8;

interface Used {
  egress: EgressService;
}

export const egressRoutes: RoutesOf<typeof egressOperations, Used> = {
  /**
   * Handles `/interns/{internId}/egress/{scheme}/{host}/…`: sends an intern's request to a host and returns the host's
   * answer.
   */
  egressByGet: send,
  egressByPost: send,
  egressByPut: send,
  egressByPatch: send,
  egressByDelete: send,
};

type EgressOperation = (typeof egressOperations)[keyof typeof egressOperations];

async function send(call: Call<EgressOperation>, { services }: Api<Used>) {
  const { principal, params, method } = call;
  // The router treats HEAD as GET.
  if (method === 'HEAD') throw new AppError('method_not_allowed', { headers: { allow: 'GET' } });
  const answer = await services.egress.send({
    principal,
    internId: params.internId,
    scheme: params.scheme,
    host: params.host,
    ...targetOfHost(call.rawTarget),
    method,
    headers: call.rawHeaders,
    client: call.client,
    body: call.rawBody,
    memory: call.openAnswer(principal),
    gone: call.gone(),
  });
  // The contract declares only 200, which stands for every status of a host.
  return { ...answer, status: answer.status as 200 };
}

/** Matches the path and the query of a request target, which may be a whole URL. A fragment is no part of a request. */
const TARGET = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/i;

/**
 * Returns the host's path and query as received. Koa's would differ: it drops a lone question mark. Escaped slashes are
 * not separators.
 */
function targetOfHost(rawTarget: string): { path: string; query: string } {
  const [, path = '', query = ''] = TARGET.exec(rawTarget) ?? [];
  return { path: `/${path.split('/').slice(SEGMENTS_BEFORE_PATH).join('/')}`, query };
}
