/**
 * Handles `POST /interns/{internId}/daemon/sign` and `POST /interns/{internId}/daemon-access/sign`: signs a request to
 * an intern's daemon.
 */
import { daemonOperations } from '../../contract/interns/daemon.ts';
import { rateHeaders } from '../../services/rate-limits/rate-headers.ts';
import { presentDaemonSignature } from './present-daemon-signature.ts';
import { type Api, type Call, defineRoute } from '../http/route.ts';

type SignCall = Pick<Call<typeof daemonOperations.signDaemonRequest>, 'principal' | 'params' | 'body'>;

async function sign({ principal, params, body }: SignCall, { services }: Api) {
  const signed = await services.daemon.sign(principal, params.internId, body.bodySha256);
  return {
    status: 200 as const,
    ...(signed.rate === undefined ? {} : { headers: rateHeaders(signed.rate) }),
    body: presentDaemonSignature(signed),
  };
}

export const signDaemonRequest = defineRoute(daemonOperations.signDaemonRequest, sign);

export const signDaemonAccess = defineRoute(daemonOperations.signDaemonAccess, sign);
