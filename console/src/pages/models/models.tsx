/** Lists the models that can be requested, with their prices. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { callTo, type Schema } from '../../api/call.ts';
import { formatCompact, formatPerMillion, NONE } from '../../format/numbers.ts';
import { optionsOf } from '../../parts/field/field.tsx';
import { Filters } from '../../parts/field/filters.tsx';
import { ListPage } from '../../parts/paging/list-page.tsx';
import { usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import type { Column } from '../../parts/table/table.tsx';
import { Named } from '../../parts/value/value.tsx';

type Model = Schema<'Model'>;

const route = getRouteApi('/models');

const OUTPUTS = ['text', 'image', 'speech', 'video', 'embeddings', 'rerank'];

/** Returns the two parts of a model's id. */
function pathOf(id: string): { author: string; slug: string } {
  const [author = '', ...rest] = id.split('/');
  return { author, slug: rest.join('/') };
}

/** A price of 0 means "free" only where tokens are all that is paid for. */
function priceOf({ pricing, architecture }: Model, kind: 'prompt' | 'completion'): string {
  const isText = architecture.output_modalities.every((output) => output === 'text');
  return isText || Number(pricing[kind]) > 0 ? formatPerMillion(pricing[kind]) : NONE;
}

const COLUMNS: readonly Column<Model>[] = [
  {
    name: 'Model',
    cell: ({ id, name }) => (
      <Named id={id}>
        <Link to="/models/$author/$slug" params={pathOf(id)}>
          <bdi>{name}</bdi>
        </Link>
      </Named>
    ),
  },
  { name: 'Takes', cell: ({ architecture }) => architecture.input_modalities.join(', ') },
  { name: 'Makes', cell: ({ architecture }) => architecture.output_modalities.join(', ') },
  {
    name: 'Context',
    isNumber: true,
    cell: ({ context_length: tokens }) => (tokens ? `${formatCompact(tokens)} tokens` : NONE),
  },
  { name: '$ per M in', isNumber: true, cell: (model) => priceOf(model, 'prompt') },
  { name: '$ per M out', isNumber: true, cell: (model) => priceOf(model, 'completion') },
];

const FILTERS = [
  { name: 'q', label: 'Search', type: 'search' },
  { name: 'providers', label: 'Provider', type: 'provider' },
  { name: 'output_modalities', label: 'Makes', options: optionsOf(OUTPUTS, 'Anything') },
] as const;

export function Models() {
  const search = route.useSearch();
  const { q, output_modalities: output, providers } = search;
  const list = usePage((page) =>
    callTo('GET', '/models', { query: { ...page, q, output_modalities: output ?? 'all', providers } }),
  );
  return (
    <ListPage
      title="Models"
      about="The models that can be requested now, with prices per million tokens. Media have prices in other units."
      filters={<Filters filters={FILTERS} search={search} />}
      list={list}
      caption="Models"
      columns={COLUMNS}
      empty={<Empty title="No model matches.">Search for another word, or choose another provider.</Empty>}
    />
  );
}
