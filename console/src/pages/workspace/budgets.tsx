/** Lists the budgets of a workspace, and sets and removes them. */
import { useState } from 'react';
import { type Call, callTo, useCall, type Schema } from '../../api/call.ts';
import { TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Loaded } from '../../parts/states/states.tsx';

const INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
type Interval = (typeof INTERVALS)[number];
const LABELS: Record<Interval, string> = {
  daily: 'Each day',
  weekly: 'Each week',
  monthly: 'Each month',
  lifetime: 'In all',
};

export function Budgets({ id }: { id: string }) {
  const call = callTo('GET', '/workspaces/{id}/budgets', { path: { id } });
  return (
    <Card title="Budgets" call={call}>
      <p>
        The most that all keys of this workspace may spend together, in US dollars. Empty: no budget. A budget
        that is spent already refuses requests at once.
      </p>
      <Loaded query={useCall(call)} what="the budgets">
        {({ data }) =>
          INTERVALS.map((interval) => {
            const present = limitOf(data, interval);
            return (
              <BudgetForm key={`${interval} ${present}`} id={id} interval={interval} present={present} />
            );
          })
        }
      </Loaded>
    </Card>
  );
}

/** Returns the text of a field; empty: no budget. */
function limitOf(budgets: readonly Schema<'WorkspaceBudget'>[], interval: Interval): string {
  const budget = budgets.find(({ reset_interval: reset }) => (reset ?? 'lifetime') === interval);
  return budget === undefined ? '' : String(budget.limit_usd);
}

function BudgetForm({ id, interval, present }: { id: string; interval: Interval; present: string }) {
  const [limit, setLimit] = useState(present);
  return (
    <Form
      call={limit === present ? undefined : callFor(id, interval, limit)}
      action={limit === '' && present !== '' ? 'Remove budget' : 'Save budget'}
    >
      <TextField label={LABELS[interval]} type="number" min={0} step="any" value={limit} onText={setLimit} />
    </Form>
  );
}

function callFor(id: string, interval: Interval, limit: string): Call {
  const [url, path] = ['/workspaces/{id}/budgets/{interval}', { id, interval }] as const;
  if (limit === '') return callTo('DELETE', url, { path });
  return callTo('PUT', url, { path, body: { limit_usd: Number(limit) } });
}
