/** Shows one model: the endpoints that serve it, their prices and their present health. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { callTo, useCall, type Schema } from '../../api/call.ts';
import { formatCount, formatMs, formatPerMillion, formatShare, NONE } from '../../format/numbers.ts';
import { buttonClass } from '../../parts/button/button.tsx';
import { CopyButton } from '../../parts/copy/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { TableOr, type Column } from '../../parts/table/table.tsx';
import { Named } from '../../parts/value/value.tsx';

const route = getRouteApi('/models/$author/$slug');

const COLUMNS: readonly Column<Schema<'ModelEndpoint'>>[] = [
  { name: 'Endpoint', cell: ({ provider_name: provider, tag }) => <Named id={tag}>{provider}</Named> },
  { name: 'Context', isNumber: true, cell: ({ context_length: tokens }) => formatCount(tokens) },
  { name: '$ per M in', isNumber: true, cell: ({ pricing }) => formatPerMillion(pricing.prompt) },
  { name: '$ per M out', isNumber: true, cell: ({ pricing }) => formatPerMillion(pricing.completion) },
  { name: 'Other prices', cell: ({ pricing }) => otherPrices(pricing) },
  { name: 'p50 latency', isNumber: true, cell: ({ latency_last_30m: latency }) => formatMs(latency?.p50) },
  {
    name: 'Throughput',
    isNumber: true,
    cell: ({ throughput_last_30m: throughput }) =>
      throughput === null ? NONE : `${formatCount(throughput.p50)} tokens/s`,
  },
  { name: 'Up, 30 min', isNumber: true, cell: ({ uptime_last_30m: uptime }) => formatUptime(uptime) },
  { name: 'Up, 1 day', isNumber: true, cell: ({ uptime_last_1d: uptime }) => formatUptime(uptime) },
  { name: 'Parameters', cell: ({ supported_parameters: names }) => names.join(', ') || NONE },
];

/** Returns the prices of everything but tokens in and out, in dollars of one unit each, as the API names them. */
function otherPrices(pricing: Schema<'ModelEndpoint'>['pricing']): string {
  const others = Object.entries(pricing).filter(([name]) => name !== 'prompt' && name !== 'completion');
  const texts = others.flatMap(([name, price]) => {
    if (typeof price !== 'string') return price == null ? [] : [`with conditions (${name})`];
    return Number(price) > 0 ? [`${name.replaceAll('_', ' ')} $${price}`] : [];
  });
  return texts.join(', ') || NONE;
}

/** The API gives uptimes in percent. Null: nobody has called the endpoint. */
const formatUptime = (percent: number | null): string =>
  percent === null ? NONE : formatShare(percent / 100);

export function Model() {
  const path = route.useParams();
  const id = `${path.author}/${path.slug}`;
  const call = callTo('GET', '/models/{author}/{slug}/endpoints', { path });
  const model = useCall(call);
  const known = model.data?.data;
  return (
    <Page
      title={known?.name ?? 'Model'}
      about={<code>{id}</code>}
      call={call}
      actions={
        <>
          <CopyButton look="quiet" label="Copy id" text={() => id} />
          {known?.architecture.output_modalities.includes('text') && (
            <Link to="/playground" search={{ model: id }} className={buttonClass('main')}>
              Try it
            </Link>
          )}
        </>
      }
    >
      <Loaded query={model} what="the model">
        {({ data: { description, endpoints } }) => (
          <>
            <p>{description}</p>
            <TableOr
              empty={<Empty title="No endpoint serves this model now." />}
              caption="Endpoints"
              rows={endpoints}
              keyOf={({ tag, name }) => `${tag} ${name}`}
              columns={COLUMNS}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}
