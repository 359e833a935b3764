/** Stores customers' private endpoints, from the draft to activation and deletion. */
import type {
  PrivateEndpoint,
  PrivateEndpointStatus,
  PrivatePricing,
} from '../../domain/endpoints/private-endpoint.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { type EndpointRow, toPrivateEndpoint } from './endpoint-rows.ts';

/** An endpoint with the names of its model and provider. */
export interface NamedEndpoint extends PrivateEndpoint {
  modelName: string;
  /** The canonical slug of the model. */
  modelPermaslug: string;
  providerName: string;
}

interface NamedRow extends EndpointRow {
  model_name: string;
  model_permaslug: string;
  provider_name: string;
}

export type NewEndpoint = Omit<PrivateEndpoint, 'status' | 'revision' | 'createdAt'>;

/** The upstream of a draft, with the customer's declarations. */
export type EndpointConfiguration = Pick<
  PrivateEndpoint,
  'upstreamModelId' | 'baseUrl' | 'declaredRegion' | 'declaredZdr' | 'declaredParameters'
>;

export interface ActivationTerms {
  /** The digest of the configuration that a validation must have tested, from `digestOf`. */
  digest: string;
  /** The longest time since the end of that validation. */
  maxAgeMs: number;
}

/** Stores private endpoints. An organization sees only its own, without deleted ones. */
export function createEndpointStore(handle: Handle) {
  return {
    ...endpointReads(handle),

    async insert(endpoint: NewEndpoint): Promise<void> {
      const now = handle.raw('clock_timestamp()');
      await handle('private_endpoints').insert({
        id: endpoint.id,
        organization_id: endpoint.organizationId,
        model_id: endpoint.modelId,
        provider_slug: endpoint.providerSlug,
        capability: endpoint.capability,
        ...columnsOf(endpoint),
        pricing: JSON.stringify(endpoint.pricing),
        created_at: now,
        updated_at: now,
      });
    },

    configure: (id: string, configuration: EndpointConfiguration & Pick<PrivateEndpoint, 'revision'>) =>
      update(handle, id, { ...columnsOf(configuration), revision: configuration.revision }),

    setPricing: (id: string, pricing: PrivatePricing) =>
      update(handle, id, { pricing: JSON.stringify(pricing) }),

    setStatus: (id: string, status: PrivateEndpointStatus) => update(handle, id, { status }),

    /** Hides the endpoint. Its row stays, because generations name it. */
    delete: (id: string) => update(handle, id, { deleted_at: handle.raw('clock_timestamp()') }),

    /**
     * Activates a draft whose last validation passed and tested its present configuration. Returns false if the
     * endpoint is no draft, or has no such validation. The caller has locked the row since it computed the digest.
     */
    async activate(id: string, { digest, maxAgeMs }: ActivationTerms): Promise<boolean> {
      const rows = await uncheckedRowsOf(handle, ACTIVATE, [id, digest, maxAgeMs]);
      return rows.length > 0;
    },
  };
}

/** Builds the methods that read endpoints. */
function endpointReads(handle: Handle) {
  return {
    find: (organizationId: string, id: string) => findBy(handle, organizationId, id, ''),

    /** Returns an endpoint and locks it until the commit. */
    lock: (organizationId: string, id: string) =>
      findBy(handle, organizationId, id, 'for no key update of e'),

    /** Lists endpoints, the oldest first. */
    async list(organizationId: string): Promise<NamedEndpoint[]> {
      const rows = await uncheckedRowsOf<NamedRow>(handle, `${NAMED} order by e.created_at, e.id`, [
        organizationId,
      ]);
      return rows.map(toNamed);
    },

    /** Returns the number of the organization's endpoints. Other transactions that create one wait until the commit. */
    async lockCount(organizationId: string): Promise<number> {
      await handle.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `private endpoints ${organizationId}`,
      ]);
      const count = await handle('private_endpoints')
        .where({ organization_id: organizationId, deleted_at: null })
        .count<{ n: string }>({ n: '*' })
        .first();
      return Number(count?.n ?? 0);
    },
  };
}

async function update(handle: Handle, id: string, columns: Record<string, unknown>): Promise<void> {
  await handle('private_endpoints')
    .where({ id })
    .update({ ...columns, updated_at: handle.raw('clock_timestamp()') });
}

async function findBy(
  handle: Handle,
  organizationId: string,
  id: string,
  lock: string,
): Promise<NamedEndpoint | null> {
  const [row] = await uncheckedRowsOf<NamedRow>(handle, `${NAMED} and e.id = ? ${lock}`, [
    organizationId,
    id,
  ]);
  return row === undefined ? null : toNamed(row);
}

const NAMED = `
  select e.*, m.name model_name, m.canonical_slug model_permaslug, p.name provider_name
  from private_endpoints e join models m on m.id = e.model_id join providers p on p.slug = e.provider_slug
  where e.organization_id = ? and e.deleted_at is null`;

const ACTIVATE = `
  update private_endpoints e set status = 'active', updated_at = clock_timestamp()
  where e.id = ? and e.status = 'draft' and e.deleted_at is null and exists (
    select from private_endpoint_validations v
    where v.id = (
        select l.id from private_endpoint_validations l where l.endpoint_id = e.id and l.state <> 'running'
        order by l.created_at desc, l.id desc limit 1)
      and v.state = 'passed' and v.digest = ?
      and v.finished_at > clock_timestamp() - ? * interval '1 millisecond')
  returning e.id`;

function columnsOf(configuration: EndpointConfiguration): Record<string, unknown> {
  return {
    upstream_model_id: configuration.upstreamModelId,
    base_url: configuration.baseUrl,
    declared_region: configuration.declaredRegion,
    declared_zdr: configuration.declaredZdr,
    declared_parameters: configuration.declaredParameters,
  };
}

function toNamed(row: NamedRow): NamedEndpoint {
  return {
    ...toPrivateEndpoint(row),
    modelName: row.model_name,
    modelPermaslug: row.model_permaslug,
    providerName: row.provider_name,
  };
}
