/** A bearer token of the SCIM server, without its secret. */
export interface ScimToken {
  id: string;
  organizationId: string;
  label: string;
  createdAt: Date;
  /** Null until the first request. At most a minute old otherwise. */
  lastUsedAt: Date | null;
}

/** An organization has at most so many SCIM tokens. */
export const MAX_SCIM_TOKENS = 5;

/** The identity provider that calls the SCIM server, known by its token. */
export interface DirectoryClient {
  organizationId: string;
  tokenId: string;
  /** Lower-case hex SHA-256 of the token. */
  tokenHash: string;
}
