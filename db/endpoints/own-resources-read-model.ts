/** Reads the vendor keys and private endpoints that requests of a workspace may use. */
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { type CredentialRow, type SealedCredential, toCredential } from './credential-rows.ts';
import { type EndpointRow, toPrivateEndpoint } from './endpoint-rows.ts';

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

interface OwnResourcesRow {
  credentials: CredentialRow[];
  endpoints: EndpointRow[];
  origins: string[];
}

/** Reads the credentials and endpoints of a workspace in one statement, which sees one state of the database. */
export function createOwnResourcesReadModel(handle: Handle) {
  return {
    /** Returns the credential of an accepted job, even a disabled one; null once it is deleted. */
    async findCredential(id: string): Promise<SealedCredential | null> {
      const [row] = await uncheckedRowsOf<CredentialRow>(
        handle,
        'select * from byok_credentials where id = ?',
        [id],
      );
      return row === undefined ? null : toCredential(row);
    },

    async find({ organizationId, workspaceId }: ResourceOwner): Promise<OwnResources> {
      const [row] = await uncheckedRowsOf<OwnResourcesRow>(handle, FIND, { organizationId, workspaceId });
      return {
        credentials: (row?.credentials ?? []).map(toCredential),
        endpoints: (row?.endpoints ?? []).map(toPrivateEndpoint),
        origins: row?.origins ?? [],
      };
    },
  };
}

const FIND = `
  select
    (select coalesce(json_agg(c order by c.sort_order, c.created_at, c.id), '[]') from byok_credentials c
      where c.organization_id = :organizationId and not c.disabled
        and (c.workspace_id is null or c.workspace_id = :workspaceId)) credentials,
    (select coalesce(json_agg(distinct c.origin), '[]') from byok_credentials c
      where c.organization_id = :organizationId and c.origin is not null) origins,
    (select coalesce(json_agg(e order by e.created_at, e.id), '[]') from private_endpoints e
      where e.organization_id = :organizationId and e.status = 'active' and e.deleted_at is null) endpoints`;
