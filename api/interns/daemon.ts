/** Signs requests to interns' daemons, and publishes the keys that verify them. */
import {
  type daemonOperations,
  type DaemonPublicKey,
  type DaemonSignature,
  KEYS_CACHE_CONTROL,
} from '../../contract/interns/daemon.ts';
import type { DaemonService, SignedInvocation } from '../../services/interns/daemon/daemon-service.ts';
import { rateHeaders } from '../../services/rate-limits/rate-headers.ts';
import type { Api, Call, RoutesOf } from '../http/route.ts';

interface Used {
  daemon: DaemonService;
}

export const daemonRoutes: RoutesOf<typeof daemonOperations, Used> = {
  /**
   * Handles `POST /interns/{internId}/daemon/sign` and `POST /interns/{internId}/daemon-access/sign`: signs a request
   * to an intern's daemon.
   */
  signDaemonRequest: sign,

  signDaemonAccess: sign,

  /** Handles `GET /interns/daemon/jwks.json`: publishes the keys with which daemons verify signed requests. */
  getDaemonKeys: async (_call, { services }) => {
    const keys = await services.daemon.publishedKeys();
    const headers = { 'cache-control': KEYS_CACHE_CONTROL };
    return { status: 200, headers, body: { keys: keys.map(presentDaemonKey) } };
  },
};

type SignCall = Pick<Call<typeof daemonOperations.signDaemonRequest>, 'principal' | 'params' | 'body'>;

async function sign({ principal, params, body }: SignCall, { services }: Api<Used>) {
  const signed = await services.daemon.sign(principal, params.internId, body.bodySha256);
  return {
    status: 200 as const,
    headers: signed.rate && rateHeaders(signed.rate),
    body: presentDaemonSignature(signed),
  };
}

function presentDaemonSignature({ signature, timestamp, user }: SignedInvocation): DaemonSignature {
  return {
    'x-svc-invoke-signature': signature,
    'x-svc-invoke-timestamp': `${timestamp}`,
    'x-svc-invoke-user': user,
  };
}

/** Presents a public key as a JWK of RFC 8037. */
function presentDaemonKey({ kid, publicKey }: { kid: string; publicKey: string }): DaemonPublicKey {
  return { kty: 'OKP', crv: 'Ed25519', x: publicKey, kid, alg: 'EdDSA', use: 'sig' };
}
