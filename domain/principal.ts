/** Defines who sends a request: the verified key, its rights and the client's own facts. */
import type { Ceiling } from './ceiling.ts';

/** The identity and rights of a verified key. It never contains the token. */
export interface Principal {
  /** Numeric key id, used by counters and analytics. */
  keyId: number;
  /** Lower-case hex SHA-256 of the token. */
  keyHash: string;
  kind: 'regular' | 'management' | 'intern';
  label: string;
  organizationId: string;
  workspaceId: string;
  internId?: string;
  creatorUserId?: string;
  identitySubject?: string;
  externalUser?: string;
  expiresAt?: Date;
  /** The limits on its spending; absent if nothing limits it. */
  ceilings?: Ceiling[];
  /** The allowed generation requests per interval; replaces the deployment's limit. */
  rateLimitRequests?: number;
}

/** Returns whether the principal's key has expired by this time. */
export function hasExpired({ expiresAt }: Pick<Principal, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= nowMs;
}

/** Returns whether the key belongs to a person: its creator, or the identity that it names. */
export function isPersonal({
  creatorUserId,
  identitySubject,
}: Pick<Principal, 'creatorUserId' | 'identitySubject'>): boolean {
  return creatorUserId !== undefined || identitySubject !== undefined;
}

/**
 * The data that a principal may read. Regular and intern keys read their own workspace, management keys the whole
 * organization.
 */
export interface ReadScope {
  organizationId: string;
  /** Absent: every workspace of the organization. */
  workspaceId?: string;
}

export function readScope(principal: Principal): ReadScope {
  const { organizationId, workspaceId, kind } = principal;
  return kind === 'management' ? { organizationId } : { organizationId, workspaceId };
}

/** The originator of a change: a management key with its request, an operator at the command line, or the system. */
export interface Actor {
  organizationId: string;
  keyHash?: string;
  requestId?: string;
  /** True: no person requested the change. */
  isSystem?: true;
}

/** The key that sent a request, and the facts of its client. */
export interface Caller {
  principal: Principal;
  client: ClientFacts;
}

export function actorOf({ principal: { organizationId, keyHash }, client: { requestId } }: Caller): Actor {
  return { organizationId, keyHash, requestId };
}

/** Facts about the client from the HTTP request. A job stores them for the ledger. */
export interface ClientFacts {
  requestId: string;
  referer?: string | undefined;
  title?: string | undefined;
  categories?: string | undefined;
  userAgent?: string | undefined;
  country?: string | undefined;
  /** The value of the header `sluice-hops` for requests that follow from this one. */
  hops?: string | undefined;
}
