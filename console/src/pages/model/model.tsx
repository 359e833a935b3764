/** Shows one model: the endpoints that serve it, their prices and their present health. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api, read } from '../../api/client.ts';
import type { components } from '../../../generated/api.d.ts';
import { formatCount, formatMs, formatPerMillion, formatShare, NONE } from '../../format/numbers.ts';
import { buttonClass } from '../../parts/button/button.tsx';
import { CopyButton, CopyCurl } from '../../parts/copy/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { Table, type Column } from '../../parts/table/table.tsx';

type Endpoint = components['schemas']['ModelEndpoint'];

const route = getRouteApi('/models/$author/$slug');

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    name: 'Endpoint',
    cell: ({ provider_name: provider, tag }) => (
      <>
        <bdi>{provider}</bdi>
        <br />
        <code>{tag}</code>
      </>
    ),
  },
  { name: 'Context', isNumber: true, cell: ({ context_length: tokens }) => formatCount(tokens) },
  { name: '$ per M in', isNumber: true, cell: ({ pricing }) => formatPerMillion(pricing.prompt) },
  { name: '$ per M out', isNumber: true, cell: ({ pricing }) => formatPerMillion(pricing.completion) },
  { name: 'p50 latency', isNumber: true, cell: ({ latency_last_30m: latency }) => formatMs(latency?.p50) },
  {
    name: 'Throughput',
    isNumber: true,
    cell: ({ throughput_last_30m: throughput }) =>
      throughput === null ? NONE : `${formatCount(throughput.p50)} tokens/s`,
  },
  { name: 'Up, 30 min', isNumber: true, cell: ({ uptime_last_30m: uptime }) => formatUptime(uptime) },
  { name: 'Up, 1 day', isNumber: true, cell: ({ uptime_last_1d: uptime }) => formatUptime(uptime) },
];

/** The API gives uptimes in percent. Null: nobody has called the endpoint. */
const formatUptime = (percent: number | null): string =>
  percent === null ? NONE : formatShare(percent / 100);

export function Model() {
  const { author, slug } = route.useParams();
  const id = `${author}/${slug}`;
  const model = useQuery({
    queryKey: ['model', id],
    queryFn: async ({ signal }) =>
      (
        await read(
          api.GET('/models/{author}/{slug}/endpoints', { params: { path: { author, slug } }, signal }),
        )
      ).data,
  });
  return (
    <Page
      title={model.data?.name ?? 'Model'}
      about={<code>{id}</code>}
      actions={
        <>
          <CopyButton look="quiet" label="Copy id" text={() => id} />
          <CopyCurl call={{ method: 'GET', path: `/models/${id}/endpoints` }} />
          {model.data?.architecture.output_modalities.includes('text') && (
            <Link to="/playground" search={{ model: id }} className={buttonClass('main')}>
              Try it
            </Link>
          )}
        </>
      }
    >
      <Loaded query={model} what="the model">
        {({ description, endpoints }) => (
          <>
            <p>{description}</p>
            {endpoints.length === 0 ? (
              <Empty title="No endpoint serves this model now." />
            ) : (
              <Table
                caption="Endpoints"
                rows={endpoints}
                keyOf={({ tag, name }) => `${tag} ${name}`}
                columns={COLUMNS}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
