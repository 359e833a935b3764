import type { SealedCredential } from '../../db/endpoints/credential-rows.ts';

/** The part of a credential that opens it. */
export type OwnCredential = Pick<SealedCredential, 'id' | 'sealed' | 'secretVersion' | 'origin'>;

/** How one upstream of a customer is reached: the customer's own deployment, or a vendor by the customer's key. */
export interface OwnConnection {
  providerSlug: string;
  /** Null: the address inside the credential, else the vendor's own. */
  baseUrl: string | null;
  /** Null: the upstream is called without a secret. */
  credential: OwnCredential | null;
}

/** Returns the origin of a URL in its normal form; null for text that is no URL. */
export function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  parsed.hostname = parsed.hostname.replace(/\.+$/, '');
  return parsed.origin;
}
