/** Stores customers' private endpoints, from the draft to activation and deletion. */
import type {
  PrivateEndpoint,
  PrivateEndpointStatus,
  PrivatePricing,
} from '../../domain/endpoints/private-endpoint.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, firstRow, lockName } from '../postgres/results.ts';
import { columnsOf, type RowOf, selectList, text } from '../postgres/shape.ts';
import { rowsOf, run, tables } from '../postgres/statement.ts';
import { PRIVATE_ENDPOINT } from './endpoint-rows.ts';

/** An endpoint with the names of its model and provider. */
const NAMED_ENDPOINT = {
  ...PRIVATE_ENDPOINT,
  modelName: text,
  /** The canonical slug of the model. */
  modelPermaslug: text,
  providerName: text,
};
export type NamedEndpoint = RowOf<typeof NAMED_ENDPOINT>;

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
      const now = tables.raw('clock_timestamp()');
      const columns = { ...columnsOf(endpoint), created_at: now, updated_at: now };
      await run(handle, tables('private_endpoints').insert(columns));
    },

    configure: (id: string, configuration: EndpointConfiguration & Pick<PrivateEndpoint, 'revision'>) =>
      update(handle, id, columnsOf(configuration)),

    setPricing: (id: string, pricing: PrivatePricing) => update(handle, id, { pricing }),

    setStatus: (id: string, status: PrivateEndpointStatus) => update(handle, id, { status }),

    /** Hides the endpoint. Its row stays, because generations name it. */
    delete: (id: string) => update(handle, id, { deleted_at: tables.raw('clock_timestamp()') }),

    /**
     * Activates a draft whose last validation passed and tested its present configuration. Returns false if the
     * endpoint is no draft, or has no such validation. The caller has locked the row since it computed the digest.
     */
    activate: (id: string, { digest, maxAgeMs }: ActivationTerms): Promise<boolean> =>
      anyRows(handle, ACTIVATE, { id, digest, maxAgeMs }),
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
    list: (organizationId: string): Promise<NamedEndpoint[]> =>
      rowsOf(handle, NAMED_ENDPOINT, `${NAMED} order by e.created_at, e.id`, { organizationId }),

    /** Returns the number of the organization's endpoints. Other transactions that create one wait until the commit. */
    async lockCount(organizationId: string): Promise<number> {
      await lockName(handle, `private endpoints ${organizationId}`);
      const living = 'from private_endpoints where organization_id = :organizationId and deleted_at is null';
      return countRows(handle, living, { organizationId });
    },
  };
}

async function update(handle: Handle, id: string, columns: Record<string, unknown>): Promise<void> {
  const changes = { ...columns, updated_at: tables.raw('clock_timestamp()') };
  await run(handle, tables('private_endpoints').where({ id }).update(changes));
}

async function findBy(
  handle: Handle,
  organizationId: string,
  id: string,
  lock: string,
): Promise<NamedEndpoint | null> {
  const statement = `${NAMED} and e.id = :id ${lock}`;
  return firstRow(handle, NAMED_ENDPOINT, statement, { organizationId, id });
}

const NAMES = { modelName: 'm.name', modelPermaslug: 'm.canonical_slug', providerName: 'p.name' };
const NAMED = `
  select ${selectList(NAMED_ENDPOINT, 'e', NAMES)}
  from private_endpoints e join models m on m.id = e.model_id join providers p on p.slug = e.provider_slug
  where e.organization_id = :organizationId and e.deleted_at is null`;

const ACTIVATE = `
  update private_endpoints e set status = 'active', updated_at = clock_timestamp()
  where e.id = :id and e.status = 'draft' and e.deleted_at is null and exists (
    select from private_endpoint_validations v
    where v.id = (
        select l.id from private_endpoint_validations l where l.endpoint_id = e.id and l.state <> 'running'
        order by l.created_at desc, l.id desc limit 1)
      and v.state = 'passed' and v.digest = :digest
      and v.finished_at > clock_timestamp() - :maxAgeMs * interval '1 millisecond')`;
