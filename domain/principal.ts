import type { Ceiling } from './ceiling.ts';

/** Who a verified key speaks for. Never holds the token. */
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
  /** What its spending must keep within; absent when nothing limits it. */
  ceilings?: Ceiling[];
  /** Generation requests per interval, in place of the deployment's limit. */
  rateLimitRequests?: number;
}

/** Returns whether the principal's key has expired by this time. */
export function hasExpired({ expiresAt }: Pick<Principal, 'expiresAt'>, nowMs: number): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= nowMs;
}

/** Returns whether the principal's key is somebody's: of its creator, or of the identity that it names. */
export function isPersonal({
  creatorUserId,
  identitySubject,
}: Pick<Principal, 'creatorUserId' | 'identitySubject'>): boolean {
  return creatorUserId !== undefined || identitySubject !== undefined;
}

/**
 * What a principal may read: a regular or intern key its own workspace, a management key its whole
 * organization (design: §4).
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

/** Who answers for a change: a management key with its request, an operator at the command line, or the system. */
export interface Actor {
  organizationId: string;
  keyHash?: string;
  requestId?: string;
  /** Nobody asked for it. */
  isSystem?: true;
}

export function actorOf({ organizationId, keyHash }: Principal, { requestId }: ClientFacts): Actor {
  return { organizationId, keyHash, requestId };
}

/** What the HTTP layer knows of the client, kept with the job for the ledger. */
export interface ClientFacts {
  requestId: string;
  referer?: string;
  title?: string;
  categories?: string;
  userAgent?: string;
  country?: string;
}
