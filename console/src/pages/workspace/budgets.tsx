/** Lists the budgets of a workspace, and sets and removes them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Call } from '../../api/curl.ts';
import { api, read } from '../../api/client.ts';
import type { components } from '../../../generated/api.d.ts';
import { CopyCurl } from '../../parts/copy/copy.tsx';
import { TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';

type Budget = components['schemas']['WorkspaceBudget'];

const INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
type Interval = (typeof INTERVALS)[number];
const LABELS: Record<Interval, string> = {
  daily: 'Each day',
  weekly: 'Each week',
  monthly: 'Each month',
  lifetime: 'In all',
};

/** The texts of the fields; empty: no budget. */
type Limits = Record<Interval, string>;

export function Budgets({ id }: { id: string }) {
  const budgets = useQuery({
    queryKey: ['workspace', id, 'budgets'],
    queryFn: async ({ signal }) =>
      (await read(api.GET('/workspaces/{id}/budgets', { params: { path: { id } }, signal }))).data,
  });
  return (
    <Card title="Budgets" actions={<CopyCurl call={{ method: 'GET', path: `/workspaces/${id}/budgets` }} />}>
      <p>
        The most that all keys of this workspace may spend together, in US dollars. Empty: no budget. A budget
        that is spent already refuses requests at once.
      </p>
      <Loaded query={budgets} what="the budgets">
        {(rows) => <BudgetForm key={JSON.stringify(rows)} id={id} present={limitsOf(rows)} />}
      </Loaded>
    </Card>
  );
}

function limitsOf(budgets: readonly Budget[]): Limits {
  const limits: Limits = { daily: '', weekly: '', monthly: '', lifetime: '' };
  for (const { reset_interval: interval, limit_usd: limit } of budgets)
    limits[interval ?? 'lifetime'] = String(limit);
  return limits;
}

function BudgetForm({ id, present }: { id: string; present: Limits }) {
  const queries = useQueryClient();
  const [limits, setLimits] = useState(present);
  const changed = INTERVALS.filter((interval) => limits[interval] !== present[interval]);
  const save = useMutation({
    async mutationFn() {
      for (const interval of changed) await setBudget(id, interval, limits[interval]);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['workspace', id, 'budgets'] }),
  });
  return (
    <Form
      attempt={save}
      call={changed[0] && callOf(id, changed[0], limits[changed[0]])}
      action="Save budgets"
    >
      {INTERVALS.map((interval) => (
        <TextField
          key={interval}
          label={LABELS[interval]}
          type="number"
          min={0}
          step="any"
          value={limits[interval]}
          onChange={(event) => setLimits({ ...limits, [interval]: event.target.value })}
        />
      ))}
    </Form>
  );
}

const callOf = (id: string, interval: Interval, limit: string): Call => ({
  path: `/workspaces/${id}/budgets/${interval}`,
  ...(limit === '' ? { method: 'DELETE' } : { method: 'PUT', body: { limit_usd: Number(limit) } }),
});

async function setBudget(id: string, interval: Interval, limit: string): Promise<void> {
  const params = { path: { id, interval } };
  if (limit === '') await read(api.DELETE('/workspaces/{id}/budgets/{interval}', { params }));
  else
    await read(
      api.PUT('/workspaces/{id}/budgets/{interval}', { params, body: { limit_usd: Number(limit) } }),
    );
}
