/** A bearer token of the SCIM server, without its secret. */
export interface ScimToken {
  id: string;
  organizationId: string;
  label: string;
  createdAt: Date;
  /** Null until the first request; otherwise up to a minute late. */
  lastUsedAt: Date | null;
}

/** The most SCIM tokens of an organization. */
export const MAX_SCIM_TOKENS = 5;

/** The identity provider that calls the SCIM server, identified by its token. */
export interface DirectoryClient {
  organizationId: string;
  tokenId: string;
  /** Lower-case hex SHA-256 of the token. */
  tokenHash: string;
}
