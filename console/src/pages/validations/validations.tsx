/** Lists the validations of private endpoints with their checks. */
import { callTo, type Schema } from '../../api/call.ts';
import { asProblem } from '../../api/problem.ts';
import { Page } from '../../parts/page/page.tsx';
import { Listed, usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { Badge, Moment, StateBadge, Named, TemporalLink } from '../../parts/value/value.tsx';

const COLUMNS: readonly Column<Schema<'ListedPrivateEndpointValidation'>>[] = [
  { name: 'Started', cell: ({ created_at: at }) => <Moment at={at} /> },
  {
    name: 'Endpoint',
    cell: ({ endpoint_id: id, model_permaslug: model, provider_name: provider }) => (
      <Named id={id}>
        <bdi>{model}</bdi> at {provider}
      </Named>
    ),
  },
  { name: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { name: 'Checks', cell: ({ checks }) => <Checks checks={checks} /> },
  {
    name: 'Workflow',
    cell: ({ id, endpoint_id: endpoint }) => <TemporalLink workflow={`validate-${endpoint}-${id}`} />,
  },
];

function Checks({ checks }: Pick<Schema<'ListedPrivateEndpointValidation'>, 'checks'>) {
  return (
    <ul>
      {checks.map(({ name, passed, reason, upstream_status: status, upstream_message: message }) => (
        <li key={name}>
          {name.replaceAll('_', ' ')}{' '}
          <Badge tone={passed ? 'good' : 'bad'}>{passed ? 'passed' : 'failed'}</Badge>{' '}
          {reason?.replaceAll('_', ' ')} {status} <bdi>{message}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function Validations() {
  const list = usePage((query) => callTo('GET', '/private-endpoint-validations', { query }), {
    isLive: ({ state }) => state === 'running',
  });
  const { error } = list.query;
  const isForbidden = error !== null && asProblem(error).status === 403;
  return (
    <Page
      title="Endpoint checks"
      about="Before a private endpoint serves requests, the gateway calls it as requests would."
      call={list.call}
    >
      {isForbidden ? (
        <Empty title="Your organization has no private endpoints.">
          The operator of this gateway can allow them.
        </Empty>
      ) : (
        <Listed
          list={list}
          caption="Validations"
          keyOf={({ id }) => id}
          columns={COLUMNS}
          empty={
            <Empty title="No endpoint was validated yet.">
              Validate one by <code>POST /private-endpoints/{'{id}'}/validate</code>.
            </Empty>
          }
        />
      )}
    </Page>
  );
}
