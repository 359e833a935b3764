import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { DaemonKeyRecord, NewDaemonKey } from '../../../db/interns/daemon-key-store.ts';
import { daemonKeyContext } from '../../../domain/interns/daemon-key.ts';
import type { Encryption } from '../../../platform/encryption.ts';

/** Creates an Ed25519 key pair with an encrypted private key. */
export function newDaemonKey(encryption: Pick<Encryption, 'seal'>): NewDaemonKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const kid = thumbprintOf(x);
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  return { kid, publicKey: x, sealedPrivateKey: encryption.seal(secret, daemonKeyContext(kid)) };
}

/** Decrypts a signing key. Throws an EncryptionError when its master key is not configured. */
export function openDaemonKey(
  encryption: Pick<Encryption, 'open'>,
  { kid, sealedPrivateKey }: Pick<DaemonKeyRecord, 'kid' | 'sealedPrivateKey'>,
): KeyObject {
  const key = encryption.open(sealedPrivateKey, daemonKeyContext(kid));
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** Hashes the required members of the JWK in the order of their names, by RFC 7638. */
function thumbprintOf(x: string): string {
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return createHash('sha256').update(members).digest('base64url');
}
