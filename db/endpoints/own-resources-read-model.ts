/** Reads the vendor keys and private endpoints that requests of a workspace may use. */
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow } from '../postgres/results.ts';
import { json, selectList } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import { CREDENTIAL, type SealedCredential } from './credential-rows.ts';
import { PRIVATE_ENDPOINT } from './endpoint-rows.ts';

/** The organization's own credentials and endpoints for one workspace. */
export interface OwnResources {
  /** The enabled credentials of the workspace and the organization, in the order in which requests try them. */
  credentials: SealedCredential[];
  /** Active endpoints, the oldest first. */
  endpoints: PrivateEndpoint[];
  /** Origins of all credentials of the organization, including disabled ones. */
  origins: string[];
}

/** The workspace whose requests are served. */
export interface ResourceOwner {
  organizationId: string;
  workspaceId: string;
}

/** A record inside JSON, which has no dates. */
type InJson<T> = Omit<T, 'createdAt'> & { createdAt: string };

const OWN_RESOURCES = {
  credentials: json<InJson<SealedCredential>[]>(),
  endpoints: json<InJson<PrivateEndpoint>[]>(),
  origins: json<string[]>(),
};

/** Reads the credentials and endpoints of a workspace in one statement, which sees one state of the database. */
export function createOwnResourcesReadModel(handle: Handle) {
  return {
    /** Returns the credential of an accepted job, even a disabled one; null once it is deleted. */
    async findCredential(id: string): Promise<SealedCredential | null> {
      const statement = `select ${selectList(CREDENTIAL)} from byok_credentials where id = :id`;
      return firstRow(handle, CREDENTIAL, statement, { id });
    },

    async find({ organizationId, workspaceId }: ResourceOwner): Promise<OwnResources> {
      const [row] = await rowsOf(handle, OWN_RESOURCES, FIND, { organizationId, workspaceId });
      return {
        credentials: (row?.credentials ?? []).map(withDate),
        endpoints: (row?.endpoints ?? []).map(withDate),
        origins: row?.origins ?? [],
      };
    },
  };
}

function withDate<T extends { createdAt: string }>(record: T): Omit<T, 'createdAt'> & { createdAt: Date } {
  return { ...record, createdAt: new Date(record.createdAt) };
}

const FIND = `
  select
    (select coalesce(json_agg(c order by "sortOrder", "createdAt", id), '[]') from (
      select ${selectList(CREDENTIAL)} from byok_credentials
      where organization_id = :organizationId and not disabled
        and (workspace_id is null or workspace_id = :workspaceId)) c) credentials,
    (select coalesce(json_agg(distinct c.origin), '[]') from byok_credentials c
      where c.organization_id = :organizationId and c.origin is not null) origins,
    (select coalesce(json_agg(e order by "createdAt", id), '[]') from (
      select ${selectList(PRIVATE_ENDPOINT)},
        (select max(v.id) from price_versions v where v.endpoint_id = private_endpoints.id::text) "priceVersion"
      from private_endpoints
      where organization_id = :organizationId and status = 'active' and deleted_at is null) e) endpoints`;
