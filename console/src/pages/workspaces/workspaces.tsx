/** Lists the workspaces of the organization, and creates one. */
import { useState } from 'react';
import { callTo, type Schema } from '../../api/call.ts';
import { Badge, Moment } from '../../parts/value/value.tsx';
import { DialogButton } from '../../parts/dialog/dialog.tsx';
import { TextField } from '../../parts/field/field.tsx';
import { DialogForm } from '../../parts/form/form.tsx';
import { ListPage } from '../../parts/paging/list-page.tsx';
import { usePage } from '../../parts/paging/listed.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { type Column, linkColumn } from '../../parts/table/table.tsx';

const COLUMNS: readonly Column<Schema<'Workspace'>>[] = [
  linkColumn('Name', '/workspaces/$id', ({ name }) => <bdi>{name}</bdi>),
  { name: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
  { name: 'Webhooks', cell: ({ webhook_failing_since: since }) => <WebhookState since={since} /> },
  {
    name: 'Inputs and outputs',
    cell: ({ is_observability_io_logging_enabled: isLogged }) => (isLogged ? 'logged' : 'not logged'),
  },
  { name: 'Created', cell: ({ created_at: at }) => <Moment at={at} /> },
];

function WebhookState({ since }: { since: string | null }) {
  if (since === null) return <Badge tone="good">well</Badge>;
  return (
    <>
      <Badge tone="bad">failing</Badge> since <Moment at={since} />
    </>
  );
}

export function Workspaces() {
  const list = usePage((query) => callTo('GET', '/workspaces', { query }));
  return (
    <ListPage
      title="Workspaces"
      about="Each workspace has keys, budgets, webhooks and destinations of its own."
      actions={
        <DialogButton look="main" label="Create workspace">
          {(close) => <CreateWorkspace onClose={close} />}
        </DialogButton>
      }
      list={list}
      caption="Workspaces"
      columns={COLUMNS}
      empty={<Empty title="There are no workspaces here." />}
    />
  );
}

function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const body = { name: name.trim(), slug: slug ?? slugOf(name) };
  const call = callTo('POST', '/workspaces', { body });
  return (
    <DialogForm title="Create workspace" call={call} action="Create workspace" onClose={onClose}>
      <TextField label="Name" required autoFocus value={name} onText={setName} />
      <TextField label="Slug" required value={body.slug} onText={setSlug} />
    </DialogForm>
  );
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
