/** Lists the workspaces of the organization, and creates one. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import type { components } from '../../../generated/api.d.ts';
import { Badge } from '../../parts/badge/badge.tsx';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Moment } from '../../parts/moment/moment.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty } from '../../parts/states/states.tsx';
import type { Column } from '../../parts/table/table.tsx';

type Workspace = components['schemas']['Workspace'];

const route = getRouteApi('/workspaces');

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<Workspace>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/workspaces/$id" params={{ id }}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
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
  const from = offsetOf(route.useSearch().offset);
  const [isCreating, setIsCreating] = useState(false);
  const query = { limit: PAGE_SIZE, offset: from };
  const list = useQuery({
    queryKey: ['workspaces', query],
    queryFn: ({ signal }) => read(api.GET('/workspaces', { params: { query }, signal })),
  });
  return (
    <Page
      title="Workspaces"
      about="Each workspace has keys, budgets, webhooks and destinations of its own."
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: '/workspaces', query }} />
          <Button look="main" onClick={() => setIsCreating(true)}>
            Create workspace
          </Button>
        </>
      }
    >
      <Listed
        query={list}
        caption="Workspaces"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        from={from}
        pageSize={PAGE_SIZE}
        empty={<Empty title="There are no workspaces here." />}
      />
      {isCreating && <CreateWorkspace onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const body = { name: name.trim(), slug: slug ?? slugOf(name) };
  const create = useMutation({
    mutationFn: () => read(api.POST('/workspaces', { body })),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['workspaces'] });
      onClose();
    },
  });
  return (
    <Dialog title="Create workspace" onClose={onClose}>
      <Form
        attempt={create}
        call={{ method: 'POST', path: '/workspaces', body }}
        action="Create workspace"
        onCancel={onClose}
      >
        <TextField
          label="Name"
          required
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Slug"
          required
          value={body.slug}
          onChange={(event) => setSlug(event.target.value)}
        />
      </Form>
    </Dialog>
  );
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
