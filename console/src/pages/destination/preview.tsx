/** Shows what a destination would receive of a generation, without sending it. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callTo, type Schema } from '../../api/call.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyButton } from '../../parts/copy/copy.tsx';
import { LazyTextField } from '../../parts/field/lazy-fields.tsx';
import { LongText } from '../../parts/long-text/long-text.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, ProblemBox } from '../../parts/states/states.tsx';
import { Table, type Column } from '../../parts/table/table.tsx';
import type { DestinationRecord } from '../destinations/schemas.ts';

interface Shown {
  /** Null: the workspace has no generation. */
  generation: string | null;
  preview?: Schema<'ObservabilityPreviewResult'>;
}

export function Preview({ destination: { id, workspace_id } }: { destination: DestinationRecord }) {
  const [chosen, setChosen] = useState<string>();
  const callFor = (generation: string) => {
    const query = { generation_id: generation };
    return callTo('GET', '/observability/destinations/{id}/preview', { path: { id }, query });
  };
  const preview = useMutation({
    mutationFn: async (): Promise<Shown> => {
      const generation = chosen ?? (await newestOf(workspace_id));
      if (generation === null) return { generation };
      return { generation, preview: (await callFor(generation).send()).data };
    },
  });
  return (
    <Card
      title="Preview"
      call={callFor(chosen ?? preview.data?.generation ?? 'GENERATION_ID')}
      actions={
        <Button busy={preview.isPending} onClick={() => preview.mutate()}>
          Preview
        </Button>
      }
    >
      <p>Shows what the tool would receive of a generation by the present settings. Nothing is sent.</p>
      <LazyTextField
        label="Generation"
        placeholder="The newest of the workspace"
        value={chosen}
        onSet={setChosen}
      />
      {preview.error !== null && <ProblemBox error={preview.error} />}
      {preview.data !== undefined && <Result shown={preview.data} />}
    </Card>
  );
}

function Result({ shown: { generation, preview } }: { shown: Shown }) {
  if (generation === null || preview === undefined)
    return <Empty title="The workspace has no generations." />;
  if (!preview.sent) {
    return (
      <p role="status">
        <code>{generation}</code> would not be sent. {preview.reason} (<code>{preview.rule}</code>)
      </p>
    );
  }
  return <Sent generation={generation} span={preview.span} />;
}

type Attribute = Schema<'ObservabilitySpan'>['attributes'][number];

const COLUMNS: readonly Column<Attribute>[] = [
  { name: 'Attribute', cell: ({ key }) => <code>{key}</code> },
  { name: 'Value', cell: ({ key, value }) => <Value name={key} text={textOf(value)} /> },
];

function Sent({ generation, span }: { generation: string; span: Schema<'ObservabilitySpan'> }) {
  return (
    <>
      <p role="status">
        <code>{generation}</code> would be sent as the span <bdi>{span.name}</bdi>, with{' '}
        {countOf(span.events.length)} and these attributes:
      </p>
      <Table
        caption="Attributes of the span"
        rows={span.attributes}
        keyOf={({ key }) => key}
        columns={COLUMNS}
      />
      <div>
        <CopyButton
          look="quiet"
          label="Copy the span as JSON"
          text={() => JSON.stringify(span, undefined, 2)}
        />
      </div>
    </>
  );
}

const countOf = (events: number): string => (events === 1 ? 'one event' : `${events} events`);

const LONG = 200;

function Value({ name, text }: { name: string; text: string }) {
  return text.length > LONG ? <LongText text={text} name={`${name}.txt`} /> : <bdi>{text}</bdi>;
}

/** Returns a value of OTLP, such as `{"intValue":4}`, as a text. */
function textOf(value: Attribute['value']): string {
  const [inner] = Object.values(value);
  return typeof inner === 'string' ? inner : JSON.stringify(inner);
}

/** A page of the list may end before it finds something. The number of further pages is limited. */
const MOST_PAGES = 20;

async function newestOf(workspace: string): Promise<string | null> {
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { workspace_id: workspace, limit: 1, cursor };
    const { data, next } = await callTo('GET', '/generations', { query }).send();
    const [newest] = data;
    if (newest !== undefined) return newest.id;
    if (next === null) return null;
    cursor = next;
  }
  return null;
}
