/** Lists the regular keys of a workspace, and creates, edits and deletes them. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.ts';
import { Button } from '../../parts/button/button.tsx';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { Listed } from '../../parts/paging/listed.tsx';
import { offsetOf } from '../../parts/paging/offset-pages.tsx';
import { Empty } from '../../parts/states/states.tsx';
import { CreateKey } from './create-key.tsx';
import { DeleteKey, SwitchKey } from './end-key.tsx';
import { EditKey } from './edit-key.tsx';
import type { Key, KeyAction } from './key-form.tsx';
import { KeyFilters, type KeySearch } from './key-filters.tsx';
import { keyColumns } from './key-table.tsx';

const route = getRouteApi('/keys');

/** The API lists this many keys at a time. */
const PAGE_SIZE = 100;

export function Keys() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [open, setOpen] = useState<Opened | 'create'>();
  const workspaces = useQuery({
    queryKey: ['workspaces'],
    queryFn: async ({ signal }) => (await read(api.GET('/workspaces', { signal }))).data,
  });
  const { list, query, from } = useKeys(search);
  const isAll = search.workspace_id === 'all';
  const change = (part: KeySearch) =>
    void navigate({ search: (last) => ({ ...last, offset: undefined, ...part }) });
  const close = (): void => {
    setOpen(undefined);
    void queries.invalidateQueries({ queryKey: ['keys'] });
  };
  return (
    <Page
      title="Keys"
      about="Regular keys call models. Each may have a limit of its own."
      actions={
        <>
          <CopyCurl call={{ method: 'GET', path: '/keys', query }} />
          <Button look="main" onClick={() => setOpen('create')}>
            Create key
          </Button>
        </>
      }
    >
      <KeyFilters workspaces={workspaces.data ?? []} search={search} onChange={change} />
      <Listed
        query={list}
        caption="Keys"
        keyOf={({ hash }) => hash}
        columns={keyColumns(isAll ? workspaces.data : undefined, (action, key) =>
          setOpen({ action, subject: key }),
        )}
        from={from}
        pageSize={PAGE_SIZE}
        empty={<Empty title="There are no keys here.">Create a key to call models with.</Empty>}
      />
      {open === 'create' && (
        <CreateKey
          workspaces={workspaces.data ?? []}
          workspaceId={isAll ? undefined : search.workspace_id}
          onClose={close}
        />
      )}
      {typeof open === 'object' && <Action {...open} onClose={close} workspaces={workspaces.data ?? []} />}
    </Page>
  );
}

function useKeys({ workspace_id, disabled, offset }: KeySearch & { offset?: string }) {
  const from = offsetOf(offset);
  const shows = disabled !== 'hidden';
  const query = {
    workspace_id,
    offset: from || undefined,
    include_disabled: shows,
    include_expired: shows,
  };
  const list = useQuery({
    queryKey: ['keys', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => read(api.GET('/keys', { params: { query }, signal })),
  });
  return { list, query, from };
}

interface Opened {
  action: KeyAction;
  subject: Key;
}

interface ActionProps extends Opened {
  workspaces: readonly { id: string; name: string }[];
  onClose: () => void;
}

function Action({ action, subject, workspaces, onClose }: ActionProps) {
  if (action === 'edit') return <EditKey subject={subject} workspaces={workspaces} onClose={onClose} />;
  if (action === 'switch') return <SwitchKey subject={subject} onClose={onClose} />;
  return <DeleteKey subject={subject} onClose={onClose} />;
}
