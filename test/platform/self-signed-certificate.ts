import { generateKeyPairSync, sign } from 'node:crypto';

/** PEM; the certificate is its own authority. */
export interface Certificate {
  certificate: string;
  privateKey: string;
}

const ECDSA_WITH_SHA256 = der(0x06, Buffer.from('2a8648ce3d040302', 'hex'));
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));
const SUBJECT_ALTERNATIVE_NAME = der(0x06, Buffer.from('551d11', 'hex'));

/** A fresh certificate for the host, so that no private key lies in the repository and none expires. */
export function createSelfSignedCertificate(host: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(host)))));
  const validity = sequence(...[-3_600_000, 3_600_000].map((ms) => utcTime(new Date(Date.now() + ms))));
  const names = sequence(der(0x82, Buffer.from(host)));
  const extensions = der(0xa3, sequence(sequence(SUBJECT_ALTERNATIVE_NAME, der(0x04, names))));
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    certificate: pem('CERTIFICATE', certificate),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...(length < 128 ? [length] : long)), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.of(value));
}

function utcTime(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
