/**
 * The encrypted secret of a credential, with the only origin that receives it. A null origin is that of the vendor's
 * own address.
 */
export interface OwnCredential {
  id: string;
  sealed: string;
  /** Changes when the secret changes. */
  secretVersion: string;
  origin: string | null;
}

/** The connection to a customer's upstream: the customer's own deployment, or a vendor with the customer's key. */
export interface OwnConnection {
  providerSlug: string;
  /** Null: the address inside the credential, else the vendor's own. */
  baseUrl: string | null;
  /** Null: the upstream is called without a secret. */
  credential: OwnCredential | null;
}

/** A customer's own access to a target. */
export interface OwnAccess {
  /** A private endpoint, a catalog endpoint with an own credential, or one with a fallback credential. */
  tier: 'private' | 'credential' | 'fallback';
  /** Orders targets within a tier; lower ones are tried first. */
  sortOrder: number;
  /** The id of the circuit. It changes with the secret, so a new key starts with a closed circuit. */
  circuitId: string;
  connection: OwnConnection;
}
