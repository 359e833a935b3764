/** Presents signatures for interns' daemons, and the published keys that verify them. */
import type { DaemonPublicKey, DaemonSignature } from '../../contract/interns/daemon.ts';
import type { SignedInvocation } from '../../services/interns/daemon/daemon-service.ts';

export function presentDaemonSignature({ signature, timestamp, user }: SignedInvocation): DaemonSignature {
  return {
    'x-svc-invoke-signature': signature,
    'x-svc-invoke-timestamp': `${timestamp}`,
    'x-svc-invoke-user': user,
  };
}

/** Presents a public key as a JWK of RFC 8037. */
export function presentDaemonKey({ kid, publicKey }: { kid: string; publicKey: string }): DaemonPublicKey {
  return { kty: 'OKP', crv: 'Ed25519', x: publicKey, kid, alg: 'EdDSA', use: 'sig' };
}
