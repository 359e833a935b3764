/** The encrypted secret of a credential, with the only origin that receives it; null is that of the vendor's own address. */
export interface OwnCredential {
  id: string;
  sealed: string;
  /** Changes with the secret. */
  secretVersion: string;
  origin: string | null;
}

/** How one upstream of a customer is reached: the customer's own deployment, or a vendor by the customer's key. */
export interface OwnConnection {
  providerSlug: string;
  /** Null: the address inside the credential, else the vendor's own. */
  baseUrl: string | null;
  /** Null: the upstream is called without a secret. */
  credential: OwnCredential | null;
}

/** A customer's own way to a target. */
export interface OwnAccess {
  /** A private endpoint, a catalog's endpoint by an own credential, or one by a credential that is a fallback. */
  tier: 'private' | 'credential' | 'fallback';
  /** Orders equals of a tier; lower ones are tried first. */
  sortOrder: number;
  /** Names the circuit. Changes with the secret, so that a new key starts clean. */
  circuitId: string;
  connection: OwnConnection;
}
